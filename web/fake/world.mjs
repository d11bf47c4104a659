/** What the fake server knows: the recorded runs, and runs in states that no record is in. */

const SYSTEMS = [
  ["science_journalism", "explain", "Explain", "An article that anyone can follow, about a paper", "journalism"],
  ["medical_simplification", "simplify", "Simplify", "A medical abstract in plain language, with what was lost on the way", "simplification"],
  ["focused_feedback", "review", "Review", "Comments on the weaknesses of a draft, with evidence", "feedback"],
];
const LABELS = ["Replicability", "Originality", "Empirical and Theoretical Soundness", "Meaningful Comparison", "Substance"];

export function world(papers, recorded) {
  const views = new Map();
  const streams = new Map();
  const add = (view) => views.set(view.record.id, view).get(view.record.id);

  const mosses = add(viewOf("mosses", recorded("mosses.json"), papers["mosses.md"]));
  add(furtherRounds(mosses));
  const yoga = add(viewOf("yoga", recorded("yoga.json"), papers["yoga.md"]));
  add(lossy(yoga));
  const seedlings = add(reviewed(viewOf("seedlings", recorded("seedlings.json"), papers["seedlings.pdf"]), papers.findings));
  add(secondVersion(seedlings));
  add(longReview(seedlings));
  add(evil(seedlings));
  add(paused(mosses));
  const running = add(underWay(mosses));
  streams.set(running.run, {
    events: [["updates", { write_draft: { drafts: mosses.result.drafts.slice(0, 1) } }]],
    writing: { role: "reader", step: "take_notes", round: 1, model: "smollm2-135m-instruct" },
    text: "Bryophytes: tiny plants without roots that grow on stone and roofs. Thallus: the body of a moss, which has no stem. Chlorophyll fluorescence: light that a leaf gives back, which shows how well it works.",
  });
  add({ ...copy(mosses), record: { ...mosses.record, id: "failed", failures: [{ kind: "endpoint_down", message: "The model server at http://127.0.0.1:8136/v1 does not answer; start it and resume the run.", time: mosses.record.updated }] }, status: "failed" });

  return {
    views,
    check: { findings: papers.findings, read: { test: 4, reference: 12 }, unread: [], left_out: 0, references_looked_up: false, source: papers["seedlings.pdf"] },
    start: startOf(papers.settings),
    inShort: () => [...views.values()].map(inShort),
    begin: () => ({ id: running.record.id }),
    ofServerRun: (id) => streams.get(id),
    resume(run) {
      run.status = "running";
      run.run = running.run;
      run.question = null;
      return { thread: run.thread, run: run.run };
    },
    editArticle(run, text) {
      const { drafts, assessments } = run.result;
      const round = drafts.length;
      const sentence = text.split(/(?<=[.!?])\s+/).at(-1);
      const assessment = { ...assessments.at(-1), round, unsupported: [{ kind: "number", text: "77", sentence }].filter(() => text.includes("77")) };
      run.result = { ...run.result, article: text, selected_round: round, drafts: [...drafts, { round, text, improvements: "" }], assessments: [...assessments, assessment] };
      return assessment;
    },
    editText(run, text) {
      const { versions } = run.result;
      const version = { number: versions.length, loop: "person", text, grade: 8, words: text.split(/\s+/).length, lost: run.result.lost.filter((detail) => !text.includes(detail.text)) };
      run.result = { ...run.result, simplified: text, selected_version: version.number, lost: version.lost, versions: [...versions, version] };
      return version;
    },
  };
}

const copy = (value) => structuredClone(value);

function viewOf(id, { run, ...result }, source) {
  const formats = source.format === "pdf" ? [".html", ".json", ".md", ".pdf", ".docx"] : [".html", ".json", ".md"];
  return { record: { ...run, id }, result, status: run.status, thread: `thread-${id}`, run: null, source, question: null, decisions: {}, formats };
}

function startOf(settings) {
  const base_url = "http://127.0.0.1:8136/v1";
  return {
    version: "0.1.0",
    endpoints: [
      { roles: "all agents but the reader", model: "qwen2.5-coder-1.5b-instruct", base_url, answers: true, problem: "" },
      { roles: "reader", model: "smollm2-135m-instruct", base_url: "http://127.0.0.1:8137/v1", answers: false, problem: "No server answers at http://127.0.0.1:8137/v1." },
    ],
    suffixes: [".docx", ".htm", ".html", ".md", ".pdf", ".tex", ".txt"],
    max_bytes: 50_000_000,
    systems: SYSTEMS.map(([name, verb, title, summary, table]) => ({ name, verb, title, summary, settings: settings[table] })),
    presets: ["debug", "fast", "laptop", "paper"],
    examples: [],
  };
}

