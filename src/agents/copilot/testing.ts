import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { clock, fixturesOf, uuid, type Fixtures } from "../kit/testing.ts";
import type { Native } from "../kit/native.ts";
import { readSession } from "./read.ts";

/** Test helpers: genuine files, and sessions built from records in the format the agent writes. */
export const SESSION = "11111111-2222-4333-8444-555555555555";
export const CORPUS: string = fileURLToPath(new URL("../../../test/fixtures/corpus/copilot-1.0.102/", import.meta.url));

export function event(type: string, data: Native = {}, fields: Native = {}): Native {
  return { type, data, id: uuid(), timestamp: clock(), parentId: null, ...fields };
}

export function start(data: Native = {}): Native {
  return event("session.start", { sessionId: SESSION, copilotVersion: "1.0.0", context: { cwd: "/w" }, ...data });
}

export function user(content: string, data: Native = {}, fields: Native = {}): Native {
  return event("user.message", { content, ...data }, fields);
}

export function message(content: string, data: Native = {}, fields: Native = {}): Native {
  return event("assistant.message", { messageId: uuid(), content, toolRequests: [], ...data }, fields);
}

export function complete(toolCallId: string, data: Native): Native {
  return event("tool.execution_complete", { toolCallId, success: true, ...data });
}

export const fixtures: Fixtures = fixturesOf({
  source: "copilot",
  corpus: CORPUS,
  file: join(SESSION, "events.jsonl"),
  readSession,
});

export { bodies, classes, prompts, reasons, settlements, workedIn } from "../kit/testing.ts";
