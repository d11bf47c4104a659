/**
 * A server that answers as `draftroom open` does, from the recorded runs of examples/runs: for looking at the page and for
 * its own tests. `node fake/server.mjs [port]`; the built page is at /page/, `npm run dev` takes its API from here.
 */

import { createReadStream, existsSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { extname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";

import { followed } from "./stream.mjs";
import { world } from "./world.mjs";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const STATIC = join(ROOT, "draftroom/page/static");
const TYPES = { ".html": "text/html", ".js": "text/javascript", ".mjs": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml" };
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; font-src 'self'; " +
  "connect-src 'self'; worker-src 'self' blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** Where the words of seedlings.pdf stand: start, end, page, and the box. */
const words = Object.fromEntries(
  Object.entries(JSON.parse(readFileSync(new URL("words.json", import.meta.url), "utf8"))).map(([paragraph, placed]) => [
    paragraph,
    placed.map(([start, end, page, ...box]) => ({ start, end, page, box })),
  ]),
);
const runs = world(JSON.parse(readFileSync(new URL("papers.json", import.meta.url), "utf8")), (name) =>
  JSON.parse(readFileSync(join(ROOT, "examples/runs", name), "utf8")),
);

function json(response, body, status = 200) {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}

function refuse(response, status, message) {
  json(response, { error: { kind: "refused", message } }, status);
}

function file(response, path) {
  if (!existsSync(path)) return refuse(response, 404, "There is no such file.");
  response.writeHead(200, { "content-type": TYPES[extname(path)] ?? "application/octet-stream", "content-security-policy": POLICY });
  return createReadStream(path).pipe(response);
}

async function body(request) {
  const parts = [];
  for await (const part of request) parts.push(part);
  return Buffer.concat(parts).toString("utf8");
}

async function api(request, response, path) {
  const [what, id, then, which] = path.split("/").map(decodeURIComponent);
  const told = await body(request);
  const verb = `${request.method} ${[what, id && ":id", then].filter(Boolean).join("/")}`;
  const run = runs.views.get(id);
  if (id && !run) return refuse(response, 404, "There is no such run.");
  switch (verb) {
    case "GET start":
      return json(response, runs.start);
    case "GET runs":
      return json(response, { runs: runs.inShort(), problems: [] });
    case "POST runs":
      return json(response, runs.begin(told), 201);
    case "POST check":
      return json(response, runs.check);
    case "GET runs/:id":
      return json(response, run);
    case "DELETE runs/:id":
      runs.views.delete(id);
      return json(response, {});
    case "POST runs/:id/resume":
      return json(response, runs.resume(run));
    case "POST runs/:id/stop":
      run.status = "stopped";
      run.run = null;
      return json(response, {});
    case "PUT runs/:id/decisions":
      run.decisions = { ...run.decisions, [which]: JSON.parse(told) };
      return json(response, run.decisions);
    case "PUT runs/:id/article":
      return json(response, runs.editArticle(run, JSON.parse(told).text));
    case "PUT runs/:id/text":
      return json(response, runs.editText(run, JSON.parse(told).text));
    case "GET runs/:id/paper":
      return file(response, join(ROOT, "examples/seedlings.pdf"));
    case "GET runs/:id/words":
      return json(response, words);
    case "GET runs/:id/export":
      response.writeHead(200, { "content-disposition": 'attachment; filename="result.txt"' });
      return response.end("the result");
    default:
      return refuse(response, 404, `The fake server does not know ${verb}.`);
  }
}

createServer((request, response) => {
  const { pathname } = new URL(request.url, "http://localhost");
  const stream = /^\/threads\/[^/]+\/runs\/([^/]+)\/stream$/.exec(pathname);
  if (stream) followed(response, runs.ofServerRun(stream[1]));
  else if (pathname.startsWith("/page/api/")) void api(request, response, pathname.slice(10));
  else if (pathname.startsWith("/page/")) file(response, join(STATIC, normalize(pathname.slice(6) || "index.html")));
  else response.writeHead(302, { location: "/page/" }).end();
}).listen(Number(process.argv[2] ?? 8140), "127.0.0.1");
