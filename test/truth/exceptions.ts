import type { ToolStatus } from "../../src/format/record.ts";
import type { Outcome } from "../../src/turns/model.ts";
import type { TruthResponse } from "../truth.ts";

// What follows are the exceptions: where a file does not hold what was typed, served or planned. Each was seen in the raw
// file. The tests demand the exact state named here, so an exception that is no longer true fails as well.

/** Calls that ended otherwise than the script planned. */
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
  call_LplanS0xOBXxxabg0: { status: "failed", why: "the script died: tools.update_plan is not a function" },
  toolu_01LlsS0xxYp3xsDA0: { status: "denied", why: "scenario denied: a permission rule forbade it" },
  toolu_01LsleepS0x4brGPaZ90: { status: "failed", why: "sleepblocked: Claude Code refuses a bare sleep" },
  toolu_01LsleepS0xUxRbgf5s0: { status: "failed", why: "sleepblocked: Claude Code refuses a bare sleep" },
  toolu_01LfailS0xPZeooZ1v0: { status: "denied", why: "the human refused it at the permission prompt" },
  call_LwriteS0xjHWdJ75h0: { status: "failed", why: "Qwen Code: File path must be absolute: note.txt" },
  call_LagentS0xzE5GZUTZ0: { status: "failed", why: "OpenCode: SchemaError(Missing key at subagent_type)" },
  call_LstdinS1x3MllU4wp0: { status: "failed", why: "Unknown process id 1: the command was never started" },
  call_LstdinS2xnUAXsCos0: { status: "failed", why: "Unknown process id 1: the command was never started" },
  call_LstdinS1x1eWDaQH00: { status: "ok", why: "the process took the text and went on" },
  call_LstdinS2xNFFii4SJ0: { status: "failed", why: "the process ended with code 6 while it was written to" },
};

/** Turns that ended otherwise than what was done to them says, by corpus and run. */
export const ENDED: Readonly<Record<string, { outcome: Outcome; why: string }>> = {
  "claude-2.1.325 maxtok": {
    outcome: "failed",
    why: "every answer reached the limit of tokens, and the agent gave up with an error of its own",
  },
  "claude-2.1.325-n2 subkill": {
    outcome: "completed",
    why: "the kill met a sub-agent in the background; the turn itself had been answered (end_turn) six seconds before",
  },
  "codex-0.63.0 err400": {
    outcome: "open",
    why: "this version writes nothing about an error: the prompt is all there is",
  },
  "codex-0.63.0 err500": {
    outcome: "open",
    why: "this version writes nothing about an error: the prompt is all there is",
  },
  "gemini-0.61.0 int-INT-hang": { outcome: "open", why: "nothing is written at a signal: the prompt is all there is" },
  "gemini-0.61.0 int-KILL-sleep": {
    outcome: "completed",
    why: "calls are written when they are done: the words before the lost call stand there as an answer would",
  },
  "goose-1.34.0 badargs": { outcome: "open", why: "the answer was dropped with its call: the prompt is all there is" },
  "goose-1.34.0 err400": { outcome: "open", why: "nothing is written about an error: the prompt is all there is" },
  "goose-1.34.0 int-INT-hang": { outcome: "open", why: "nothing is written at a signal: the prompt is all there is" },
  "opencode-1.18.33 int-INT-hang": {
    outcome: "open",
    why: "nothing is written at a signal: a message without an end is all there is",
  },
};

/** Files whose record does not say what was done to them, by corpus. */
export const OPERATIONS: Readonly<Record<string, { operation: string; why: string }>> = {
  "pi-0.87.1": { operation: "modified", why: "pi writes 'Successfully wrote to' for a new file and for an old one" },
};

/** Corpora whose agent says of no prompt how it came in. */
export const NO_ENTRY: RegExp = /^(?:gemini|goose|pi|qwen)-|^codex-0\.36\.0$|^claude-1\.0\.64$/u;

