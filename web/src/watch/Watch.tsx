import type { RunView } from "../api/types";

export function Watch({ view }: { view: RunView; again: () => Promise<void> }) {
  return <p>{view.status}</p>;
}
