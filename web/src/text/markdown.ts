/** The Markdown of articles as plain data: blocks of runs of text. Nothing of it is ever read as HTML. */

export type Style = "strong" | "em" | "code";

export interface Run {
  text: string;
  styles: Style[];
}

export interface Block {
  kind: "heading" | "paragraph" | "item";
  /** Of a heading, from 1. */
  level: number;
  /** Of an item: whether its list is numbered. */
  ordered: boolean;
  runs: Run[];
}

/** Headings, paragraphs, items of lists; quotations count as paragraphs, and what is none of these as text. */
export function blocks(markdown: string): Block[] {
  const found: Block[] = [];
  let lines: string[] = [];
  function close() {
    if (lines.length) found.push({ kind: "paragraph", level: 0, ordered: false, runs: runs(lines.join(" ")) });
    lines = [];
  }
  for (const line of markdown.split(/\r?\n/)) {
    const text = line.replace(/^\s*>\s?/, "").trim();
    const heading = /^(#{1,6})\s+(.*?)\s*#*$/.exec(text);
    const item = /^([-*+]|\d+[.)])\s+(.*)$/.exec(text);
    if (heading || item || !text) close();
    if (heading) found.push({ kind: "heading", level: heading[1]!.length, ordered: false, runs: runs(heading[2]!) });
    else if (item) found.push({ kind: "item", level: 0, ordered: /\d/.test(item[1]!), runs: runs(item[2]!) });
    else if (text) lines.push(text);
  }
  close();
  return found;
}

const INLINE =
  /`(?<code>[^`]+)`|\*\*(?<strong>[^*]+)\*\*|__(?<strong2>[^_]+)__|\*(?<em>[^*\s](?:[^*]*[^*\s])?)\*|(?<![\p{L}\p{N}])_(?<em2>[^_\s](?:[^_]*[^_\s])?)_(?![\p{L}\p{N}])|\[(?<link>[^\]]+)\]\([^)\s]*\)/gu;

/** A line cut where its style changes. Of a link only its words stay: an article has none that a reader should follow. */
export function runs(line: string): Run[] {
  const found: Run[] = [];
  let end = 0;
  function add(text: string, styles: Style[]) {
    if (text) found.push({ text, styles });
  }
  for (const match of line.matchAll(INLINE)) {
    const { code, strong, strong2, em, em2, link } = match.groups!;
    add(line.slice(end, match.index), []);
    if (code) add(code, ["code"]);
    else if (strong ?? strong2) add((strong ?? strong2)!, ["strong"]);
    else if (em ?? em2) add((em ?? em2)!, ["em"]);
    else add(link!, []);
    end = match.index + match[0].length;
  }
  add(line.slice(end), []);
  return found;
}

export const plain = (block: Block): string => block.runs.map((run) => run.text).join("");
