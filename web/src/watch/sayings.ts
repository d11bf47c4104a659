/** What agents have said, as sentences: from what nodes write, and from a result, which has the same keys. */

import type { Comment, Draft, DraftReview, Evidence, Exchange, Notes, Step, Suspicion, System, Version } from "../api/types";
import { counted, spoken } from "../parts/words";

export interface Saying {
  role: string;
  /** What it is: "Draft 2", "Notes on draft 1". */
  title: string;
  lines: string[];
  /** Its place in the story of the run; later ones are greater. */
  order: number;
}

/** A node's update, or a result. In the first update of a run lists are wrapped: they overwrite what was there. */
export interface Written {
  drafts?: unknown;
  notes?: unknown;
  reviews?: unknown;
  history?: unknown;
  exchange?: Exchange;
  versions?: unknown;
  suspicions?: unknown;
  plans?: unknown;
  answers?: unknown;
  comment?: Comment | null;
}

/** All that was said, in the order of the story. */
export function sayings(system: System, written: Written): Saying[] {
  const told = { science_journalism: ofJournalism, medical_simplification: ofSimplification, focused_feedback: ofFeedback }[system](written);
  return told.filter((saying) => saying.lines.some(Boolean));
}

function ofJournalism({ drafts, notes, reviews }: Written): Saying[] {
  const told = (role: string, title: string, text: string, order: number) => ({ role, title, lines: [text.replace(/^#+ |\*\*/gm, "")], order });
  return [
    ...list<Draft>(drafts).map(({ round, text }) => told("journalist", `Draft ${round}`, text, round * 4)),
    ...list<Notes>(notes).map(({ round, text }) => told("reader", `Notes on draft ${round}`, text, round * 4 + 1)),
    ...list<DraftReview>(reviews).map(({ round, text, origin }) => told(origin === "person" ? "you" : "editor", `Advice on draft ${round}`, text, round * 4 + 2)),
  ];
}

function ofSimplification({ history, exchange, versions }: Written): Saying[] {
  const exchanges = [...list<Exchange>(history), ...(exchange?.entry ? [exchange] : [])];
  return [
    ...exchanges.flatMap(ofExchange),
    ...list<Version>(versions)
      .filter((version) => version.number > 0)
      .map((version) => ({
        role: version.loop === "person" ? "you" : "simplifier",
        title: `Text ${version.number}, grade ${version.grade.toFixed(1)}, ${version.words} words`,
        lines: [version.text],
        order: version.number * 10 + 9,
      })),
  ];
}

function ofExchange(exchange: Exchange): Saying[] {
  const order = exchange.entry * 10;
  const title = `Entry ${exchange.entry}, ${spoken(exchange.loop)}`;
  return [
    { role: "agent_selector", title, lines: [exchange.chosen_because], order },
    { role: "layperson", title, lines: exchange.questions.map((question) => question.text), order: order + 1 },
    {
      role: "medical_expert",
      title,
      lines: exchange.questions.filter((question) => question.answer).map((question) => `${question.term || question.text}: ${question.answer}`),
      order: order + 2,
    },
    {
      role: "language_clarifier",
      title,
      lines: exchange.suggestions.map((item) => `“${item.original}” → “${item.replacement}” (${item.verdict}${item.reason && `: ${item.reason}`})`),
      order: order + 3,
    },
    {
      role: "redundancy_checker",
      title,
      lines: exchange.redundancies.map((item) => `“${item.quote}” (${item.verdict}): ${item.reason}`),
      order: order + 4,
    },
    { role: "simplifier", title: `${title}: how the answers fit in`, lines: exchange.reasoning, order: order + 5 },
    { role: "medical_expert", title: `${title}: review`, lines: exchange.comments, order: order + 6 },
  ];
}

interface Reviewed {
  paragraph: string;
  plans: { steps: Step[] }[];
  evidence: Evidence[];
  comment: Comment | null;
  outcome: string;
  problem: string;
}

function ofFeedback({ suspicions, reviews, plans, answers, comment }: Written): Saying[] {
  const whole = list<Reviewed>(reviews).flatMap((review, number) => [
    ...planned(review.plans, review.paragraph, number * 10),
    ...answered(review.evidence, review.paragraph, number * 10 + 1),
    review.comment
      ? commented(review.comment, number * 10 + 2)
      : { role: "reviewer", title: review.paragraph, lines: [`${review.outcome}${review.problem && `: ${review.problem}`}`], order: number * 10 + 2 },
  ]);
  const suspected = list<Suspicion>(suspicions).map(({ paragraph, problem }) => `${paragraph}: ${problem}`);
  const under = Number.MAX_SAFE_INTEGER;
  return [
    { role: "screener", title: counted(suspected.length, "suspicion"), lines: suspected, order: -1 },
    ...whole,
    ...planned(list(plans), "", under),
    ...answered(list<{ evidence: Evidence | null }>(answers).flatMap((answer) => answer.evidence ?? []), "", under),
    ...(comment ? [commented(comment, under)] : []),
  ];
}

function planned(plans: { steps: Step[] }[], paragraph: string, order: number): Saying[] {
  const questions = (plans[0]?.steps ?? []).filter((step) => step.question).map((step) => step.question);
  return [{ role: "planner", title: titled(counted(questions.length, "question"), paragraph), lines: questions, order }];
}

function answered(evidence: Evidence[], paragraph: string, order: number): Saying[] {
  return evidence.map((item) => ({ role: "investigator", title: titled(item.question, paragraph), lines: [item.answer], order }));
}

function commented(comment: Comment, order: number): Saying {
  return { role: "reviewer", title: titled(comment.label, comment.paragraph), lines: [comment.review, comment.suggestion], order };
}

const titled = (what: string, paragraph: string) => (paragraph ? `${paragraph}: ${what}` : what);
const list = <Item>(value: unknown): Item[] => (Array.isArray(value) ? (value as Item[]) : []);

/** Both, each saying once, in the order of the story. */
export function together(one: Saying[], other: Saying[]): Saying[] {
  const said = new Map<string, Saying>();
  for (const saying of [...one, ...other]) {
    const key = [saying.role, ...saying.lines].join("\n");
    if (!said.has(key)) said.set(key, saying);
  }
  return [...said.values()].sort((a, b) => a.order - b.order);
}
