/** A person edits a result; it becomes a version of its own, and the guard looks at it. */

import { useState } from "react";

interface Props {
  label: string;
  text: string;
  busy: boolean;
  keep: (text: string) => void;
  close: () => void;
}

export function EditText({ label, text, busy, keep, close }: Props) {
  const [written, setWritten] = useState(text);
  return (
    <form
      className="editor"
      onSubmit={(event) => {
        event.preventDefault();
        keep(written);
      }}
    >
      <label className="field">
        <span>{label}</span>
        <textarea rows={20} value={written} autoFocus onChange={(event) => setWritten(event.target.value)} />
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
