/** The system as a figure, with those at work marked. */

import type { System } from "../api/types";
import { DOING, counted } from "../parts/words";
import { BOX, FIGURES, WIDTH, line } from "./figures";
import type { Box } from "./figures";

interface Props {
  system: System;
  /** Roles that are at work now. */
  working: Set<string>;
  /** Whether the run waits for the person. */
  waiting: boolean;
  calls: Map<string, number>;
}

export function GraphFigure({ system, working, waiting, calls }: Props) {
  const figure = FIGURES[system];
  const by = new Map(figure.boxes.map((box) => [box.id, box]));
  const atWork = (box: Box) => (box.role ? working.has(box.role) : box.id === "person" && waiting);
  const names = figure.boxes.filter(atWork).map((box) => box.label);
  return (
    <svg
      className="figure"
      viewBox={`0 0 ${WIDTH} ${figure.height}`}
      role="img"
      aria-label={`${DOING[system]}: ${names.length ? `at work: ${names.join(", ")}` : "nobody is at work"}`}
    >
      <defs>
        <marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto-start-reverse">
          <path d="M0 0 8 4 0 8z" />
        </marker>
      </defs>
      {figure.arrows.map(([from, to, aside]) => {
        const { from: start, to: end } = line(by.get(from)!, by.get(to)!, aside);
        return <path key={from + to} className="arrow" d={`M${start.join(" ")} L${end.join(" ")}`} markerEnd="url(#tip)" />;
      })}
      {figure.boxes.map((box) => (
        <g key={box.id} className={`box${atWork(box) ? " at-work" : ""}${box.role ? "" : " no-agent"}`}>
          <rect x={box.x - BOX.width / 2} y={box.y - BOX.height / 2} width={BOX.width} height={BOX.height} rx="9" />
          <text x={box.x} y={box.y + (calls.get(box.role) ? -2 : 5)}>
            {box.label}
          </text>
          {calls.get(box.role) !== undefined && (
            <text className="count" x={box.x} y={box.y + 13}>
              {counted(calls.get(box.role)!, "call")}
            </text>
          )}
        </g>
      ))}
    </svg>
  );
}
