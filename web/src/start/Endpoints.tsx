/** Which model servers answer, and what to do about those that do not. */

import { useState } from "react";

import type { Endpoint } from "../api/types";
import { capital } from "../parts/words";

export function Endpoints({ endpoints, again }: { endpoints: Endpoint[]; again: () => Promise<void> }) {
  const [busy, setBusy] = useState(false);
  const silent = endpoints.filter((endpoint) => !endpoint.answers);
  async function look() {
    setBusy(true);
    await again();
    setBusy(false);
  }
  return (
    <section className="card endpoints" aria-labelledby="models">
      <h2 id="models">Models</h2>
      <ul className="plain">
        {endpoints.map((endpoint) => (
          <li key={endpoint.roles + endpoint.model}>
            <span className={endpoint.answers ? "lamp on" : "lamp"} aria-hidden="true" />
            <span>
              <b>{endpoint.model || "no model named"}</b> {endpoint.answers ? "answers" : "does not answer"}
              <span className="soft small">
                {capital(endpoint.roles.split(":")[0]!)} · {endpoint.base_url}
              </span>
              {!endpoint.answers && <span className="small">{endpoint.problem}</span>}
            </span>
          </li>
        ))}
      </ul>
      {silent.length > 0 && (
        <div className="small">
          <p>A run needs a model. In a terminal, one of these:</p>
          <ul>
            <li>
              <code>draftroom models up</code> starts models on this machine;
            </li>
            <li>
              <code>draftroom.toml</code> names a server that you have, as{" "}
              <code>[models.default] base_url = "…"</code>;
            </li>
            <li>
              <code>draftroom doctor</code> says what is wrong.
            </li>
          </ul>
          <p>“Check” needs none.</p>
        </div>
      )}
      <button type="button" onClick={() => void look()} disabled={busy}>
        {busy ? "Looking …" : "Look again"}
      </button>
    </section>
  );
}
