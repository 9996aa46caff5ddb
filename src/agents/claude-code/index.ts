import type { Source } from "../contract.ts";
import { fileTimes } from "../kit/sniff.ts";
import { discoverClaude } from "./discover.ts";
import { mainCheckout } from "./places.ts";
import { readFacts } from "./facts.ts";
import { parentFromPath, sessionIdFromPath, SOURCE_ID } from "./identity.ts";
import { ClaudeOutputMeter } from "./output-meter.ts";
import { questionHooks } from "./hooks.ts";
import { headless } from "./headless.ts";
import { mcp } from "./mcp.ts";
import { quickUsage } from "./quick-usage.ts";
import { readSession } from "./read.ts";
import { isClaudeFile } from "./sniff.ts";
import { tools } from "./tools.ts";

/** Claude Code: JSONL transcripts under `projects/`, one file per session and per subagent. See FORMAT.md. */
export const claudeCode: Source = {
  id: SOURCE_ID,
  name: "Claude Code",
  capabilities: { retentionDays: 30, globalIdentities: true, shellVariables: ["CLAUDECODE"] },
  checked: { oldest: "0.2.120", newest: "2.1.327", releases: 18 },
  unknowable: [
    "What requests made aside (compaction, titles) cost before there was a total (seen in 2.1.325), and in a process that was killed: they leave no line. Where a total includes them, they belong to the session, not to a turn.",
    "The output of a stream that was cut: Escape keeps what was stated at its start (all input, output 1), a kill leaves nothing.",
    "Output tokens of some releases (seen in 2.1.53): every line is written before the response ends and states 1.",
    "What an old resume (up to 1.0.109) copied from a session whose file is gone: copies count for nothing.",
    "In versions without `interruptedMessageId`: whether a call was refused or interrupted. Both write the same sentence; it is read as a refusal.",
    "Up to 2.1.61: whether a run was killed between a text and the call after it. No reason is stated; as the last thing in its file the text is taken as the answer.",
    "How a `!` command ended before 2.1.88: no exit code is stored.",
    "Sessions older than 30 days, which the agent deletes unless told otherwise: Daybook's book keeps those it has read.",
  ],
  sessionId: (ref) => sessionIdFromPath(ref.path),
  recognises: (ref) => isClaudeFile(ref.path) === "yes",
  discover: discoverClaude,
  read: (ref, cursor, ctx) => readSession(ref, cursor, ctx),
  quickUsage: (ref, ctx, count, note) => quickUsage(ref, ctx, count, note),
  times: (ref) => fileTimes(ref),
  partOf: (ref) => parentFromPath(ref.path)?.session_id ?? null,
  mainCheckout,
  start: ["claude", "-p"],
  resume: (_ref, id) => ({ words: ["claude", "--resume", id] }),
  facts: (ctx) => readFacts(ctx),
  mcp: () => mcp,
  questionHooks: () => questionHooks,
  headless: () => headless,
  tools,
  outputMeter: () => new ClaudeOutputMeter(),
};
