/** A page of a PDF. It is drawn when it comes near the window, and its words are looked for then. */

import type { PDFDocumentProxy } from "pdfjs-dist";
import { useEffect, useMemo, useRef, useState } from "react";
import type { MouseEvent, ReactNode } from "react";

import { tone } from "./notes";
import type { Note } from "./notes";
import { drawPage, rectangles } from "./pdf";
import type { Rectangle } from "./pdf";
import { Stack } from "./Stack";

interface Props {
  file: PDFDocumentProxy;
  number: number;
  /** In pixels. */
  width: number;
  /** Height by width, until the page itself is known. */
  ratio: number;
  notes: Note[];
  current: string;
  /** Words that evidence led to; empty if they are elsewhere. */
  passage: string;
  choose: (id: string) => void;
  card: (note: Note) => ReactNode;
}

export function PdfPage({ file, number, width, ratio, notes, current, passage, choose, card }: Props) {
  const page = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const layer = useRef<HTMLDivElement>(null);
  const near = useNear(page);
  const [height, setHeight] = useState(width * ratio);
  const [scale, setScale] = useState(1);
  const [words, setWords] = useState<HTMLElement[]>([]);

  useEffect(() => {
    if (!near) return;
    const closing = new AbortController();
    async function draw() {
      const proxy = await file.getPage(number);
      const whole = proxy.getViewport({ scale: 1 });
      setHeight((width * whole.height) / whole.width);
      setScale(width / whole.width);
      const found = await drawPage(proxy, width / whole.width, canvas.current!, layer.current!, closing.signal);
      if (!closing.signal.aborted) setWords(found);
    }
    draw().catch(() => undefined); // cancelled, or a page that pdf.js cannot draw: its notes stand beside it all the same
    return () => closing.abort();
  }, [near, file, number, width]);

  const marks = useMemo(() => {
    if (!page.current || !words.length) return [];
    const frame = page.current.getBoundingClientRect();
    const wanted = notes.map((note) => ({ id: note.id, quote: note.quote, note }));
    return [...wanted, { id: "passage", quote: passage, note: null }].map(({ id, quote, note }) => ({
      id,
      note,
      boxes: quote ? rectangles(words, quote, frame) : [],
    }));
  }, [words, notes, passage]);

  useEffect(() => {
    if (passage) (page.current?.querySelector(".passage") ?? page.current)?.scrollIntoView({ block: "center" });
  }, [passage, marks]);

  function clicked(event: MouseEvent) {
    const frame = page.current!.getBoundingClientRect();
    const [x, y] = [(event.clientX - frame.left) / frame.width, (event.clientY - frame.top) / frame.height];
    const hit = marks.find((mark) => mark.note && mark.boxes.some((box) => inside(box, x, y)));
    if (hit) choose(hit.id);
  }

  const place = (note: Note, index: number) => {
    const top = marks.find((mark) => mark.id === note.id)?.boxes[0]?.top;
    return (top ?? (index ? 1 : 0)) * height;
  };
  const cards = notes.map((note, index) => ({ id: note.id, y: place(note, index), card: card(note) }));
  return (
    <section className="with-notes page-row" aria-labelledby={`page-${number}`}>
      <h2 className="unseen" id={`page-${number}`}>
        Page {number}
      </h2>
      <div
        className="page"
        ref={page}
        style={{ height, "--total-scale-factor": scale, "--scale-factor": scale } as React.CSSProperties}
        onClick={clicked}
      >
        <canvas ref={canvas} aria-hidden="true" />
        <div className="marks" aria-hidden="true">
          {marks.flatMap(({ id, note, boxes }) =>
            boxes.map((box, index) => (
              <i
                key={`${id} ${index}`}
                className={note ? `${tone(note)} ${note.judgement.decision}${id === current ? " current" : ""}` : "passage"}
                style={{ left: `${box.left * 100}%`, top: `${box.top * 100}%`, width: `${box.width * 100}%`, height: `${box.height * 100}%` }}
              />
            )),
          )}
        </div>
        <div className="textLayer" ref={layer} />
      </div>
      <Stack cards={cards} height={height} />
    </section>
  );
}

const inside = (box: Rectangle, x: number, y: number): boolean =>
  x >= box.left && x <= box.left + box.width && y >= box.top && y <= box.top + box.height;

/** Whether an element has come near the window; once near, it stays so. */
function useNear(element: React.RefObject<HTMLElement | null>): boolean {
  const [near, setNear] = useState(false);
  useEffect(() => {
    const watching = new IntersectionObserver(([entry]) => entry?.isIntersecting && setNear(true), { rootMargin: "900px" });
    if (element.current) watching.observe(element.current);
    return () => watching.disconnect();
  }, [element]);
  return near;
}
