/** The views that are looked at: where each is, what shows that it is there, and what is done in it first. */

const SEEDLINGS = "/run/20261124-021244-3ed9e";

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
  review: {
    place: SEEDLINGS,
    ready: ".note",
    then: async (page) => {
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
  help: { place: SEEDLINGS, ready: ".note", then: (page) => page.keyboard.press("?") },
  long: { place: "/run/long", ready: ".note" },
  evil: { place: "/run/evil", ready: ".note" },
};
