/** The frame of the page: its head, and the view that the address names (`#/`, `#/run/ID`, `#/check`). */

import { useEffect, useRef, useSyncExternalStore } from "react";

import { ThemeChoice } from "./parts/ThemeChoice";
import { Run } from "./Run";
import { Check } from "./start/Check";
import { StartView } from "./start/Start";

function listen(changed: () => void): () => void {
  addEventListener("hashchange", changed);
  return () => removeEventListener("hashchange", changed);
}

/** The parts of the address after `#/`. */
function usePlace(): string[] {
  const hash = useSyncExternalStore(listen, () => location.hash);
  return hash.replace(/^#\/?/, "").split("/").filter(Boolean).map(decoded);
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

export function App() {
  const [what, id] = usePlace();
  const main = useRef<HTMLElement>(null);
  const place = `${what ?? ""}/${id ?? ""}`;
  const shown = useRef(place);
  useEffect(() => {
    if (shown.current === place) return; // the first view leaves the focus where the browser puts it
    shown.current = place;
    scrollTo(0, 0);
    main.current?.focus();
  }, [place]);
  return (
    <>
      <a className="skip" href="#main" onClick={(event) => (event.preventDefault(), main.current?.focus())}>
        Skip to the content
      </a>
      <header className="head">
        <a className="home" href="#/">
          <img src="./icon.svg" alt="" width="22" height="22" />
          Draftroom
        </a>
        <nav aria-label="Pages">
          <a href="#/" aria-current={what === undefined ? "page" : undefined}>
            Start
          </a>
          <a href="#/check" aria-current={what === "check" ? "page" : undefined}>
            Check
          </a>
        </nav>
        <ThemeChoice />
      </header>
      <main id="main" ref={main} tabIndex={-1}>
        {what === "run" && id ? <Run key={id} id={id} /> : what === "check" ? <Check /> : <StartView />}
      </main>
    </>
  );
}
