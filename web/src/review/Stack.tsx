import { useLayoutEffect, useRef, useState } from "react";
import type { ReactNode } from "react";

import { stack } from "./stack";

interface Props {
  cards: { id: string; y: number; card: ReactNode }[];
  /** Height of what they stand beside. */
  height: number;
}

const GAP = 10;

/** Cards beside a page, each at the height of its words, none over another. */
export function Stack({ cards, height }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const [heights, setHeights] = useState<number[]>([]);
  useLayoutEffect(() => {
    const children = [...(box.current?.children ?? [])] as HTMLElement[];
    const measure = () =>
      setHeights((before) => {
        const now = children.map((child) => child.offsetHeight);
        return now.length === before.length && now.every((each, index) => each === before[index]) ? before : now;
      });
    const watching = new ResizeObserver(measure);
    for (const child of children) watching.observe(child);
    measure();
    return () => watching.disconnect();
  }, [cards.length]);
  const tops = stack(cards.map(({ y }) => y), heights, GAP);
  const bottom = cards.length ? tops.at(-1)! + (heights[cards.length - 1] ?? 0) : 0;
  return (
    <div className="stack" ref={box} style={{ minHeight: Math.max(height, bottom) }}>
      {cards.map(({ id, card }, index) => (
        <div key={id} style={{ top: tops[index] }}>
          {card}
        </div>
      ))}
    </div>
  );
}
