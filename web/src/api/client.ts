/** Requests to the part of the server that is the page's own. */

import type { Assessment, Judgement, PaperReport, RunInShort, RunView, Start, Version, Word } from "./types";

const API = "/page/api";

/** What the server refused, in a sentence that a person can act on. */
export class Refusal extends Error {
  constructor(
    readonly kind: string,
    message: string,
    readonly status: number,
  ) {
    super(message);
  }
}

export const NO_ANSWER =
  "The server does not answer. Start it again in a terminal with `draftroom open`; no finished work is lost.";

/** `keepalive` lets a request outlive the page that sent it; browsers allow it for small bodies only. */
async function ask<Answer>(path: string, method = "GET", body?: FormData | object, keepalive = false): Promise<Answer> {
  const sent: RequestInit = { method, keepalive };
  if (body instanceof FormData) sent.body = body;
  else if (body) {
    sent.body = JSON.stringify(body);
    sent.headers = { "content-type": "application/json" };
  }
  let response: Response;
  try {
    response = await fetch(API + path, sent);
  } catch {
    throw new Refusal("no_answer", NO_ANSWER, 0);
  }
  const answer: unknown = await response.json().catch(() => null);
  if (!response.ok) {
    const error = (answer as { error?: { kind: string; message: string } } | null)?.error;
    throw new Refusal(
      error?.kind ?? "unknown",
      error?.message ?? `The server answered with error ${response.status}; its terminal tells more.`,
      response.status,
    );
  }
  return answer as Answer;
}

export interface Given {
  file?: File;
  text?: string;
  name?: string;
}

function form(given: Given, fields: Record<string, string> = {}): FormData {
  const data = new FormData();
  for (const [name, value] of Object.entries(fields)) data.set(name, value);
  if (given.file) data.set("file", given.file);
  else data.set("text", given.text ?? "");
  if (given.name) data.set("name", given.name);
  return data;
}

const run = (id: string) => `/runs/${encodeURIComponent(id)}`;

export const start = () => ask<Start>("/start");
/** The page of a recorded run. */
export const exampleResult = (name: string) => `${API}/examples/${encodeURIComponent(name)}`;

export async function examplePaper(name: string): Promise<File> {
  const response = await fetch(`/page/examples/${encodeURIComponent(name)}`);
  if (!response.ok) throw new Refusal("missing", `The server does not have the paper ${name}.`, response.status);
  return new File([await response.blob()], name);
}

export const runs = () => ask<{ runs: RunInShort[]; problems?: string[] }>("/runs");

/** What of a draft is to be reviewed: the sections that are called so, or what changed since a review. */
export type Part = { section?: string; since?: string };

export const begin = (verb: string, given: Given, settings: object, part: Part = {}) =>
  ask<{ id: string }>("/runs", "POST", form(given, { verb, settings: JSON.stringify(settings), ...part }));
export const view = (id: string) => ask<RunView>(run(id));
export const resume = (id: string, answer: null | { items: string[] } | { keep: true }) =>
  ask<{ thread: string; run: string }>(`${run(id)}/resume`, "POST", { answer });
export const stop = (id: string) => ask<object>(`${run(id)}/stop`, "POST", {});
export const remove = (id: string) => ask<object>(run(id), "DELETE");
export const decide = (id: string, comment: string, judgement: Judgement) =>
  ask<Record<string, Judgement>>(`${run(id)}/decisions/${encodeURIComponent(comment)}`, "PUT", judgement, true);
export const editArticle = (id: string, text: string) => ask<Assessment>(`${run(id)}/article`, "PUT", { text });
export const editPlainText = (id: string, text: string) => ask<Version>(`${run(id)}/text`, "PUT", { text });
export const check = (given: Given, references: boolean) =>
  ask<PaperReport>("/check", "POST", form(given, references ? { references: "1" } : {}));
export const exportAddress = (id: string, format: string) =>
  `${API}${run(id)}/export?format=${encodeURIComponent(format)}`;
export const words = (id: string) => ask<Record<string, Word[]>>(`${run(id)}/words`);
export const paperAddress = (id: string) => `${API}${run(id)}/paper`;

/** The sentence to show of whatever went wrong. */
export const said = (error: unknown): string => (error instanceof Error ? error.message : String(error));
