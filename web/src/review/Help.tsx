import { Dialog } from "../parts/Dialog";

interface Props {
  on: boolean;
  change: (on: boolean) => void;
  judged: boolean;
  close: () => void;
}

const WAYS: [string, string][] = [
  ["j", "next note"],
  ["k", "previous note"],
  ["x", "unfold its evidence"],
  ["?", "this help"],
];
const DECISIONS: [string, string][] = [
  ["a", "accept it, or take that back"],
  ["d", "dismiss it, or take that back"],
  ["e", "edit it"],
  ["r", "answer it"],
  ["Esc", "leave what you write as it was"],
];

/** Which keys do what, and a switch for them. */
export function Help({ on, change, judged, close }: Props) {
  return (
    <Dialog title="Keys" close={close}>
      <dl className="keys">
        {[...WAYS, ...(judged ? DECISIONS : [])].map(([key, what]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
      <label className="tick">
        <input type="checkbox" checked={on} onChange={(event) => change(event.target.checked)} />
        Use these keys
      </label>
      <p className="row">
        <button type="button" className="primary" onClick={close}>
          Close
        </button>
      </p>
    </Dialog>
  );
}
