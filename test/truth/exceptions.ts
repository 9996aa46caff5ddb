import type { ToolStatus } from "../../src/record/record.ts";
import type { Outcome } from "../../src/turns/model.ts";
import type { TruthResponse } from "../truth.ts";

// Cases in which a file does not contain what was typed, served or planned. Each was verified in the raw file. Tests
// expect exactly the state stated here, so an exception that no longer applies fails as well.

/** Calls that ended differently than planned by the script, by call id. */
export const REALLY: Readonly<Record<string, { status: ToolStatus; why: string }>> = {
  call_LsleepS0xX49WAl5f0: {
    status: "ok",
    why: "toolsig-sleep: the signal hit a child, the shell went on and exited 0",
  },
  call_LsleepS0xC9pkqifh0: {
    status: "ok",
    why: "toolsig-sleep: the signal hit a child, the shell went on and exited 0",
  },
  call_LsleepS0xB56B0CLM0: {
    status: "failed",
    why: "hostsig-sleep: the signal killed the script host, the call failed",
  },
  call_LmultiS0x2FCscJ4O1: { status: "pending", why: "Continue: `done` for exit 7 without a message" },
  call_LsleepS0x7akKST3V0: { status: "pending", why: "Grok: `BackgroundTaskStarted`, and no `task_completed`" },
  call_LsleepS0x60H2gwcn0: { status: "pending", why: "Grok: `BackgroundTaskStarted`, and no `task_completed`" },
  call_LplanS0xOBXxxabg0: { status: "failed", why: "the script died: tools.update_plan is not a function" },
  toolu_01LlsS0xxYp3xsDA0: { status: "denied", why: "scenario denied: a permission rule forbade it" },
  toolu_01LsleepS0x4brGPaZ90: { status: "failed", why: "sleepblocked: Claude Code refuses a bare sleep" },
  toolu_01LsleepS0xUxRbgf5s0: { status: "failed", why: "sleepblocked: Claude Code refuses a bare sleep" },
  toolu_01LfailS0xPZeooZ1v0: { status: "denied", why: "the human refused it at the permission prompt" },
  call_LwriteS0xjHWdJ75h0: { status: "failed", why: "Qwen Code: File path must be absolute: note.txt" },
  call_LagentS0xzE5GZUTZ0: { status: "failed", why: "OpenCode: SchemaError(Missing key at subagent_type)" },
  call_LsleepS0xoMx3nfN40: { status: "pending", why: "Kilo writes nothing on SIGINT: the call stays `running`" },
  call_LstdinS1x3MllU4wp0: { status: "failed", why: "Unknown process id 1: the command was never started" },
  call_LstdinS2xnUAXsCos0: { status: "failed", why: "Unknown process id 1: the command was never started" },
  call_LstdinS1x1eWDaQH00: { status: "ok", why: "the process took the text and went on" },
  call_LstdinS2xNFFii4SJ0: { status: "failed", why: "the process ended with code 6 while it was written to" },
};

