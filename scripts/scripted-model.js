// A model that follows a script: it calls the given tools one after another, then answers. Tool results are recorded,
// so that they can be checked. Used by scripts/mcp-clients.js.
import { modelServer } from "./model-server.js";

/**
 * The client called before its MCP server was ready, or the server before it had read all sessions: the call is
 * repeated.
 */
const EARLY = /is not a function|still being read|for the first time/;
const MOST_EARLY = 30;

/** `steps` are the calls `{ tool, given }` in order; `results` the tool results as the agent passed them on. */
export async function scriptedModel(server, steps) {
  const results = [];
  let [seen, early] = [0, 0];
  const { url, close } = await modelServer(server, ({ results: given, isAside }) => {
    if (isAside) return { say: "Done." };
    for (; seen < given.length; seen++) {
      if (EARLY.test(given[seen]) && early < MOST_EARLY) early++;
      else results.push(given[seen]);
    }
    // The number of results is the number of completed steps.
    return steps[results.length] ?? { say: "Done." };
  });
  return { url, results, close };
}
