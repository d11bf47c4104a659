import { useEffect, useRef } from "react";

/**
 * Single keys as shortcuts, where nobody is typing and no dialog is open.
 *
 * @param keys - What each key does.
 * @param on - Whether they hold; a person can switch them off (WCAG 2.1.4).
 */
export function useKeys(keys: Record<string, () => void>, on: boolean): void {
  const newest = useRef(keys);
  useEffect(() => {
    newest.current = keys;
  });
  useEffect(() => {
    if (!on) return;
    function pressed(event: KeyboardEvent) {
      const target = event.target as HTMLElement;
      if (event.ctrlKey || event.metaKey || event.altKey || target.closest("input, textarea, select, dialog")) return;
      const action = newest.current[event.key];
      if (!action) return;
      event.preventDefault();
      action();
    }
    addEventListener("keydown", pressed);
    return () => removeEventListener("keydown", pressed);
  }, [on]);
}