/** Turns whose outcome is not the one that the actions of the lab imply, by corpus and run. */
export const ENDED: Readonly<Record<string, { outcome: Outcome; why: string }>> = {
  "droid-0.215.0 int-hang": { outcome: "open", why: "nothing is written on a signal: the file has only the prompt" },
  "droid-0.215.0 int-sleep": { outcome: "completed", why: "the signal ended the command, and the agent went on" },
  "claude-2.1.325 maxtok": {
    outcome: "failed",
    why: "every answer reached the token limit, and the agent gave up with its own error",
  },
  "claude-2.1.325-n2 subkill": {
    outcome: "completed",
    why: "the kill hit a sub-agent in the background; the turn itself had ended (end_turn) six seconds before",
  },
  "codex-0.63.0 err400": {
    outcome: "open",
    why: "this version writes nothing about an error: the file has only the prompt",
  },
  "codex-0.63.0 err500": {
    outcome: "open",
    why: "this version writes nothing about an error: the file has only the prompt",
  },
  "crush-0.86.0 int-hang": { outcome: "aborted", why: "SIGINT: `finish` says canceled" },
  "crush-0.86.0 int-sleep": { outcome: "aborted", why: "SIGINT: `finish` says canceled" },
  "crush-0.86.0 kill-sleep": { outcome: "open", why: "killed: the message has no `finish`" },
  "gemini-0.61.0 int-INT-hang": {
    outcome: "open",
    why: "nothing is written on a signal: the file has only the prompt",
  },
  "gemini-0.61.0 int-KILL-sleep": {
    outcome: "completed",
    why: "calls are written when they end: the text before the lost call looks like a final answer",
  },
  "goose-1.34.0 badargs": {
    outcome: "open",
    why: "the answer was dropped with its call: the store has only the prompt",
  },
  "goose-1.34.0 err400": { outcome: "open", why: "nothing is written about an error: the store has only the prompt" },
  "goose-1.34.0 int-INT-hang": { outcome: "open", why: "nothing is written on a signal: the file has only the prompt" },
  "grok-1.0.41 int-hang": { outcome: "open", why: "killed 12 s later: the file has the prompt and a thought" },
  "grok-1.0.41 int-sleep": {
    outcome: "completed",
    why: "the command had gone to the background: `turn_completed` says end_turn before the signal",
  },
  "grok-1.0.41 kill-sleep": {
    outcome: "completed",
    why: "the command had gone to the background: `turn_completed` says end_turn before the kill",
  },
  "kilo-7.7.9 hello": { outcome: "open", why: "the run was ended before the answer: the store has only the prompt" },
  "kilo-7.7.9 int-sleep": { outcome: "open", why: "nothing is written on a signal: the step has no end" },
  "kilo-7.7.9 kill-sleep": { outcome: "open", why: "killed: the step has no end" },
  "openhands-1.2.1 int-hang": {
    outcome: "completed",
    why: "it does not stream: the whole answer came, and was stored",
  },
  "openhands-1.2.1 int-sleep": { outcome: "open", why: "nothing is written on a signal; it was killed 12 s later" },
  "openhands-1.2.1 kill-sleep": { outcome: "open", why: "killed: the call has no observation" },
  "vibe-3.0.3 cache": {
    outcome: "failed",
    why: "`latestTurn` says model_stream_failed: Vibe refuses an answer with more cached tokens than the prompt has",
  },
  "opencode-1.18.33 int-INT-hang": {
    outcome: "open",
    why: "nothing is written on a signal: the store has only a message without an end",
  },
};

/** Corpora whose records do not say whether a file was created or modified. */
export const OPERATIONS: Readonly<Record<string, { operation: string; why: string }>> = {
  "crush-0.86.0": { operation: "modified", why: "nothing says whether the file was there" },
  "pi-0.87.1": { operation: "modified", why: "pi writes 'Successfully wrote to' for a new and for an existing file" },
};

/** Corpora whose agent does not record how a prompt was entered. */
export const NO_ENTRY: RegExp =
  /^(?:continue|crush|gemini|goose|gptme|kimi|openhands|pi|qwen|vibe)-|^codex-0\.36\.0$|^claude-1\.0\.64$/u;

/** Files of agents that name calls themselves: the ids of the model stand in what it is shown, and are gone with it. */
export const OWN_CALL_IDS: RegExp = /^vibe-/u;

/** Files of agents that store no exit code of a command. */
export const NO_EXIT_CODE: RegExp = /^continue-/u;

/** Prompts that were entered while the agent was busy, by session. */
export const QUEUED: Readonly<Record<string, string>> = {
  "e04a8e58-0db4-449b-a243-efab09a35730": "Streamed question two. [lab:hello]",
};

/** Corpora whose agent writes the records of sub-agents into the parent session instead of a session of their own. */
export const INLINE: ReadonlySet<string> = new Set(["copilot-1.0.102", "claude-1.0.64"]);

