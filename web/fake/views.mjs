/** The views that are looked at: where each is, what shows that it is there, and what is done in it first. */

const SEEDLINGS = "/run/seedlings";

export const VIEWS = {
  start: { place: "/", ready: ".runs li", whole: true },
  settings: {
    place: "/",
    ready: ".settings",
    whole: true,
    then: (page) => page.click(".settings summary"),
  },
  deletion: { place: "/", ready: ".runs li", then: (page) => page.click("text=Delete >> nth=0") },
  check: {
    place: "/check",
    ready: ".give",
    then: async (page) => {
      await page.fill("textarea", "A text.");
      await page.click("text=Check this paper");
      await page.waitForSelector(".note");
    },
  },
  opened: {
    place: SEEDLINGS,
    ready: ".note.current",
    then: async (page) => {
      if (!(await page.locator(".panel .screening").isVisible())) await page.click(".panel summary >> nth=0");
      await page.click(".panel .screening summary");
      await page.waitForSelector(".marks i, .mark");
    },
  },
  reviewing: {
    place: SEEDLINGS,
    ready: ".note",
    then: (page) => page.click("text=How it is made"),
  },
  pages: {
    place: SEEDLINGS,
    ready: ".note",
    then: async (page) => {
      if (!(await page.locator(".textLayer").count())) await page.click("text=Pages");
      await page.waitForSelector(".marks i");
      await page.keyboard.press("j");
      await page.keyboard.press("j");
    },
  },
  review: {
    place: SEEDLINGS,
    ready: ".note",
    then: async (page) => {
      if (await page.locator(".textLayer").count()) await page.click("text=Pages");
      await page.keyboard.press("j");
      await page.keyboard.press("a");
      await page.keyboard.press("j");
      await page.keyboard.press("x");
    },
  },
  editing: {
    place: SEEDLINGS,
    ready: ".note",
    then: async (page) => {
      await page.keyboard.press("j");
      await page.keyboard.press("e");
    },
  },
  next: {
    place: "/run/second",
    ready: ".earlier",
    then: async (page) => {
      await page.click("summary:has-text('What changed')");
      await page.click("summary:has-text('The next version')");
      await page.waitForSelector(".next form");
    },
  },
  help: { place: SEEDLINGS, ready: ".note", then: (page) => page.keyboard.press("?") },
  long: { place: "/run/long", ready: ".note" },
  evil: { place: "/run/evil", ready: ".note" },
  explain: { place: "/run/rounds", ready: ".beside", whole: true },
  changes: {
    place: "/run/rounds",
    ready: ".beside",
    then: async (page) => {
      await page.getByRole("slider", { name: "Draft" }).fill("1");
      await page.getByLabel("Show what changed").check();
    },
  },
  article: { place: "/run/mosses", ready: ".beside", then: (page) => page.click("text=Edit") },
  simplify: {
    place: "/run/lossy",
    ready: ".pairs",
    whole: true,
    then: async (page) => {
      await page.click("text=Accept the loss >> nth=0");
      await page.click("summary:has-text('Why') >> nth=0");
    },
  },
  plain: { place: "/run/yoga", ready: ".pairs", whole: true, then: (page) => page.getByLabel("Show changed words").check() },
  watch: { place: "/run/running", ready: ".words-so-far" },
  paused: { place: "/run/paused", ready: ".question", whole: true },
  failed: { place: "/run/failed", ready: ".watch" },
};
