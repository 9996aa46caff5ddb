import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { clock, fixturesOf, uuid, type Fixtures } from "../kit/testing.ts";
import type { Native } from "../kit/native.ts";
import { readSession } from "./read.ts";

/** Test helpers: genuine files, and sessions built from records in the format the agent writes. */
export const SESSION = "11111111-2222-4333-8444-555555555555";
export const CORPUS: string = fileURLToPath(new URL("../../../test/fixtures/corpus/qwen-0.24.4/", import.meta.url));

export function record(type: string, fields: Native = {}): Native {
  return {
    uuid: uuid(),
    parentUuid: null,
    sessionId: SESSION,
    timestamp: clock(),
    type,
    cwd: "/w",
    version: "0.24.0",
    ...fields,
  };
}

export function user(text: string, fields: Native = {}): Native {
  return record("user", { provenance: "real_user", message: { role: "user", parts: [{ text }] }, ...fields });
}

export function assistant(parts: readonly Native[], fields: Native = {}): Native {
  const usageMetadata = { promptTokenCount: 10, candidatesTokenCount: 2, totalTokenCount: 12 };
  const message = { role: "model", parts };
  return record("assistant", { provenance: "assistant_output", model: "m", message, usageMetadata, ...fields });
}

export function tool(id: string, name: string, args: Native = {}): Native {
  return { functionCall: { id, name, args } };
}

export function result(id: string, response: Native, detail: Native = {}): Native {
  const message = { role: "user", parts: [{ functionResponse: { id, name: "x", response } }] };
  return record("tool_result", { provenance: "tool_result", message, toolCallResult: { callId: id, ...detail } });
}

export function system(subtype: string, systemPayload: Native, fields: Native = {}): Native {
  return record("system", { provenance: "system", subtype, systemPayload, ...fields });
}

export function telemetry(name: string, event: Native): Native {
  return system("ui_telemetry", { uiEvent: { "event.name": `qwen-code.${name}`, ...event } });
}

export const fixtures: Fixtures = fixturesOf({
  source: "qwen",
  corpus: CORPUS,
  file: join("chats", `${SESSION}.jsonl`),
  readSession,
});

export { bodies, classes, prompts, reasons, settlements } from "../kit/testing.ts";
