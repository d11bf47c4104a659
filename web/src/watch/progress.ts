/** What the stream of a run tells, as a state: who is at work, and what was said since the stream began. */

import type { System } from "../api/types";
import { sayings } from "./sayings";
import type { Saying, Written } from "./sayings";

export interface Work {
  role: string;
  step: string;
  round: number;
  model: string;
  /** Calls of this kind that are under way. */
  calls: number;
  tokens: number;
  /** What it has written since its call began. */
  text: string;
}

export interface Progress {
  working: ReadonlyMap<string, Work>;
  said: Saying[];
}

export interface Part {
  event: string;
  data: unknown;
}

export const NOTHING_YET: Progress = { working: new Map(), said: [] };

interface CallEvent {
  event: "call" | "tokens" | "ended";
  role: string;
  step: string;
  round: number;
  model: string;
  tokens?: number;
  /** The newest piece. */
  text?: string;
}

const keyOf = (call: { role: string; step: string; round: number }) => `${call.role}/${call.step}/${call.round}`;

/** Take in one part of the stream. Event names of subgraphs have a suffix: `updates|review_paragraph:…`. */
export function take(progress: Progress, part: Part, system: System): Progress {
  const kind = part.event.split("|")[0];
  if (kind === "custom") return called(progress, part.data as CallEvent);
  if (kind === "updates" && part.data && typeof part.data === "object")
    return Object.values(part.data as Record<string, unknown>)
      .flatMap((update) => (Array.isArray(update) ? update : [update]))
      .reduce<Progress>((now, update) => (update && typeof update === "object" ? written(now, update as Written, system) : now), progress);
  return progress;
}

function called(progress: Progress, event: CallEvent): Progress {
  if (!["call", "tokens", "ended"].includes(event?.event)) return progress;
  const working = new Map(progress.working);
  const before = working.get(keyOf(event));
  if (event.event === "ended") {
    if (before && before.calls > 1) working.set(keyOf(event), { ...before, calls: before.calls - 1 });
    else working.delete(keyOf(event));
    return { ...progress, working };
  }
  const { role, step, round, model } = event;
  working.set(keyOf(event), {
    ...{ role, step, round, model },
    calls: event.event === "call" ? (before?.calls ?? 0) + 1 : (before?.calls ?? 1),
    tokens: event.tokens ?? 0,
    text: event.event === "call" ? "" : (before?.text ?? "") + (event.text ?? ""),
  });
  return { ...progress, working };
}

const written = (progress: Progress, update: Written, system: System): Progress => ({
  ...progress,
  said: [...progress.said, ...sayings(system, update)],
});
