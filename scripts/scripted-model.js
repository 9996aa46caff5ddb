// A model that says what a script says: it calls one tool of a server after the other, then answers. What a tool gave back is kept, so
// that it can be compared with what the server said. For scripts/mcp-clients.js.
import { modelServer } from "./model-server.js";

/** A client that asks before its server is there, or a server that is asked before it has read all there is: once more, then. */
const EARLY = /is not a function|still being read|for the first time/;
const MOST_EARLY = 30;

/** `steps`: `{ tool, given }` to be called in order. `results`: what came back, as the agent handed it on. */
export async function scriptedModel(server, steps) {
  const results = [];
  let [seen, early] = [0, 0];
  const { url, close } = await modelServer(server, ({ results: given, isAside }) => {
    if (isAside) return { say: "Done." };
    for (; seen < given.length; seen++) {
      if (EARLY.test(given[seen]) && early < MOST_EARLY) early++;
      else results.push(given[seen]);
    }
    // As many as came back were done.
    return steps[results.length] ?? { say: "Done." };
  });
  return { url, results, close };
}
