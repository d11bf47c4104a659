/** What went wrong, said at once to those who listen. */
export function Problem({ text, again }: { text: string; again?: () => void }) {
  if (!text) return null;
  return (
    <div className="problem" role="alert">
      <p>{text}</p>
      {again && (
        <button type="button" onClick={again}>
          Try again
        </button>
      )}
    </div>
  );
}
