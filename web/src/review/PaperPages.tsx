/** The paper as its PDF pages, with the words of the notes marked on them and the notes beside. */

import type { PDFDocumentProxy } from "pdfjs-dist";
import { useEffect, useMemo, useRef, useState } from "react";
import type { ReactNode } from "react";

import { paperAddress, said, words as wordsOf } from "../api/client";
import type { Paragraph, Word } from "../api/types";
import { characters } from "../text/highlight";
import type { Span } from "../text/highlight";
import { spansIn } from "./notes";
import type { Note } from "./notes";
import { openPdf } from "./pdf";
import { PdfPage } from "./PdfPage";
import type { Marked } from "./PdfPage";

interface Props {
  /** The run whose paper it is. */
  run: string;
  paragraphs: Paragraph[];
  notes: Note[];
  current: string;
  passage: { paragraph: string; span: Span } | null;
  choose: (id: string) => void;
  card: (note: Note) => ReactNode;
  /** Called with what is wrong if the PDF cannot be shown. */
  failed: (problem: string) => void;
}

export function PaperPages({ run, paragraphs, notes, current, passage, choose, card, failed }: Props) {
  const [pdf, setPdf] = useState<{ file: PDFDocumentProxy; ratio: number; words: Record<string, Word[]> } | null>(null);
  const [width, setWidth] = useState(0);
  const box = useRef<HTMLDivElement>(null);

  useEffect(() => {
    const closing = new AbortController();
    async function open() {
      const [file, words] = await Promise.all([openPdf(paperAddress(run), closing.signal), wordsOf(run)]);
      const { width: wide, height } = (await file.getPage(1)).getViewport({ scale: 1 });
      if (!closing.signal.aborted) setPdf({ file, ratio: height / wide, words });
    }
    open().catch((error: unknown) => closing.signal.aborted || failed(said(error)));
    return () => closing.abort();
  }, [run, failed]);

  useEffect(() => {
    const watching = new ResizeObserver(([entry]) => entry && setWidth(Math.round(entry.contentRect.width)));
    if (box.current) watching.observe(box.current);
    return () => watching.disconnect();
  }, []);

  const pages = pdf?.file.numPages ?? 0;
  const marked = useMemo(() => {
    const places = marksOn(paragraphs, pdf?.words ?? {});
    const found = notes.map((note) => places(note.id, note, note.paragraph, (text) => spansIn(text, [note])[0]));
    return passage ? [...found, places("passage", null, passage.paragraph, () => passage.span)] : found;
  }, [paragraphs, pdf, notes, passage]);
  const home = ({ at, note }: Marked) => Math.min(Math.max(at?.page ?? note?.page ?? 1, 1), pages);
  return (
    <div className="pages">
      <div className="with-notes ruler" aria-hidden="true">
        <div ref={box} />
      </div>
      {!pdf && <p role="status">Opening the PDF …</p>}
      {pdf &&
        width > 0 &&
        Array.from({ length: pages }, (_, index) => (
          <PdfPage
            key={index}
            file={pdf.file}
            number={index + 1}
            width={width}
            ratio={pdf.ratio}
            marked={marked}
            beside={marked.filter((each) => home(each) === index + 1)}
            current={current}
            choose={choose}
            card={card}
          />
        ))}
    </div>
  );
}

/** Finds words of a paragraph among those that the reader of the PDF has placed. */
function marksOn(paragraphs: Paragraph[], placed: Record<string, Word[]>) {
  const texts = new Map(paragraphs.map((paragraph) => [paragraph.id, paragraph.text]));
  return (id: string, note: Note | null, paragraph: string, find: (text: string) => Span | undefined): Marked => {
    const [text, all] = [texts.get(paragraph) ?? "", placed[paragraph] ?? []];
    const span = find(text);
    const [from, to] = span ? [characters(text, span.start), characters(text, span.end)] : [0, 0];
    const words = all.filter((word) => word.start < to && word.end > from);
    return { id, note, words, at: words[0] ?? all[0] };
  };
}
