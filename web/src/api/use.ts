/** Hooks that load from the server and keep what they loaded fresh. */

import { useCallback, useEffect, useRef, useState } from "react";

import { said } from "./client";

export interface Loaded<Value> {
  value: Value | null;
  problem: string;
  /** Load once more, now. */
  again: () => Promise<void>;
}

/**
 * Load a value, and load it again at intervals while `every` is above 0.
 *
 * @param load - Asks the server; must be stable (`useCallback`).
 * @param every - Milliseconds between two loads; 0 for a single one.
 */
export function useLoaded<Value>(load: () => Promise<Value>, every = 0): Loaded<Value> {
  const [value, setValue] = useState<Value | null>(null);
  const [problem, setProblem] = useState("");
  const newest = useRef(0);

  const again = useCallback(async () => {
    const mine = ++newest.current;
    try {
      const loaded = await load();
      if (mine !== newest.current) return; // a later request was made meanwhile
      setValue(loaded);
      setProblem("");
    } catch (error) {
      if (mine === newest.current) setProblem(said(error));
    }
  }, [load]);

  useEffect(() => {
    setValue(null);
    void again();
    return () => {
      newest.current++;
    };
  }, [again]);

  useEffect(() => {
    if (!every) return;
    const timer = setInterval(() => {
      if (!document.hidden) void again();
    }, every);
    return () => clearInterval(timer);
  }, [again, every]);

  return { value, problem, again };
}

/** A value that this browser remembers; a browser that keeps nothing simply forgets it. */
export function useRemembered<Value>(name: string, initial: Value): [Value, (value: Value) => void] {
  const [value, setValue] = useState<Value>(() => {
    try {
      const kept = localStorage.getItem(`draftroom.${name}`);
      return kept === null ? initial : (JSON.parse(kept) as Value);
    } catch {
      return initial;
    }
  });
  const keep = useCallback(
    (next: Value) => {
      setValue(next);
      try {
        localStorage.setItem(`draftroom.${name}`, JSON.stringify(next));
      } catch {
        // private windows may refuse; the value holds until the page is closed
      }
    },
    [name],
  );
  return [value, keep];
}
