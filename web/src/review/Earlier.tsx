/** What became of the comments on the version before. */

import type { EarlierComment } from "../api/types";
import { Diff } from "../parts/Diff";
import { capital, counted } from "../parts/words";

const STATUSES = { open: "Still open", addressed: "Addressed", gone: "Gone" };
const MEANINGS = {
  open: "",
  addressed: "Its paragraph was changed, and the new review raises nothing of the kind there.",
  gone: "Its paragraph is not in this version.",
};

export function Earlier({ comments }: { comments: EarlierComment[] }) {
  if (!comments.length) return null;
  const by = (Object.keys(STATUSES) as (keyof typeof STATUSES)[]).map((status) => ({
    status,
    found: comments.filter((each) => each.status === status),
  }));
  const told = by.filter(({ found }) => found.length).map(({ status, found }) => `${found.length} ${STATUSES[status].toLowerCase()}`);
  return (
    <details className="card earlier" open>
      <summary>
        <h2>
          {counted(comments.length, "comment")} on the version before: {told.join(", ")}
        </h2>
      </summary>
      <ul className="plain">{by.flatMap(({ found }) => found.map((each) => <One key={`${each.status} ${each.comment.id}`} earlier={each} />))}</ul>
    </details>
  );
}

function One({ earlier: { comment, status, paragraph, before, now } }: { earlier: EarlierComment }) {
  const changed = now !== "" && before.split(/\s+/).join(" ") !== now.split(/\s+/).join(" ");
  return (
    <li>
      <h3>
        <span className={`state ${status}`}>{STATUSES[status]}</span> {capital(comment.label)}{" "}
        <span className="soft small">{[comment.section, paragraph || comment.paragraph].filter(Boolean).join(", ")}</span>
      </h3>
      {comment.quote && <blockquote>{comment.quote}</blockquote>}
      <p>{comment.review}</p>
      {MEANINGS[status] && <p className="small soft">{MEANINGS[status]}</p>}
      {changed ? (
        <details className="small">
          <summary>What changed in its paragraph</summary>
          <p className="changes">
            <Diff before={before} after={now} />
          </p>
        </details>
      ) : (
        status === "open" && <p className="small soft">Its paragraph has the same words as before.</p>
      )}
    </li>
  );
}
