/** The three systems as small figures: who works, and who hands on to whom. The names are those of `graphs/`. */

import type { System } from "../api/types";

export interface Box {
  id: string;
  label: string;
  x: number;
  y: number;
  /** The agent, as calls name it; empty where code or the person works. */
  role: string;
}

export interface Figure {
  height: number;
  boxes: Box[];
  /** Pairs of boxes; a third entry bends the line, in units to its left. */
  arrows: [string, string, number?][];
}

export const WIDTH = 400;
export const BOX = { width: 108, height: 40 };

const box = (id: string, label: string, x: number, y: number, role = ""): Box => ({ id, label, x, y, role });

export const FIGURES: Record<System, Figure> = {
  science_journalism: {
    height: 250,
    boxes: [
      box("paper", "Paper", 58, 28),
      box("journalist", "Journalist", 200, 28, "journalist"),
      box("article", "Article", 342, 28),
      box("measure", "Guard", 342, 125),
      box("reader", "Reader", 270, 222, "reader"),
      box("editor", "Editor", 130, 222, "editor"),
      box("person", "You", 58, 125),
    ],
    arrows: [
      ["paper", "journalist"],
      ["journalist", "measure"],
      ["measure", "article"],
      ["measure", "reader"],
      ["reader", "editor"],
      ["editor", "person"],
      ["editor", "journalist"],
      ["person", "journalist"],
    ],
  },
  medical_simplification: {
    height: 350,
    boxes: [
      box("paper", "Abstract", 58, 28),
      box("selector", "Selector", 200, 28, "agent_selector"),
      box("text", "Plain text", 342, 28),
      box("layperson", "Layperson", 58, 125, "layperson"),
      box("clarifier", "Clarifier", 200, 125, "language_clarifier"),
      box("redundancy", "Redundancy", 342, 125, "redundancy_checker"),
      box("expert", "Medical expert", 110, 222, "medical_expert"),
      box("simplifier", "Simplifier", 290, 222, "simplifier"),
      box("guard", "Guard", 200, 322),
    ],
    arrows: [
      ["paper", "selector"],
      ["selector", "text"],
      ["selector", "layperson"],
      ["selector", "clarifier"],
      ["selector", "redundancy"],
      ["layperson", "expert"],
      ["clarifier", "simplifier"],
      ["redundancy", "expert"],
      ["expert", "simplifier"],
      ["simplifier", "guard"],
    ],
  },
  focused_feedback: {
    height: 350,
    boxes: [
      box("paper", "Paper", 58, 28),
      box("screener", "Screener", 58, 125, "screener"),
      box("planner", "Planner", 200, 28, "planner"),
      box("person", "You", 342, 28),
      box("controller", "Controller", 200, 125, "controller"),
      box("investigator", "Investigator", 342, 125, "investigator"),
      box("detector", "Detector", 58, 222, "weakness_detector"),
      box("reviewer", "Reviewer", 200, 222, "reviewer"),
      box("verifier", "Verifier", 200, 322, "verifier"),
      box("comments", "Comments", 342, 322),
    ],
    arrows: [
      ["paper", "screener"],
      ["paper", "planner"],
      ["screener", "planner"],
      ["planner", "person"],
      ["planner", "controller"],
      ["controller", "investigator", 12],
      ["investigator", "controller", 12],
      ["controller", "detector"],
      ["controller", "reviewer"],
      ["detector", "reviewer"],
      ["reviewer", "verifier"],
      ["verifier", "comments"],
    ],
  },
};

export interface Line {
  from: [number, number];
  to: [number, number];
}

/** The line from the edge of one box to the edge of another. */
export function line(from: Box, to: Box, aside = 0): Line {
  const [dx, dy] = [to.x - from.x, to.y - from.y];
  const length = Math.hypot(dx, dy) || 1;
  const [left, up] = [(dy / length) * aside, (-dx / length) * aside];
  const start = atEdge(from, dx, dy);
  const end = atEdge(to, -dx, -dy);
  return { from: [start[0] + left, start[1] + up], to: [end[0] + left, end[1] + up] };
}

function atEdge(box: Box, dx: number, dy: number): [number, number] {
  const reach = Math.min(BOX.width / 2 / (Math.abs(dx) || 1e-9), BOX.height / 2 / (Math.abs(dy) || 1e-9));
  return [box.x + dx * reach, box.y + dy * reach];
}
