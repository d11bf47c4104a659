import { memo } from "react";

import type { Source } from "../api/types";

/** The paper as it was read, to stand beside what was made of it. */
export const SourceText = memo(function SourceText({ source }: { source: Source }) {
  return (
    <div className="prose">
      <h2 className="title">{source.title}</h2>
      {source.paragraphs.map((paragraph, index) => (
        <div key={paragraph.id}>
          {paragraph.section && paragraph.section !== source.paragraphs[index - 1]?.section && <h3>{paragraph.section}</h3>}
          <p>{paragraph.text}</p>
        </div>
      ))}
    </div>
  );
});
