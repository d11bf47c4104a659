/** A sentence of the source, what became of it, and why. */

import { memo } from "react";

import type { LostDetail, TextChange } from "../api/types";
import { Diff } from "../parts/Diff";
import { capital, counted, spoken } from "../parts/words";
import { locate, pieces } from "../text/highlight";
import type { Row } from "./rows";

export interface Doing {
  putBack: (row: Row) => void;
  takeBack: (change: TextChange) => void;
}

interface Props extends Doing {
  row: Row;
  changes: boolean;
  /** Whether the text can be changed: it is the newest version, and nothing is being kept. */
  open: boolean;
}

const keyOf = (detail: LostDetail) => `${detail.kind} ${detail.text} ${detail.sentence}`;

export const PairRow = memo(function PairRow({ row, changes, open, putBack, takeBack }: Props) {
  const source = row.source.join(" ");
  const text = row.plain.join(" ");
  return (
    <div className={row.lost.length ? "pair with-loss" : "pair"}>
      <div>{source ? <Marked text={source} lost={row.lost} /> : <p className="alone">Not in the source</p>}</div>
      <div>
        {text ? <p>{changes && source ? <Diff before={source} after={text} /> : text}</p> : <p className="alone">Left out</p>}
        {!text && open && (
          <button type="button" onClick={() => putBack(row)}>
            Put it back
          </button>
        )}
      </div>
      {(row.lost.length > 0 || row.changes.length > 0) && (
        <div className="foot">
          {row.lost.length > 0 && <Lost row={row} open={open} putBack={putBack} />}
          {row.changes.length > 0 && (
            <details className="small">
              <summary>Why: {counted(row.changes.length, "change")}</summary>
              {row.changes.map((change, number) => (
                <Change key={number} change={change} open={open} takeBack={takeBack} />
              ))}
            </details>
          )}
        </div>
      )}
    </div>
  );
});

function Marked({ text, lost }: { text: string; lost: LostDetail[] }) {
  const spans = lost.flatMap((detail) => {
    const place = locate(text, detail.text);
    return place ? [{ ...place, id: keyOf(detail) }] : [];
  });
  return (
    <p>
      {pieces(text, spans).map((piece, number) => (piece.ids.length ? <mark key={number}>{piece.text}</mark> : piece.text))}
    </p>
  );
}

function Lost({ row, open, putBack }: Pick<Props, "row" | "open" | "putBack">) {
  return (
    <div className="lost">
      {row.lost.map((detail) => (
        <p key={keyOf(detail)}>
          Lost or changed: <b>{detail.text}</b> <span className="soft">({detail.kind})</span>
        </p>
      ))}
      {open && row.plain.length > 0 && (
        <button type="button" onClick={() => putBack(row)}>
          Put the source’s sentence back
        </button>
      )}
    </div>
  );
}

interface ChangeProps {
  change: TextChange;
  open: boolean;
  takeBack: (change: TextChange) => void;
}

export function Change({ change, open, takeBack }: ChangeProps) {
  const [done, by] = [capital(change.kind), `${spoken(change.loop)} loop, entry ${change.entry}, by the ${spoken(change.agent)}`];
  return (
    <div className="change">
      <p>
        <b>{done}</b>, {by}. <span className="soft">Because:</span> {change.because || "no reason was given"}
      </p>
      <p>
        {change.before ? <del>{change.before}</del> : <span className="soft">nothing</span>} →{" "}
        {change.after ? <ins>{change.after}</ins> : <span className="soft">nothing</span>}
      </p>
      {open && change.after && (
        <button type="button" onClick={() => takeBack(change)}>
          Take this change back
        </button>
      )}
    </div>
  );
}
