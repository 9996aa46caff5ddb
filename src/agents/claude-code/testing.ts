import { fileURLToPath } from "node:url";
import type { Entry } from "../contract.ts";
import type { Native } from "../kit/native.ts";
import { fixturesOf, type Fixtures } from "../kit/testing.ts";
import { readSession } from "./read.ts";

/** Test helpers: records in the shape Claude Code writes, and sessions made of them. */
export const SESSION = "11111111-2222-4333-8444-555555555555";

let serial = 0;

/** A chain record; `parentUuid` is null unless given. */
export function record(type: string, fields: Native = {}): Native {
  serial += 1;
  const uuid = `00000000-0000-4000-8000-${serial.toString(16).padStart(12, "0")}`;
  const timestamp = new Date(Date.UTC(2026, 4, 12, 8, 0, serial % 3600)).toISOString();
  return {
    parentUuid: null,
    isSidechain: false,
    type,
    sessionId: SESSION,
    cwd: "/w",
    version: "2.1.100",
    uuid,
    timestamp,
    ...fields,
  };
}

export function user(content: unknown, fields: Native = {}): Native {
  return record("user", { message: { role: "user", content }, ...fields });
}

export function text(value: string): Native {
  return { type: "text", text: value };
}

export function result(call: string, content: unknown, fields: Native = {}): Native {
  return { type: "tool_result", tool_use_id: call, content, ...fields };
}

export interface Reply {
  id?: string;
  stop?: string | null;
  usage?: Native;
  model?: string;
}

export function assistant(content: readonly Native[], reply: Reply = {}, fields: Native = {}): Native {
  const { id = `msg_${serial}`, stop = null, usage, model = "claude-x" } = reply;
  const message = { id, role: "assistant", model, content, stop_reason: stop, ...(usage ? { usage } : {}) };
  return record("assistant", { message, requestId: `req_${id}`, ...fields });
}

export function tool(id: string, name: string, input: Native = {}): Native {
  return { type: "tool_use", id, name, input };
}

const CORPUS = fileURLToPath(new URL("../../../test/fixtures/corpus/claude-2.1.325/", import.meta.url));

export const fixtures: Fixtures = fixturesOf({
  source: "claude-code",
  corpus: CORPUS,
  file: `${SESSION}.jsonl`,
  readSession,
});

export function classes(entries: readonly Entry[]): string[] {
  return entries.map((entry) => entry.class);
}
