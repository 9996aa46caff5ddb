import { DaybookError } from "../../errors.ts";
import { readWhole } from "../../io/bytes.ts";
import { JsonLines, type JsonLine } from "../json-lines.ts";
import type { LineStartCursor, ReadContext, SourceRef } from "../source.ts";
import { list, obj, objects, str, type Native } from "./native.ts";

/** What the reader needs of a file: its records in order, with look-ahead. */
export interface Lines {
  readonly position: LineStartCursor;
  next(): JsonLine | null;
  peek(k: number): JsonLine | null;
  close(): void;
}

export function openLines(ref: SourceRef, from: LineStartCursor | null, ctx: ReadContext): Lines {
  return ref.container === "json" ? new DocumentLines(ref, from, ctx) : new JsonLines(ref, from, ctx);
}

/**
 * The first versions kept a session as one JSON document with the messages of the API, rewritten as a whole. It is read as
 * if it had lines: the header is line 1, message n is line n + 1, each told as the event a later version would write.
 */
class DocumentLines implements Lines {
  readonly #lines: JsonLine[];
  #at: number;

  constructor(ref: SourceRef, from: LineStartCursor | null, ctx: ReadContext) {
    this.#at = from?.line ?? 0;
    try {
      this.#lines = linesOf(readWhole(ref.path, ctx.meter).toString("utf8"));
    } catch (cause) {
      throw new DaybookError(`cannot open ${ref.path}`, {
        code: "unreadable",
        op: "read session",
        path: ref.path,
        hint: "check that the file exists and that you may read it",
        cause,
      });
    }
  }

  get position(): LineStartCursor {
    return { line: this.#at, offset: 0 };
  }

  next(): JsonLine | null {
    const line = this.#lines[this.#at];
    if (line === undefined) return null;
    this.#at++;
    return line;
  }

  peek(k: number): JsonLine | null {
    return this.#lines[this.#at + k] ?? null;
  }

  close(): void {
    this.#lines.length = 0;
  }
}

function linesOf(text: string): JsonLine[] {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return [problem(1, Buffer.byteLength(text), text.trim() === "" ? "blank" : "not_json")];
  }
  const document = obj(value);
  if (!document) return [problem(1, Buffer.byteLength(text), "not_object")];
  const { sessionId, startTime } = document;
  const start: Native = { type: "session.start", timestamp: startTime, data: { sessionId, startTime } };
  return [start, ...list(document["chatMessages"])].map((item, i) => lineOf(i + 1, item, str(sessionId) ?? ""));
}

function lineOf(line: number, item: unknown, session: string): JsonLine {
  const bytes = Buffer.byteLength(JSON.stringify(item) ?? "");
  const message = obj(item);
  if (!message) return problem(line, bytes, "not_object");
  const value = line === 1 ? message : { id: `${session}:${line}`, ...eventOf(message) };
  return { line, offset: 0, bytes, terminated: true, value, problem: null, blemish: null, skimmed: null, memo: null };
}

function eventOf(message: Native): Native {
  const content = str(message["content"]) ?? "";
  switch (message["role"]) {
    case "user":
      return { type: "user.message", data: { content } };
    case "system":
      return { type: "system.message", data: { role: "system", content } };
    case "tool":
      return { type: "tool.execution_complete", data: { toolCallId: message["tool_call_id"], result: { content } } };
    case "assistant":
      return { type: "assistant.message", data: { content, toolRequests: requestsOf(message) } };
    default:
      return { type: `chatMessages/${str(message["role"]) ?? "(no role)"}` };
  }
}

function requestsOf(message: Native): Native[] {
  return objects(message["tool_calls"]).map((call) => {
    const named = obj(call["function"]);
    return { toolCallId: call["id"], name: named?.["name"], arguments: argumentsOf(named?.["arguments"]) };
  });
}

function argumentsOf(raw: unknown): unknown {
  try {
    return typeof raw === "string" ? (JSON.parse(raw) as unknown) : raw;
  } catch {
    return raw;
  }
}

function problem(line: number, bytes: number, why: NonNullable<JsonLine["problem"]>): JsonLine {
  return {
    line,
    offset: 0,
    bytes,
    terminated: true,
    value: null,
    problem: why,
    blemish: null,
    skimmed: null,
    memo: null,
  };
}