/** Prompts that came while the agent was busy, by session. */
export const QUEUED: Readonly<Record<string, string>> = {
  "e04a8e58-0db4-449b-a243-efab09a35730": "Streamed question two. [lab:hello]",
};

/** Corpora whose agent writes what sub-agents do into the session that caused them: they have no session of their own. */
export const INLINE: ReadonlySet<string> = new Set(["copilot-1.0.102", "claude-1.0.64"]);

/** Sessions of which only the sum of all turns is stored, so that no turn owns anything, by corpus and scenario. */
export const ONLY_SUMS: Readonly<Record<string, string>> = {
  "goose-1.34.0 chat+chat2+chat3": "this schema has one row of totals per session, written over by every response",
};

/** Responses that belong to another turn than the time they were served at tells, by id: the place of the turn. */
export const OWNED_BY: Readonly<Record<string, { turn: number; why: string }>> = {
  msg_01R0F8mPmEEWseKQmLifMbJf: {
    turn: 1,
    why: "the second prompt of the stream was taken out of the queue before this answer, and no other answer followed",
  },
};

/** Sessions that left no file, by corpus and scenario. */
export const NO_FILE: Readonly<Record<string, string>> = {
  "codex-0.130.0 fork": "this version has no exec fork: the command was refused",
  "codex-0.63.0 fork": "this version has no exec fork: the command was refused",
  "codex-0.63.0 review": "this version has no exec review: the command was refused",
  "gemini-0.61.0 chat+chat2+chat3": "the file was gone at the end of the runs; the agent or its cleanup took it",
  "gemini-0.61.0 err400": "a refused request removed the file",
  "pi-0.87.1 int-INT-hang": "nothing is on disk before the first answer",
  "pi-0.87.1 int-KILL-hang": "nothing is on disk before the first answer",
};

/** Human actions without human text, by scenario: what the turn is called. */
export const UNTYPED: Readonly<Record<string, string>> = {
  review: "/review current changes",
};

/** Prompts stored in other words than they were typed in, by session. */
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

/** Commands that the agent's client handles alone: they start no turn. */
export const CLIENT_ONLY: ReadonlySet<string> = new Set([
  "/clear",
  "/cost",
  "/exit",
  "/new",
  "/plan",
  "/quit",
  "/rename",
]);

/** Responses that were served with usage which the agent never wrote, by response id. */
export const UNWRITTEN: Readonly<Record<string, string>> = {
  msg_01xr1jeRlC7lHiDyTFkJeFSD: "Claude Code was killed while the answer came: no line of it",
  msg_01C4giMQO2sNcxgxal5bTrJu: "Claude Code was killed while the answer came: no line of it",
  resp_IyHoKO7Bp8NIBoqxQTBmdReU: "Codex dropped the stream when the human steered",
  "chatcmpl-Z4PDzxkuLtes3O0dozk5Dkp4": "OpenCode was killed before the step was finished: all its tokens are 0",
  "chatcmpl-AIJ3mhIzvTskIE0pkCTgECgr": "Goose drops a call with malformed arguments; the token columns are NULL",
  "chatcmpl-AejTZgCclmFx1nwQOQMn3Xxt": "Goose was killed while the tool ran; the token columns are NULL",
};

/** Responses that only the total tells which the agent states at the end, by response id: the session's, and no turn's. */
export const IN_TOTAL: Readonly<Record<string, string>> = {
  msg_013xoxq2fcsboUlwm7DZqf4r: "Claude Code writes no line for its compaction request",
  msg_01jguqcyHQJSD9JyBPZ2qz8G: "Claude Code writes no line for its compaction request",
};

/** Requests for a title, made aside: no store of Codex, OpenCode or Goose holds them or their usage. */
export function isTitle({ script, housekeeping }: TruthResponse): boolean {
  return housekeeping === "thread_title" || (housekeeping === true && script === "#title");
}
