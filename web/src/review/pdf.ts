/** PDF pages by pdf.js: drawing them, and where words lie on them. */

import type { PageViewport, PDFDocumentProxy, PDFPageProxy } from "pdfjs-dist";
import workerAddress from "pdfjs-dist/legacy/build/pdf.worker.min.mjs?url";

import type { Word } from "../api/types";

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

/** Draw a page and lay its words over it, invisible but there to be selected and read aloud. */
export async function drawPage(
  page: PDFPageProxy,
  viewport: PageViewport,
  canvas: HTMLCanvasElement,
  layer: HTMLDivElement,
  signal: AbortSignal,
): Promise<void> {
  const { TextLayer } = await import("pdfjs-dist/legacy/build/pdf.mjs");
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
}

/** The rectangles of some words of a page, in reading order: one for each line. */
export function rectangles(words: readonly Word[], viewport: PageViewport): Rectangle[] {
  const lines: Rectangle[] = [];
  for (const { box } of words) {
    const next = onScreen(box, viewport);
    const line = lines.at(-1);
    if (line && goesOn(line, next)) lines[lines.length - 1] = around(line, next);
    else lines.push(next);
  }
  return lines;
}

function onScreen([left, lower, right, upper]: Word["box"], viewport: PageViewport): Rectangle {
  const corners = [viewport.convertToViewportPoint(left, lower), viewport.convertToViewportPoint(right, upper)] as [number, number][];
  const [xs, ys] = [corners.map(([x]) => x / viewport.width), corners.map(([, y]) => y / viewport.height)];
  return { left: Math.min(...xs), top: Math.min(...ys), width: Math.abs(xs[1]! - xs[0]!), height: Math.abs(ys[1]! - ys[0]!) };
}

/** Whether a word stands at the height of a line, to the right of its beginning. */
function goesOn(line: Rectangle, word: Rectangle): boolean {
  const common = Math.min(line.top + line.height, word.top + word.height) - Math.max(line.top, word.top);
  return word.left >= line.left && common >= Math.min(line.height, word.height) / 2;
}

function around(one: Rectangle, other: Rectangle): Rectangle {
  const [left, top] = [Math.min(one.left, other.left), Math.min(one.top, other.top)];
  const right = Math.max(one.left + one.width, other.left + other.width);
  const bottom = Math.max(one.top + one.height, other.top + other.height);
  return { left, top, width: right - left, height: bottom - top };
}
