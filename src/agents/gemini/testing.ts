import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { clock, fixturesOf, uuid, type Fixtures } from "../kit/testing.ts";
import type { Native } from "../kit/native.ts";
import { readSession } from "./read.ts";

/** Test helpers: genuine files, and sessions built from records in the format the agent writes. */
export const SESSION = "11111111-2222-4333-8444-555555555555";
export const CORPUS: string = fileURLToPath(new URL("../../../test/fixtures/corpus/gemini-0.61.0/", import.meta.url));

export const HEADER: Native = {
  sessionId: SESSION,
  projectHash: "hash",
  startTime: "2026-05-12T08:00:00.000Z",
  lastUpdated: "2026-05-12T08:00:00.000Z",
  kind: "main",
};

export function user(content: unknown, fields: Native = {}): Native {
  return { id: uuid(), timestamp: clock(), type: "user", content, ...fields };
}

export function reply(content: string, fields: Native = {}): Native {
  return { id: uuid(), timestamp: clock(), type: "gemini", content, thoughts: [], model: "gemini-x", ...fields };
}

export function call(id: string, status: string, answer: Native, fields: Native = {}): Native {
  const result = [{ functionResponse: { id, name: "run_shell_command", response: answer } }];
  return { id, name: "run_shell_command", args: { command: "x" }, status, result, ...fields };
}

export const CONTEXT = "<session_context>\nWorkspace Directories:\n  - /w\n</session_context>";

export const fixtures: Fixtures = fixturesOf({
  source: "gemini",
  corpus: CORPUS,
  file: join("chats", "session-2026-05-12T08-00-11111111.jsonl"),
  readSession,
});

export { bodies, classes, prompts, reasons, settlements, workedIn } from "../kit/testing.ts";
