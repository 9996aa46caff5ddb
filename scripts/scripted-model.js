// A model that says what a script says: it calls one tool of a server after the other, then answers. What a tool gave back is kept, so
// that it can be compared with what the server said. For scripts/mcp-clients.js.
import { modelServer } from "./model-server.js";

/** `steps`: `{ tool, given }` to be called in order. `results`: what came back, as the agent handed it on. */
export async function scriptedModel(server, steps) {
  const results = [];
  const { url, close } = await modelServer(server, ({ results: given, isAside }) => {
    if (isAside) return { say: "Done." };
    results.push(...given.slice(results.length));
    // As many as came back were done.
    return steps[given.length] ?? { say: "Done." };
  });
  return { url, results, close };
}
