import type { RunView, SimplificationResult } from "../api/types";

export function Simplify({ view }: { view: RunView<SimplificationResult>; again: () => Promise<void> }) {
  return <p>{view.result.simplified}</p>;
}
