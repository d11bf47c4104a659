/** Drop a file, choose one, or paste a text. */

import { useState } from "react";
import type { DragEvent } from "react";

import type { Given } from "../api/client";
import { grouped } from "../parts/words";

interface Props {
  given: Given;
  change: (given: Given) => void;
  suffixes: string[];
  maxBytes: number;
}

export function GivePaper({ given, change, suffixes, maxBytes }: Props) {
  const [over, setOver] = useState(false);
  const [problem, setProblem] = useState("");

  function take(file: File | undefined) {
    if (!file) return;
    if (file.size > maxBytes) {
      setProblem(`${file.name} is larger than ${grouped(Math.floor(maxBytes / 1e6))} MB; give the paper without its attachments.`);
      return;
    }
    setProblem("");
    change({ file });
  }

  function dropped(event: DragEvent) {
    event.preventDefault();
    setOver(false);
    const text = event.dataTransfer.getData("text/plain");
    if (event.dataTransfer.files.length) take(event.dataTransfer.files[0]);
    else if (text) change({ text });
  }

  return (
    <div
      className={over ? "give over" : "give"}
      onDragOver={(event) => (event.preventDefault(), setOver(true))}
      onDragLeave={() => setOver(false)}
      onDrop={dropped}
    >
      {given.file ? (
        <p className="given">
          <span>
            <b>{given.file.name}</b> <span className="soft">{grouped(Math.ceil(given.file.size / 1000))} kB</span>
          </span>
          <button type="button" onClick={() => change({})}>
            Take another
          </button>
        </p>
      ) : (
        <>
          <p>
            <label className="file">
              <input
                type="file"
                accept={suffixes.join(",")}
                onChange={(event) => take(event.target.files?.[0])}
              />
              <span>Choose a file</span>
            </label>{" "}
            <span>or drop it here: PDF, Word, LaTeX, Markdown, HTML or text</span>
          </p>
          <label className="field">
            <span>Or paste the text</span>
            <textarea rows={4} value={given.text ?? ""} onChange={(event) => change({ text: event.target.value })} />
          </label>
        </>
      )}
      {problem && (
        <p className="problem" role="alert">
          {problem}
        </p>
      )}
    </div>
  );
}
