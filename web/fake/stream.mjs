/** Streams of runs that are under way, as LangGraph's server sends them. */

function event(response, name, data, id) {
  response.write(`id: ${id}\nevent: ${name}\ndata: ${JSON.stringify(data)}\n\n`);
}

/** Send what a run has so far, then let one agent write until the client is gone. */
export function followed(response, run) {
  response.writeHead(200, { "content-type": "text/event-stream" });
  if (!run) return response.end();
  let id = 0;
  for (const [name, data] of run.events) event(response, name, data, id++);
  const { writing, text } = run;
  const words = text.split(" ");
  let tokens = 0;
  event(response, "custom", { event: "call", ...writing }, id++);
  const timer = setInterval(() => {
    const piece = words.slice(tokens, tokens + 3);
    if (!piece.length) return;
    tokens += piece.length;
    event(response, "custom", { event: "tokens", tokens, text: `${piece.join(" ")} `, ...writing }, id++);
  }, 300);
  return response.on("close", () => clearInterval(timer));
}
