/**
 * Opens every view of the built page on the fake server, wide and narrow, light and dark: takes a picture of each, and fails
 * on what axe finds, on errors of the console and the content policy, and on pages that scroll sideways.
 * `npm run look -- FOLDER [view ...]`
 */

import { spawn } from "node:child_process";
import { mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";

import { chromium } from "playwright-core";

import { VIEWS } from "./views.mjs";

const [folder = "pictures", ...chosen] = process.argv.slice(2);
const PORT = 8141;
const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const SIZES = { wide: [1360, 900], narrow: [390, 844] };
const ARGUMENTS = ["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"];

mkdirSync(folder, { recursive: true });
const server = spawn(process.execPath, [fileURLToPath(new URL("server.mjs", import.meta.url)), String(PORT)], { stdio: "inherit" });
const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ARGUMENTS });
let problems = 0;

function complain(where, what) {
  problems++;
  console.log(`${where}: ${what}`);
}

async function look(name, view, size, scheme) {
  const where = `${name}-${size}-${scheme}`;
  const [width, height] = SIZES[size];
  const context = await browser.newContext({ viewport: { width, height }, colorScheme: scheme });
  const page = await context.newPage();
  page.on("console", (message) => message.type() === "error" && complain(where, message.text()));
  page.on("pageerror", (error) => complain(where, error.message));
  page.on("request", (request) => request.url().startsWith(`http://127.0.0.1:${PORT}/`) || /^(data|blob):/.test(request.url()) || complain(where, `asks ${request.url()}`));
  await page.goto(`http://127.0.0.1:${PORT}/page/#${view.place}`);
  await page.waitForSelector(view.ready);
  await view.then?.(page);
  await page.waitForTimeout(150);
  if (await page.evaluate(() => document.documentElement.scrollWidth > innerWidth)) complain(where, "scrolls sideways");
  await page.evaluate(AXE);
  const { violations } = await page.evaluate(() => globalThis.axe.run(document, { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"] }));
  for (const found of violations)
    complain(where, `${found.id}: ${found.help}\n  ${found.nodes.slice(0, 4).map((node) => `${node.html.slice(0, 140)} ${node.failureSummary.split("\n").slice(1, 3).join(" ")}`).join("\n  ")}`);
  await page.screenshot({ path: `${folder}/${where}.png`, fullPage: view.whole ?? false });
  await context.close();
}

try {
  for (const [name, view] of Object.entries(VIEWS)) {
    if (chosen.length && !chosen.includes(name)) continue;
    for (const size of Object.keys(SIZES)) for (const scheme of ["light", "dark"]) await look(name, view, size, scheme);
  }
} finally {
  await browser.close();
  server.kill();
}
console.log(problems ? `${problems} problems` : "no problem");
process.exitCode = problems ? 1 : 0;
