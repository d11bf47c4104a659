/**
 * How smoothly a review of 60 paragraphs with 60 comments scrolls: scrolls it from top to bottom on the fake server, and
 * prints how long its frames took. `npm run scroll`
 */

import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";

import { chromium } from "playwright-core";

const PORT = 8142;
const ARGUMENTS = ["--headless", "--no-sandbox", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"];

const server = spawn(process.execPath, [fileURLToPath(new URL("server.mjs", import.meta.url)), String(PORT)], { stdio: "inherit" });
const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ARGUMENTS });

/** Runs in the page: the milliseconds of each frame while it scrolls by 40 pixels a frame. */
function framesWhileScrolling() {
  return new Promise((resolve) => {
    const frames = [];
    let before = performance.now();
    function next(now) {
      frames.push(now - before);
      before = now;
      const at = scrollY;
      scrollBy({ top: 40, behavior: "instant" });
      if (scrollY === at) resolve(frames.slice(1));
      else requestAnimationFrame(next);
    }
    requestAnimationFrame(next);
  });
}

try {
  const page = await browser.newPage({ viewport: { width: 1360, height: 900 } });
  await page.goto(`http://127.0.0.1:${PORT}/page/#/run/long`);
  await page.waitForSelector(".note >> nth=59", { state: "attached" });
  for (const pass of ["first", "second"]) {
    await page.evaluate(() => scrollTo({ top: 0, behavior: "instant" }));
    const frames = (await page.evaluate(framesWhileScrolling)).sort((one, other) => one - other);
    const whole = frames.reduce((sum, frame) => sum + frame, 0);
    const at = (share) => frames[Math.floor(share * (frames.length - 1))].toFixed(1);
    const late = frames.filter((frame) => frame > 33.4).length;
    console.log(
      `${pass} pass: ${frames.length} frames, ${((1000 * frames.length) / whole).toFixed(1)} a second; ` +
        `median ${at(0.5)} ms, 95% within ${at(0.95)} ms, longest ${at(1)} ms, ${late} over two frames`,
    );
  }
} finally {
  await browser.close();
  server.kill();
}
