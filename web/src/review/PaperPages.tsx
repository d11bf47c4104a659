/** The paper as its PDF pages, with the words of the notes marked on them and the notes beside. */

import type { PDFDocumentProxy } from "pdfjs-dist";
import { useEffect, useRef, useState } from "react";
import type { ReactNode } from "react";

import { said } from "../api/client";
import type { Note } from "./notes";
import { openPdf } from "./pdf";
import { PdfPage } from "./PdfPage";

interface Props {
  address: string;
  notes: Note[];
  current: string;
  passage: { quote: string; page: number } | null;
  choose: (id: string) => void;
  card: (note: Note) => ReactNode;
  /** Called with what is wrong if the PDF cannot be shown. */
  failed: (problem: string) => void;
}

export function PaperPages({ address, notes, current, passage, choose, card, failed }: Props) {
  const [pdf, setPdf] = useState<{ file: PDFDocumentProxy; ratio: number } | null>(null);
  const [width, setWidth] = useState(0);
  const box = useRef<HTMLDivElement>(null);

  useEffect(() => {
    const closing = new AbortController();
    async function open() {
      const file = await openPdf(address, closing.signal);
      const { width: wide, height } = (await file.getPage(1)).getViewport({ scale: 1 });
      if (!closing.signal.aborted) setPdf({ file, ratio: height / wide });
    }
    open().catch((error: unknown) => closing.signal.aborted || failed(said(error)));
    return () => closing.abort();
  }, [address, failed]);

  useEffect(() => {
    const watching = new ResizeObserver(([entry]) => entry && setWidth(Math.round(entry.contentRect.width)));
    if (box.current) watching.observe(box.current);
    return () => watching.disconnect();
  }, []);

  const pages = pdf?.file.numPages ?? 0;
  const on = (page: number) => notes.filter((note) => Math.min(Math.max(note.page, 1), pages) === page);
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
            notes={on(index + 1)}
            current={current}
            passage={passage?.page === index + 1 ? passage.quote : ""}
            choose={choose}
            card={card}
          />
        ))}
    </div>
  );
}
