/** Follow a run on LangGraph's server, from its beginning, as often as the page is opened. */

import { Client } from "@langchain/langgraph-sdk/client";
import { useEffect, useState } from "react";

import type { System } from "../api/types";
import { NOTHING_YET, take } from "./progress";
import type { Progress } from "./progress";

const PAUSE = 150; // milliseconds between two drawings, however many tokens come

interface Followed {
  progress: Progress;
  /** Whether the stream is there; without it the page asks for the run itself. */
  live: boolean;
}

/**
 * @param run - The server's id of the attempt that is under way; null if none is.
 * @param ended - Called when the stream ends, whatever the reason.
 */
export function useStream(system: System | null, thread: string, run: string | null, ended: () => void): Followed {
  const [progress, setProgress] = useState(NOTHING_YET);
  const [live, setLive] = useState(false);
  useEffect(() => {
    setProgress(NOTHING_YET);
    if (!run || !system) return;
    const closing = new AbortController();
    let newest = NOTHING_YET;
    let drawn = newest;
    const drawing = setInterval(() => {
      if (drawn !== newest) setProgress((drawn = newest));
    }, PAUSE);
    async function follow() {
      try {
        const client = new Client({ apiUrl: location.origin });
        const parts = client.runs.joinStream(thread, run!, {
          signal: closing.signal,
          lastEventId: "-1", // from the first event on
          streamMode: ["custom", "updates"],
        });
        setLive(true);
        for await (const part of parts) newest = take(newest, part, system!);
      } catch {
        // the run goes on without its stream, and the page asks for it instead
      }
      if (closing.signal.aborted) return;
      setLive(false);
      setProgress(NOTHING_YET);
      ended();
    }
    void follow();
    return () => {
      closing.abort();
      clearInterval(drawing);
      setLive(false);
    };
  }, [system, thread, run, ended]);
  return { progress, live };
}