function inShort({ record, status, result }) {
  const total = (name) => record.usage.reduce((sum, usage) => sum + usage[name], 0);
  return {
    id: record.id,
    system: record.system,
    name: record.input.name,
    status,
    created: record.created,
    updated: record.updated,
    progress: status === "done" ? "" : "1/2 rounds",
    outcome: result.comments ? `${result.comments.length} comments` : "",
    calls: total("calls"),
    tokens: total("input_tokens") + total("output_tokens"),
    problem: record.failures.at(-1)?.message ?? "",
  };
}

/** A comment on the first sentence of every second paragraph, and what was computed. */
function reviewed(view, findings) {
  const comments = view.source.paragraphs
    .filter((paragraph, index) => index % 2 === 0 && paragraph.text.length > 80)
    .map((paragraph, index) => commentOn(paragraph, index));
  const reviews = comments.map((comment) => ({ ...view.result.reviews[0], paragraph: comment.paragraph, section: comment.section, page: comment.page, outcome: "comment", comment }));
  const computed = findings.map((finding, index) => ({ ...finding, id: `f${index + 1}`, shown: true, wording: index % 2 ? "" : "These numbers do not fit together; please check them." }));
  const suspicions = view.source.paragraphs.slice(0, 3).map((paragraph, index) => suspicionOf(paragraph, index));
  return { ...view, result: { ...view.result, comments, reviews: [...view.result.reviews, ...reviews], computed, suspicions } };
}

function suspicionOf({ id, section, page, text }, index) {
  const told = { problem: "Nothing says how many trays there were.", settled_by: "The number of trays in the methods." };
  return { paragraph: id, section, page, quote: text.slice(0, 60), ...told, label: LABELS[index], severity: "low", pursued: index === 0 };
}

function commentOn(paragraph, index) {
  const quote = /^.*?[.!?](?=\s|$)/u.exec(paragraph.text)?.[0] ?? paragraph.text;
  return {
    id: `c-${paragraph.id}`,
    paragraph: paragraph.id,
    section: paragraph.section,
    page: paragraph.page,
    label: LABELS[index % 5],
    quote: index % 4 === 3 ? "" : quote,
    start: 0,
    review: "The text does not say how this was measured, so a reader could not repeat it. What instrument was used, and how often was it read?",
    severity: ["high", "medium", "low"][index % 3],
    suggestion: index % 3 ? "Name the instrument and the number of readings." : "",
    reasoning: "A reader who wants to repeat the trial needs it.",
    evidence: [
      { id: "e1", source: "paper", question: "How were the seedlings measured?", answer: "With a ruler, once.", quote: "Spent leaves were collected from the teapots of the institute over two weeks", title: "", section: "Methods", page: 1, address: "" },
      { id: "e2", source: "literature", question: "How do other studies measure seedlings?", answer: "With callipers, three times.", quote: "each seedling was measured three times", title: "Measuring seedlings", section: "Methods", page: 4, address: "https://example.org/measuring" },
    ],
    verification: { verdict: index % 3 ? "kept" : "softened", notes: index % 3 ? [] : ["The number 12 stands neither in the paragraph nor in the evidence."] },
  };
}

/** A review of what changed, with three comments on the version before. */
function secondVersion(view) {
  const [open, addressed, gone] = view.result.comments;
  const now = view.source.paragraphs.find((paragraph) => paragraph.id === addressed.paragraph).text;
  const earlier = [
    { comment: open, status: "open", paragraph: open.paragraph, before: "As it was.", now: "As it was." },
    { comment: addressed, status: "addressed", paragraph: addressed.paragraph, before: now.replace(/\bthe\b/g, "each"), now },
    { comment: gone, status: "gone", paragraph: "", before: "It was here.", now: "" },
  ];
  return { ...copy(view), record: { ...view.record, id: "second" }, result: { ...view.result, earlier } };
}

function longReview(view) {
  const paragraphs = Array.from({ length: 60 }, (_, index) => ({
    ...view.source.paragraphs[index % view.source.paragraphs.length],
    id: `p${index + 1}`,
    section: `Section ${Math.floor(index / 6) + 1}`,
  }));
  const comments = paragraphs.map(commentOn);
  return {
    ...copy(view),
    record: { ...view.record, id: "long", input: { ...view.record.input, name: "long.md" } },
    source: { title: "A paper of 60 paragraphs", format: "markdown", pages: 0, warnings: [], paragraphs },
    result: { ...view.result, comments, computed: [], reviews: [] },
  };
}

