import type { JournalismResult, RunView } from "../api/types";

export function Explain({ view }: { view: RunView<JournalismResult>; again: () => Promise<void> }) {
  return <p>{view.result.article}</p>;
}
