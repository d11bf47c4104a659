import { useState } from "react";

import { editArticle, said } from "../api/client";
import { Problem } from "../parts/Problem";

interface Props {
  run: string;
  text: string;
  /** Called with the number of the draft that the edited text has become. */
  saved: (round: number) => Promise<void>;
  close: () => void;
}

/** The person edits the article; it becomes a draft of its own, and the guard looks at it. */
export function EditArticle({ run, text, saved, close }: Props) {
  const [written, setWritten] = useState(text);
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState("");
  async function save() {
    setBusy(true);
    setProblem("");
    try {
      await saved((await editArticle(run, written)).round);
    } catch (error) {
      setProblem(said(error));
      setBusy(false);
    }
  }
  return (
    <form
      className="editor"
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      <label className="field">
        <span>The article, in Markdown</span>
        <textarea rows={22} value={written} autoFocus onChange={(event) => setWritten(event.target.value)} />
      </label>
      <Problem text={problem} />
      <p className="row">
        <button className="primary" disabled={busy || !written.trim() || written === text}>
          {busy ? "Checking …" : "Keep it and look again"}
        </button>
        <button type="button" onClick={close}>
          Leave it as it was
        </button>
      </p>
    </form>
  );
}
