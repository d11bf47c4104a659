import { useState } from "react";

interface Props {
  text: string;
  busy: boolean;
  keep: (text: string) => Promise<void>;
  close: () => void;
}

/** The person edits the plain text; it becomes a version of its own, and the guard looks at it. */
export function EditPlainText({ text, busy, keep, close }: Props) {
  const [written, setWritten] = useState(text);
  return (
    <form
      className="editor"
      onSubmit={(event) => {
        event.preventDefault();
        void keep(written);
      }}
    >
      <label className="field">
        <span>The plain text</span>
        <textarea rows={18} value={written} autoFocus onChange={(event) => setWritten(event.target.value)} />
      </label>
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
