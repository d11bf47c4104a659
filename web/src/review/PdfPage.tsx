/** A page of a PDF, drawn when it comes near the window, with words marked on it and cards beside it. */

import type { PageViewport, PDFDocumentProxy } from "pdfjs-dist";
import { useEffect, useMemo, useRef, useState } from "react";
import type { MouseEvent, ReactNode } from "react";

import type { Word } from "../api/types";
import { tone } from "./notes";
import type { Note } from "./notes";
import { drawPage, rectangles } from "./pdf";
import type { Rectangle } from "./pdf";
import { Stack } from "./Stack";

/** Words of the paper that are marked, perhaps on several pages. */
export interface Marked {
  id: string;
  /** What they are marked for; null for a passage that evidence led to. */
  note: Note | null;
  words: Word[];
  /** Where it is about: the first of the words, or of the paragraph. */
  at: Word | undefined;
}

interface Props {
  file: PDFDocumentProxy;
  number: number;
  /** In pixels. */
  width: number;
  /** Height by width, until the page itself is known. */
  ratio: number;
  marked: readonly Marked[];
  /** Those whose cards stand beside this page. */
  beside: readonly Marked[];
  current: string;
  choose: (id: string) => void;
  card: (note: Note) => ReactNode;
}

export function PdfPage({ file, number, width, ratio, marked, beside, current, choose, card }: Props) {
  const page = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const layer = useRef<HTMLDivElement>(null);
  const near = useNear(page);
  const [viewport, setViewport] = useState<PageViewport | null>(null);
  const height = viewport?.height ?? width * ratio;

  useEffect(() => {
    if (!near) return;
    const closing = new AbortController();
    async function draw() {
      const proxy = await file.getPage(number);
      const shown = proxy.getViewport({ scale: width / proxy.getViewport({ scale: 1 }).width });
      if (closing.signal.aborted) return;
      setViewport(shown);
      await drawPage(proxy, shown, canvas.current!, layer.current!, closing.signal);
    }
    draw().catch(() => undefined); // cancelled, or a page that pdf.js cannot draw: its notes stand beside it all the same
    return () => closing.abort();
  }, [near, file, number, width]);

  const marks = useMemo(
    () =>
      marked.map(({ id, note, words }) => ({
        id,
        note,
        boxes: viewport ? rectangles(words.filter((word) => word.page === number), viewport) : [],
      })),
    [marked, number, viewport],
  );

  const passage = marked.find((each) => !each.note && each.at?.page === number);
  useEffect(() => {
    if (passage) (page.current?.querySelector(".passage") ?? page.current)?.scrollIntoView({ block: "center" });
  }, [passage, viewport]);

  // The card that a person is at moves to its words once the page is drawn.
  const drawn = viewport !== null;
  useEffect(() => {
    if (!drawn || !beside.some((each) => each.id === current)) return;
    requestAnimationFrame(() => document.getElementById(`note-${current}`)?.scrollIntoView({ block: "center", behavior: "instant" }));
  }, [drawn]);

  function clicked(event: MouseEvent) {
    const frame = page.current!.getBoundingClientRect();
    const [x, y] = [(event.clientX - frame.left) / frame.width, (event.clientY - frame.top) / frame.height];
    const hit = marks.find((mark) => mark.note && mark.boxes.some((box) => inside(box, x, y)));
    if (hit) choose(hit.id);
  }

  const top = (at: Word | undefined) => (at && viewport ? rectangles([at], viewport)[0]!.top * height : 0);
  const cards = beside.flatMap(({ id, note, at }) => (note ? [{ id, y: top(at), card: card(note) }] : []));
  return (
    <section className="with-notes page-row" aria-labelledby={`page-${number}`}>
      <h2 className="unseen" id={`page-${number}`}>
        Page {number}
      </h2>
      <div
        className="page"
        ref={page}
        style={{ height, "--total-scale-factor": viewport?.scale, "--scale-factor": viewport?.scale } as React.CSSProperties}
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
