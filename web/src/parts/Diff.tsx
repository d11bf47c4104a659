import { diffWordsWithSpace } from "diff";
import { memo } from "react";

/** What changed from one text to another, word by word. */
export const Diff = memo(function Diff({ before, after }: { before: string; after: string }) {
  return (
    <>
      {diffWordsWithSpace(before, after).map((part, number) =>
        part.added ? (
          <ins key={number}>{part.value}</ins>
        ) : part.removed ? (
          <del key={number}>{part.value}</del>
        ) : (
          part.value
        ),
      )}
    </>
  );
});
