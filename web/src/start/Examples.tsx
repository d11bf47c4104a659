/** For a first visit: papers that come with Draftroom, what models have made of each, and a way to take one. */

import { exampleResult } from "../api/client";
import type { Example } from "../api/types";
import { capital } from "../parts/words";

export function Examples({ examples, take }: { examples: Example[]; take: (example: Example) => void }) {
  return (
    <section className="examples" aria-labelledby="examples">
      <h2 id="examples">Examples</h2>
      <ul className="plain">
        {examples.map((example) => (
          <li key={example.name}>
            <span>
              <b>{capital(example.verb)}</b> {example.paper}
              <span className="soft small"> by {example.models.join(" and ")}</span>
            </span>
            <a href={exampleResult(example.name)} target="_blank" rel="noreferrer">
              See the result<span className="unseen"> of {example.name}</span>
            </a>
            <button type="button" onClick={() => take(example)}>
              Take {example.paper}
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}