/** Sessions whose usage is stored only as a total, so that no turn owns any, by corpus and scenario. */
export const ONLY_SUMS: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    ["hello", "chat+chat2+chat3", "multi", "edit", "write", "agent", "err400", "cache", "full+full2"]
      .concat(["int-hang", "int-sleep", "kill-sleep"])
      .map((runs) => [`droid-0.215.0 ${runs}`, "tokens are stated for the session alone"]),
  ),
  "vibe-3.0.3 chat+chat2+chat3": "tokens are stated for the session alone, and it has more than one turn",
  "vibe-3.0.3 full+full2": "tokens are stated for the session alone, and it has more than one turn",
  "goose-1.34.0 chat+chat2+chat3": "this schema has one row of totals per session, overwritten by every response",
};

/** Responses that do not belong to the turn implied by their time: index of the turn, by response id. */
export const OWNED_BY: Readonly<Record<string, { turn: number; why: string }>> = {
  msg_01R0F8mPmEEWseKQmLifMbJf: {
    turn: 1,
    why: "the second prompt of the stream was dequeued before this answer, and no other answer followed",
  },
};

/** Sessions without a file, by corpus and scenario. */
export const NO_FILE: Readonly<Record<string, string>> = {
  "codex-0.130.0 fork": "this version has no exec fork: the command was refused",
  "codex-0.63.0 fork": "this version has no exec fork: the command was refused",
  "codex-0.63.0 review": "this version has no exec review: the command was refused",
  ...Object.fromEntries(
    ["ask", "err400", "int-hang", "int-sleep", "kill-sleep"].map((run) => [
      `continue-1.5.47 ${run}`,
      "Continue writes a session when its run ends",
    ]),
  ),
  "gemini-0.61.0 chat+chat2+chat3": "the file was missing after the runs; the agent or its cleanup deleted it",
  "gemini-0.61.0 err400": "a refused request removed the file",
  "pi-0.87.1 int-INT-hang": "nothing is on disk before the first answer",
  "pi-0.87.1 int-KILL-hang": "nothing is on disk before the first answer",
};

/** Text of the trigger for human actions without text, by scenario. */
export const UNTYPED: Readonly<Record<string, string>> = {
  review: "/review current changes",
};

/** Prompts that are stored with a different text than was typed, by session. */
export const STORED_AS: Readonly<Record<string, { typed: string; stored: string; why: string }>> = {
  "01a1de0a-c431-710c-9579-34eb84926d36": {
    typed: "/greet the whole team",
    stored: "Greet the whole team politely. [lab:skill]",
    why: "pi stores prompt templates expanded",
  },
  "3cfff7ef-09f8-48d7-bb18-951773d5e904": {
    typed: "/greet the whole team",
    stored: "Greet the whole team politely. [lab:skill]",
    why: "Qwen Code stores commands given with -p expanded",
  },
  ses_e21fa2c5affekc4jFAvONrUS4K: {
    typed: "the whole team",
    stored: 'Greet "the whole team" politely. [lab:skill]',
    why: "OpenCode stores commands expanded",
  },
};

/** Commands that the client handles by itself, so that they start no turn. */
export const CLIENT_ONLY: ReadonlySet<string> = new Set([
  "/clear",
  "/cost",
  "/exit",
  "/new",
  "/plan",
  "/quit",
  "/rename",
]);

/** Requests that left no trace in the store, by the first file of the session. */
export const LOST: Readonly<Record<string, string>> = {
  // Cline keeps what a compaction made elsewhere, and every message.
  "cline-3.0.65-tui/sessions/1794986689157_w60lg/1794986689157_w60lg.messages.json": "/compact",
};

