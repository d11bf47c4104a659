/** What the server tells: the shapes of `/page/api`, and of the results of the three systems (rooms `state/` and `runs/`). */

export type Verb = "explain" | "simplify" | "review";
export type System = "science_journalism" | "medical_simplification" | "focused_feedback";
export type Status = "running" | "done" | "paused" | "stopped" | "interrupted" | "failed";

export interface Endpoint {
  /** The roles whose models it serves, as a person reads them. */
  roles: string;
  model: string;
  base_url: string;
  answers: boolean;
  problem: string;
}

/** The part of JSON schema that the settings use. */
export interface Schema {
  type?: string;
  title?: string;
  description?: string;
  default?: unknown;
  enum?: unknown[];
  const?: unknown;
  minimum?: number;
  maximum?: number;
  anyOf?: Schema[];
  items?: Schema;
  $ref?: string;
  $defs?: Record<string, Schema>;
  properties?: Record<string, Schema>;
}

export interface Offer {
  name: System;
  verb: Verb;
  title: string;
  summary: string;
  settings: Schema;
}

export interface Start {
  version: string;
  endpoints: Endpoint[];
  suffixes: string[];
  max_bytes: number;
  systems: Offer[];
  presets: string[];
  examples: Example[];
}

/** A recorded run on a paper that comes with Draftroom. */
export interface Example {
  name: string;
  verb: Verb;
  paper: string;
  models: string[];
}

export interface RunInShort {
  id: string;
  system: System;
  name: string;
  status: Status;
  created: string;
  updated: string;
  progress: string;
  outcome: string;
  calls: number;
  tokens: number;
  problem: string;
}

export interface Paragraph {
  id: string;
  section: string;
  page: number;
  text: string;
}

/** A word on a page of a PDF. */
export interface Word {
  /** In characters of Unicode in its paragraph, as Python counts them. */
  start: number;
  end: number;
  page: number;
  /** Left, lower, right and upper edge in the points of the page. */
  box: [number, number, number, number];
}

export interface Source {
  title: string;
  format: string;
  pages: number;
  paragraphs: Paragraph[];
  warnings: string[];
}

export interface Usage {
  role: string;
  round: number;
  calls: number;
  input_tokens: number;
  output_tokens: number;
  seconds: number;
}

export interface CallRecord {
  role: string;
  step: string;
  round: number;
  model: string;
  input_tokens: number;
  output_tokens: number;
  seconds: number;
}

export interface RunRecord {
  id: string;
  system: System;
  version: string;
  created: string;
  updated: string;
  input: { name: string };
  models: Record<string, string>;
  usage: Usage[];
  failures: { kind: string; message: string; time: string }[];
}

export interface Question {
  question: string;
  round?: number;
  article?: string;
  paragraph?: string;
  items: string[];
}

export type Decision = "open" | "accepted" | "dismissed";

export interface Judgement {
  decision: Decision;
  review?: string;
  suggestion?: string;
  reply?: string;
}

export interface RunView<Result = AnyResult> {
  record: RunRecord;
  result: Partial<Result> & { calls?: CallRecord[] };
  status: Status;
  thread: string;
  run: string | null;
  source: Source;
  question: Question | null;
  decisions: Record<string, Judgement>;
  formats: string[];
}

// --- focused_feedback

export type Severity = "high" | "medium" | "low";

export interface Finding {
  kind: string;
  severity: Severity;
  paragraph: string;
  section: string;
  page: number;
  quote: string;
  computation: string;
  consistent: string;
  explanations: string[];
}

export interface PaperReport {
  findings: Finding[];
  /** How many of each kind were read. */
  read: Record<string, number>;
  unread: string[];
  /** How many findings of low severity are not shown. */
  left_out: number;
  references_looked_up: boolean;
  source: Source;
}

export interface RaisedFinding extends Finding {
  id: string;
  /** Whether it is about the text that was reviewed. */
  shown: boolean;
  wording: string;
}

export interface Evidence {
  id: string;
  source: "paper" | "literature" | "model" | "computed";
  question: string;
  answer: string;
  quote: string;
  title: string;
  section: string;
  page: number;
  address: string;
}