/** A paper that would do harm if its text became markup. */
function evil(view) {
  const script = "<script>document.title = 'taken'</script><img src=x onerror=\"document.title='taken'\">";
  const paragraphs = [{ id: "p1", section: `Methods ${script}`, page: 0, text: `We measured 😀 leaves ${script} twice. [a](javascript:alert(1))` }];
  const comment = { ...commentOn(paragraphs[0], 0), quote: `leaves ${script} twice`, start: 14, review: script };
  return {
    ...copy(view),
    record: { ...view.record, id: "evil", input: { ...view.record.input, name: `${script}.md` } },
    source: { title: script, format: "markdown", pages: 0, warnings: [script], paragraphs },
    result: { ...view.result, comments: [comment], computed: [], reviews: [] },
  };
}

/** Four drafts, the last of which says what the paper does not. */
function furtherRounds(view) {
  const further = copy(view);
  const { drafts, assessments, notes, reviews } = further.result;
  for (const round of [2, 3]) {
    const text = `${drafts[1].text}\n\nIn *round ${round}*, about **${round}7 of 100** roofs were wet by ${2000 + round}.`;
    const { readability } = assessments[1];
    const easier = Object.fromEntries(Object.entries(readability).map(([name, grade]) => [name, name === "words" ? grade + 9 : grade - round * 0.8]));
    const sentence = `In round ${round}, about ${round}7 of 100 roofs were wet by ${2000 + round}.`;
    const unsupported = [{ kind: "number", text: `${round}7`, sentence }, { kind: "year", text: String(2000 + round), sentence }];
    drafts.push({ round, text, improvements: `1. Say how many roofs were wet in round ${round}.` });
    assessments.push({ ...assessments[1], round, readability: easier, unsupported });
    notes.push({ ...notes[0], round: round - 1 });
    reviews.push({ ...reviews[0], round: round - 1 });
  }
  further.record.id = "rounds";
  further.result.article = drafts[3].text;
  further.result.selected_round = 3;
  return further;
}

/** A plain text that has lost a dose, a negation and a whole sentence, over two entries. */
function lossy(view) {
  const worse = copy(view);
  const { versions, all_changes } = worse.result;
  const text = versions[1].text
    .replace(" and in 18% of controls", "")
    .replace("No serious adverse events were observed.", "Adverse events were watched for.")
    .replace(", and no participant had sciatica", "")
    .replace("Transient muscle soreness occurred in 9% of participants practising yoga. ", "");
  const lost = [
    { kind: "percentage", text: "18%", sentence: "Analgesic consumption declined in 41% of participants practising yoga and in 18% of controls." },
    { kind: "percentage", text: "9%", sentence: "Transient muscle soreness occurred in 9% of participants practising yoga." },
    { kind: "negation", text: "No", sentence: "No serious adverse events were observed." },
    { kind: "negation", text: "no participant", sentence: "Its effects beyond 12 weeks are unknown, and no participant had sciatica." },
    { kind: "name", text: "sciatica", sentence: "Its effects beyond 12 weeks are unknown, and no participant had sciatica." },
  ];
  versions.push({ number: 2, loop: "redundancy_checker", text, grade: 7.9, words: 104, lost });
  all_changes.push({ entry: 2, loop: "redundancy_checker", round: 1, agent: "simplifier", kind: "removal", before: "Transient muscle soreness occurred in 9% of participants practising yoga.", after: "", because: "Readers do not need it." });
  all_changes.push({ entry: 2, loop: "redundancy_checker", round: 1, agent: "simplifier", kind: "substitution", before: "No serious adverse events were observed.", after: "Adverse events were watched for.", because: "What is an adverse event?" });
  worse.record.id = "lossy";
  Object.assign(worse.result, { simplified: text, selected_version: 2, lost, versions, all_changes, glossary: [{ term: "sciatica", explanation: "Pain along the nerve of the leg.", entry: 1 }] });
  return worse;
}

function paused(view) {
  const items = view.result.reviews[0].text.split("\n").filter((line) => /^\d/.test(line));
  return {
    ...copy(view),
    record: { ...view.record, id: "paused" },
    status: "paused",
    question: { question: "Which advice should the journalist follow?", round: 1, article: view.result.drafts[0].text, items },
    result: { ...view.result, article: "", drafts: view.result.drafts.slice(0, 1), assessments: view.result.assessments.slice(0, 1) },
  };
}

function underWay(view) {
  return {
    ...copy(view),
    record: { ...view.record, id: "running", usage: view.record.usage.slice(0, 1) },
    status: "running",
    run: "server-run-1",
    result: { ...view.result, article: "", drafts: view.result.drafts.slice(0, 1), assessments: view.result.assessments.slice(0, 1), notes: [], reviews: [], calls: view.result.calls.slice(0, 1) },
  };
}