/** Responses that were served with usage, which the agent never wrote, by response id. */
export const UNWRITTEN: Readonly<Record<string, string>> = {
  "chatcmpl-7JTdpmCL3iixubD2tiAZgOS6": "Cline stores neither a compaction nor what it cost",
  "chatcmpl-XBjxu35jP0DgGPNxaf0DAOQQ": "Grok asked for another title: `generated_title` of summary.json is this answer",
  "chatcmpl-9yaljqGP1iGHRIVKCMU8cNmr": "Grok asked for another title: `generated_title` of summary.json is this answer",
  "chatcmpl-rNS62s22pqPRH82t0MhiRPR4": "Vibe refuses the answer: `tokenUsage` of the session is null",
  msg_01xr1jeRlC7lHiDyTFkJeFSD: "Claude Code was killed during the answer and wrote no line of it",
  msg_01C4giMQO2sNcxgxal5bTrJu: "Claude Code was killed during the answer and wrote no line of it",
  resp_IyHoKO7Bp8NIBoqxQTBmdReU: "Codex dropped the stream when the human steered",
  "chatcmpl-Z4PDzxkuLtes3O0dozk5Dkp4": "OpenCode was killed before the step was finished: all its tokens are 0",
  "chatcmpl-wVpp27auUYHxMDU0hQ80bu1t": "the run of Kilo was ended before: the store has only the prompt",
  "chatcmpl-7TNQCPfXpIDmhArxv0LMaVGL": "the run of Kilo was ended before: the store has only the prompt",
  "chatcmpl-zECcrV0ieDVuI1rvEBxCc75G": "Kilo was interrupted before the step was finished: all its tokens are 0",
  "chatcmpl-vflGuVxx6q55QNW1Qo0DkWn5": "Kilo was killed before the step was finished: all its tokens are 0",
  "chatcmpl-MxP9xwxBezwEvK0aElrXYx6k": "OpenHands was killed before it wrote its state: `token_usages` is empty",
  "chatcmpl-nojNOnhoI449niSQhCAlEmTp": "OpenHands was killed before it wrote its state: `token_usages` is empty",
  "chatcmpl-AIJ3mhIzvTskIE0pkCTgECgr": "Goose drops a call with malformed arguments; the token columns are NULL",
  "chatcmpl-AejTZgCclmFx1nwQOQMn3Xxt": "Goose was killed while the tool ran; the token columns are NULL",
};

/** Responses that summarise the conversation although the lab did not mark them, by response id. */
export const SUMMARIES: Readonly<Record<string, string>> = {
  "chatcmpl-Cc7nZ2H1xgIxyXxd8bB80ozc": "Droid has the text in a `compaction_state`, as its `summaryText`",
  "chatcmpl-EIi4fBHUY5ROy28tlVih9lSY": "Crush stores it with is_summary_message = 1",
};

/** Usage of responses whose stream the lab took for cut off, by response id. */
export const LATE_USAGE: Readonly<Record<string, Pick<TruthResponse, "usage"> & { why: string }>> = {
  "chatcmpl-MJxIkBaYqlRPjZwZwvDMJ4oP": {
    usage: {
      prompt_tokens: 3051,
      completion_tokens: 333,
      prompt_tokens_details: { cached_tokens: 393 },
      completion_tokens_details: { reasoning_tokens: 5 },
    },
    why: "OpenHands does not stream: it got the whole answer, and `token_usages` of its base_state.json states its tokens",
  },
};

/** Responses, by id, that only the final total of the agent includes; they belong to the session and to no turn. */
export const IN_TOTAL: Readonly<Record<string, string>> = {
  msg_013xoxq2fcsboUlwm7DZqf4r: "Claude Code writes no line for its compaction request",
  msg_01jguqcyHQJSD9JyBPZ2qz8G: "Claude Code writes no line for its compaction request",
};

/** Requests for a title or a recap. The stores of Codex, OpenCode, Goose and Grok contain neither them nor their usage. */
export function isTitle({ script, housekeeping }: TruthResponse): boolean {
  return housekeeping === "thread_title" || (housekeeping === true && (script === "#title" || script === "#recap"));
}
