/** Markdown as elements, with passages of it marked. */

import { memo } from "react";
import type { ReactNode } from "react";

import { pieces } from "../text/highlight";
import type { Span } from "../text/highlight";
import { blocks, plain } from "../text/markdown";
import type { Block, Style } from "../text/markdown";

interface Props {
  text: string;
  /** What is to be marked in the words of a block; the id says what it is. */
  marks?: (words: string) => Span[];
  /** What a mark tells those who point at it or hear it. */
  title?: (id: string) => string;
}

export const Markdown = memo(function Markdown({ text, marks = () => [], title = () => "" }: Props) {
  return <>{grouped(blocks(text)).map((group, number) => <Group key={number} group={group} inline={(block) => inline(block, marks(plain(block)), title)} />)}</>;
});

/** Neighbouring items of one list together, every other block alone. */
function grouped(all: Block[]): Block[][] {
  const groups: Block[][] = [];
  for (const block of all) {
    const last = groups.at(-1)?.[0];
    if (last && block.kind === "item" && last.kind === "item" && last.ordered === block.ordered) groups.at(-1)!.push(block);
    else groups.push([block]);
  }
  return groups;
}

function Group({ group, inline }: { group: Block[]; inline: (block: Block) => ReactNode }) {
  const first = group[0]!;
  if (first.kind === "paragraph") return <p>{inline(first)}</p>;
  if (first.kind === "heading") return first.level === 1 ? <h2 className="title">{inline(first)}</h2> : <h3>{inline(first)}</h3>;
  const items = group.map((block, number) => <li key={number}>{inline(block)}</li>);
  return first.ordered ? <ol>{items}</ol> : <ul>{items}</ul>;
}

function inline(block: Block, marks: Span[], title: (id: string) => string): ReactNode[] {
  let start = 0;
  const styled = block.runs.flatMap((run) => {
    const from = start;
    start += run.text.length;
    return run.styles.map((style) => ({ start: from, end: start, id: `style ${style}` }));
  });
  return pieces(plain(block), [...styled, ...marks]).map((piece, number) => {
    const mark = piece.ids.find((id) => !id.startsWith("style "));
    const words = piece.ids.reduce<ReactNode>((inner, id) => (id.startsWith("style ") ? in_(id.slice(6) as Style, inner) : inner), piece.text);
    return mark === undefined ? (
      <span key={number}>{words}</span>
    ) : (
      <mark key={number} title={title(mark)}>
        {words}
      </mark>
    );
  });
}

function in_(style: Style, inner: ReactNode): ReactNode {
  switch (style) {
    case "strong":
      return <strong>{inner}</strong>;
    case "em":
      return <em>{inner}</em>;
    case "code":
      return <code>{inner}</code>;
  }
}
