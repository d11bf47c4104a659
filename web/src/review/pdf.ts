/** PDF pages by pdf.js: drawing them, and where the words of a quote lie on them. */

import type { PDFDocumentProxy, PDFPageProxy } from "pdfjs-dist";
import workerAddress from "pdfjs-dist/legacy/build/pdf.worker.min.mjs?url";

import { essence } from "../text/highlight";

/** A rectangle as shares of its page, from the upper left corner. */
export interface Rectangle {
  left: number;
  top: number;
  width: number;
  height: number;
}

/** pdf.js is large: it is loaded when a PDF is shown for the first time. */
export async function openPdf(address: string, signal: AbortSignal): Promise<PDFDocumentProxy> {
  const pdfjs = await import("pdfjs-dist/legacy/build/pdf.mjs");
  pdfjs.GlobalWorkerOptions.workerSrc = workerAddress;
  const loading = pdfjs.getDocument({ url: address, isEvalSupported: false, useWasm: false, verbosity: 0 });
  signal.addEventListener("abort", () => void loading.destroy());
  return loading.promise;
}

/** Draw a page and lay its words over it, invisible but there to be selected and read aloud; returns their elements. */
export async function drawPage(
  page: PDFPageProxy,
  scale: number,
  canvas: HTMLCanvasElement,
  layer: HTMLDivElement,
  signal: AbortSignal,
): Promise<HTMLElement[]> {
  const { TextLayer } = await import("pdfjs-dist/legacy/build/pdf.mjs");
  const viewport = page.getViewport({ scale });
  const sharp = Math.min(devicePixelRatio || 1, 2);
  canvas.width = Math.floor(viewport.width * sharp);
  canvas.height = Math.floor(viewport.height * sharp);
  const drawing = page.render({ canvas, viewport, transform: [sharp, 0, 0, sharp, 0, 0] });
  signal.addEventListener("abort", () => drawing.cancel());
  await drawing.promise;
  layer.replaceChildren();
  const words = new TextLayer({ textContentSource: page.streamTextContent(), container: layer, viewport });
  signal.addEventListener("abort", () => words.cancel());
  await words.render();
  return words.textDivs;
}

export interface Stretch {
  /** Index of a piece of the page's text. */
  item: number;
  start: number;
  end: number;
}

/** Where a quote lies in the pieces of a page's text, without regard to spaces and hyphens at the ends of lines. */
export function stretches(items: readonly string[], quote: string): Stretch[] {
  const whole = items.join("");
  const [letters, places] = essence(whole);
  const [wanted] = essence(quote);
  const found = wanted ? letters.indexOf(wanted) : -1;
  if (found < 0) return [];
  const [from, to] = [places[found]!, places[found + wanted.length - 1]! + 1];
  let before = 0;
  return items.flatMap((item, index) => {
    const start = Math.max(from - before, 0);
    const end = Math.min(to - before, item.length);
    before += item.length;
    return start < end ? [{ item: index, start, end }] : [];
  });
}

/** The rectangles of a quote on its page, one for each piece of a line. */
export function rectangles(words: readonly HTMLElement[], quote: string, page: DOMRect): Rectangle[] {
  return stretches(words.map((word) => word.textContent), quote).flatMap(({ item, start, end }) => {
    const text = words[item]!.firstChild;
    if (!text) return [];
    const range = document.createRange();
    range.setStart(text, start);
    range.setEnd(text, end);
    return [...range.getClientRects()].map((box) => ({
      left: (box.left - page.left) / page.width,
      top: (box.top - page.top) / page.height,
      width: box.width / page.width,
      height: box.height / page.height,
    }));
  });
}
