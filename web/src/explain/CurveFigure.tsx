import type { Assessment } from "../api/types";
import { MEASURES, SIZE, drawing } from "./curve";

/** How hard each draft is to read: lower is easier. The table says the same in numbers. */
export function CurveFigure({ assessments, round }: { assessments: Assessment[]; round: number }) {
  if (!assessments.length) return null;
  const { curves, grades, rounds } = drawing(assessments);
  const end = rounds.at(-1)!.x;
  return (
    <figure className="curve">
      <figcaption>Readability in school grades; lower is easier</figcaption>
      <svg viewBox={`0 0 ${SIZE.width} ${SIZE.height}`} role="img" aria-label="Four measures of readability over the drafts; the table below has the numbers">
        {grades.map(({ grade, y }) => (
          <g key={grade}>
            <line className="grid" x1={rounds[0]!.x} x2={end} y1={y} y2={y} />
            <text className="scale" x={rounds[0]!.x - 8} y={y + 4} textAnchor="end">
              {grade}
            </text>
          </g>
        ))}
        {rounds.map(({ round: number, x }) => (
          <text key={number} className={number === round ? "scale chosen" : "scale"} x={x} y={SIZE.height - 8} textAnchor="middle">
            {number}
          </text>
        ))}
        {curves.map(({ measure, points, label }) => (
          <g key={measure} className={`measure ${measure}`}>
            <polyline points={points.map((point) => point.join(",")).join(" ")} />
            {points.map(([x, y], number) => (
              <circle key={number} cx={x} cy={y} r={rounds[number]!.round === round ? 5 : 3} />
            ))}
            <line className="lead" x1={end + 4} y1={points.at(-1)![1]} x2={end + 14} y2={label} />
            <text x={end + 18} y={label + 4}>
              {MEASURES[measure]}
            </text>
          </g>
        ))}
      </svg>
      <details>
        <summary>The numbers</summary>
        <table className="costs">
          <thead>
            <tr>
              <th scope="col">Draft</th>
              {Object.values(MEASURES).map((name) => (
                <th scope="col" key={name}>
                  {name}
                </th>
              ))}
              <th scope="col">Words</th>
            </tr>
          </thead>
          <tbody>
            {assessments.map((assessment) => (
              <tr key={assessment.round}>
                <th scope="row">{assessment.round}</th>
                {(Object.keys(MEASURES) as (keyof typeof MEASURES)[]).map((measure) => (
                  <td key={measure}>{assessment.readability[measure].toFixed(1)}</td>
                ))}
                <td>{assessment.readability.words}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </details>
    </figure>
  );
}
