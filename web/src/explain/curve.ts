/** The readability curve as coordinates: four measures over the drafts, in school grades. */

import type { Assessment, Measure } from "../api/types";
import { spread } from "../text/spread";

export const MEASURES: Record<Measure, string> = {
  cli: "Coleman–Liau",
  fkgl: "Flesch–Kincaid",
  dcrs: "Dale–Chall",
  ari: "Automated (ARI)",
};
export const SIZE = { width: 480, height: 240 };
const LEFT = 34;
const RIGHT = 124;
const TOP = 14;
const BOTTOM = 30;
const LABEL = 15; // least distance of two labels

export interface Curve {
  measure: Measure;
  points: [number, number][];
  /** Height at which the name of the measure stands, moved so that no two overlap. */
  label: number;
  last: number;
}

export interface Drawing {
  curves: Curve[];
  grades: { y: number; grade: number }[];
  rounds: { x: number; round: number }[];
}

export function drawing(assessments: readonly Assessment[]): Drawing {
  const names = Object.keys(MEASURES) as Measure[];
  const values = assessments.flatMap((assessment) => names.map((name) => assessment.readability[name]));
  const [low, high] = [Math.floor(Math.min(...values)) - 1, Math.ceil(Math.max(...values)) + 1];
  const steps = Math.max(1, assessments.length - 1);
  const x = (number: number) => LEFT + (number * (SIZE.width - LEFT - RIGHT)) / steps;
  const y = (grade: number) => TOP + ((high - grade) * (SIZE.height - TOP - BOTTOM)) / (high - low);
  const last = assessments.at(-1)!.readability;
  const labels = spread(names.map((name) => y(last[name])), LABEL, TOP, SIZE.height - BOTTOM);
  const every = Math.max(1, Math.ceil((high - low) / 6));
  return {
    curves: names.map((measure, index) => ({
      measure,
      points: assessments.map((assessment, number) => [x(number), y(assessment.readability[measure])]),
      label: labels[index]!,
      last: last[measure],
    })),
    grades: Array.from({ length: Math.floor((high - low) / every) + 1 }, (_, index) => low + index * every).map((grade) => ({
      grade,
      y: y(grade),
    })),
    rounds: assessments.map((assessment, number) => ({ x: x(number), round: assessment.round })),
  };
}
