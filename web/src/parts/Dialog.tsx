import { useEffect, useId, useRef } from "react";
import type { ReactNode } from "react";

/** A dialog that takes the focus, gives it back, and closes with Escape. */
export function Dialog({ title, close, children }: { title: string; close: () => void; children: ReactNode }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const heading = useId();
  useEffect(() => {
    const before = document.activeElement as HTMLElement | null;
    if (!dialog.current?.open) dialog.current?.showModal();
    return () => before?.focus();
  }, []);
  return (
    <dialog aria-labelledby={heading} onClose={close} ref={dialog}>
      <h2 id={heading}>{title}</h2>
      {children}
    </dialog>
  );
}
