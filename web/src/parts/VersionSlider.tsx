/** Which of the drafts or versions is shown. */

interface Props {
  label: string;
  first: number;
  last: number;
  shown: number;
  name: string;
  choose: (number: number) => void;
}

export function VersionSlider({ label, first, last, shown, name, choose }: Props) {
  return (
    <label className="rounds">
      <span className="small soft">{label}</span>
      <input
        type="range"
        min={first}
        max={Math.max(first + 1, last)}
        disabled={last <= first}
        value={shown}
        aria-valuetext={name}
        onChange={(event) => choose(Number(event.target.value))}
      />
      <output>{name}</output>
    </label>
  );
}
