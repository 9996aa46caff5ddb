import type { Source } from "../contract.ts";
import { fileTimes } from "../kit/file-times.ts";
import { discoverRollouts, looksLikeRollout } from "./discover.ts";
import { sideFacts } from "./facts.ts";
import { sessionIdFromPath } from "./header.ts";
import { CodexOutputMeter } from "./output-meter.ts";
import { headless } from "./headless.ts";
import { mcp } from "./mcp.ts";
import { quickUsage } from "./quick-usage.ts";
import { resume } from "./places.ts";
import { readRollout } from "./read.ts";
import { scriptStart } from "./script-start.ts";
import { tools } from "./tools.ts";

export { sessionIdFromPath } from "./header.ts";

/** OpenAI Codex: CLI, TUI, `exec`, IDE and app-server sessions, from the first JSON documents to paginated rollouts. */
export const codex: Source = {
  id: "codex",
  name: "Codex",
  capabilities: {
    retentionDays: null,
    commandsAsText: true,
    importedAs: "codex",
    shellVariables: ["CODEX_THREAD_ID", "CODEX_SANDBOX", "CODEX_SANDBOX_NETWORK_DISABLED"],
  },
  checked: { oldest: "0.20.0", newest: "0.169.0", releases: 16 },
  unknowable: [
    "An answer that Codex threw away because the human steered: no trace of it or its tokens.",
    "Up to 0.63: that a request failed, and a call that was running when Codex was killed. 0.130 states a failure only by a missing answer.",
    "Exit codes of several commands in one script (0.166): the call is ok when the script completed; the commands are listed. Where commands have no records of their own (0.146) only a code that the script printed is known.",
    "Tokens, and whether it was `exec`, in the bare files (to 0.28); up to 0.42 the latter only.",
    "Times inside the bare files of the first versions.",
    "That a permission prompt waits: its call is recorded, and nothing more until the human has answered.",
    "Up to 0.154: whether the human or the parent wrote a prompt without an editor's context into a sub-agent's thread.",
  ],
  discover: (ctx) => discoverRollouts(ctx),
  sessionId: (ref) => sessionIdFromPath(ref.path),
  recognises: (ref) => looksLikeRollout(ref.path),
  read: (ref, cursor, ctx) => readRollout(ref, cursor, ctx),
  quickUsage: (ref, ctx, count) => quickUsage(ref, ctx, count),
  times: (ref) => fileTimes(ref),
  facts: (ctx) => sideFacts(ctx),
  start: ["codex", "exec"],
  resume,
  mcp: () => mcp,
  headless: () => headless,
  tools,
  scriptStart: (ref, originator) => scriptStart(ref, originator),
  outputMeter: () => new CodexOutputMeter(),
};