export interface Comment {
  id: string;
  paragraph: string;
  section: string;
  page: number;
  label: string;
  quote: string;
  /** In characters of Unicode, as Python counts them. */
  start: number;
  review: string;
  suggestion: string;
  /** Absent where the reviewer does not grade its comments. */
  severity?: Severity;
  reasoning: string;
  evidence: Evidence[];
  verification: { verdict: "kept" | "softened"; notes: string[] };
}

/** A comment on the version before, and what became of it in this one. */
export interface EarlierComment {
  comment: Comment;
  status: "open" | "addressed" | "gone";
  /** Id of its paragraph in this version; empty if it is gone. */
  paragraph: string;
  /** Text of its paragraph in the version before, and in this one. */
  before: string;
  now: string;
}

export interface Step {
  id: string;
  action: string;
  question: string;
}

export interface ParagraphReview {
  paragraph: string;
  section: string;
  page: number;
  outcome: "comment" | "nothing worth raising" | "failed";
  problem: string;
  comment: Comment | null;
  plans: { steps: Step[] }[];
  evidence: Evidence[];
  notes: string[];
}

export interface Target {
  number: number;
  id: string;
  section: string;
  page: number;
  text: string;
}

/** What the screener suspects of a paragraph, the gravest first. */
export interface Suspicion {
  paragraph: string;
  section: string;
  page: number;
  quote: string;
  problem: string;
  /** What would settle it. */
  settled_by: string;
  label: string;
  severity: Severity;
  /** Whether its paragraph was reviewed. */
  pursued: boolean;
}

export interface HiddenFinding {
  place: string;
  page: number;
  quote: string;
  kind: string;
  visible: boolean;
  explanation: string;
}

export interface FeedbackResult {
  not_as_published?: string[];
  comments: Comment[];
  reviews: ParagraphReview[];
  targets: Target[];
  /** Absent in results of earlier versions. */
  suspicions?: Suspicion[];
  findings: HiddenFinding[];
  computed: RaisedFinding[];
  earlier: EarlierComment[];
  finished: boolean;
}

// --- science_journalism

export interface Fact {
  kind: string;
  text: string;
  sentence: string;
}

export type Measure = "cli" | "fkgl" | "dcrs" | "ari";

export interface Draft {
  round: number;
  text: string;
  /** Markdown, as the journalist wrote it. */
  improvements: string;
}

export interface Assessment {
  round: number;
  readability: Record<Measure, number> & { words: number };
  mean_grade: number;
  coverage: number;
  unsupported: Fact[];
}

/** Markdown, as the reader wrote it. */
export interface Notes {
  round: number;
  text: string;
}

/** Markdown: the editor's evaluation and advice, or a person's advice. */
export interface DraftReview {
  round: number;
  text: string;
  origin: "editor" | "person";
}

export interface JournalismResult {
  not_as_published?: string[];
  article: string;
  selected_round: number;
  selected_because: string;
  warnings: string[];
  stop_reason: string;
  drafts: Draft[];
  assessments: Assessment[];
  notes: Notes[];
  reviews: DraftReview[];
}

// --- medical_simplification

export interface LostDetail {
  kind: string;
  text: string;
  sentence: string;
}

export interface Version {
  number: number;
  loop: string;
  text: string;
  grade: number;
  words: number;
  lost: LostDetail[];
}

export interface TextChange {
  entry: number;
  loop: string;
  round: number;
  agent: string;
  kind: "rewrite" | "substitution" | "removal" | "correction";
  before: string;
  after: string;
  because: string;
}

export interface Exchange {
  entry: number;
  loop: string;
  visit: number;
  chosen_because: string;
  questions: { number: number; text: string; term: string; answer: string }[];
  reasoning: string[];
  suggestions: { original: string; replacement: string; verdict: string; reason: string }[];
  redundancies: { quote: string; reason: string; verdict: string; justification: string }[];
  comments: string[];
  problem: string;
}

export interface SimplificationResult {
  not_as_published?: string[];
  note: string;
  simplified: string;
  selected_version: number;
  warnings: string[];
  lost: LostDetail[];
  glossary: { term: string; explanation: string; entry: number }[];
  stop_reason: string;
  versions: Version[];
  all_changes: TextChange[];
  history: Exchange[];
}

export type AnyResult = FeedbackResult | JournalismResult | SimplificationResult;
