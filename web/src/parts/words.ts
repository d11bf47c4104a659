/** Names, numbers and times as a person reads them. */

import type { Status, System } from "../api/types";

export const DOING: Record<System, string> = {
  science_journalism: "Explain",
  medical_simplification: "Simplify",
  focused_feedback: "Review",
};

export const STATES: Record<Status, string> = {
  running: "under way",
  done: "done",
  paused: "waits for you",
  stopped: "stopped",
  interrupted: "interrupted",
  failed: "failed",
};

/** A name of the code in words: `language_clarifier` becomes "language clarifier". */
export const spoken = (name: string): string => name.replaceAll("_", " ");

export const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

export const counted = (number: number, thing: string): string => `${grouped(number)} ${thing}${number === 1 ? "" : "s"}`;

export const grouped = (number: number): string => number.toLocaleString("en");

export function duration(seconds: number): string {
  if (seconds < 60) return `${seconds.toFixed(seconds < 10 ? 1 : 0)} s`;
  const minutes = Math.floor(seconds / 60);
  return minutes < 60 ? `${minutes} min ${Math.round(seconds % 60)} s` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

export function when(time: string): string {
  const date = new Date(time);
  if (Number.isNaN(date.getTime())) return time;
  return date.toLocaleString("en", { day: "numeric", month: "short", hour: "2-digit", minute: "2-digit", hour12: false });
}

/** Where something is in a paper: "Methods, page 2, p8". */
export function place(item: { section: string; page: number; paragraph?: string }): string {
  return [item.section, item.page ? `page ${item.page}` : "", item.paragraph ?? ""].filter(Boolean).join(", ");
}
