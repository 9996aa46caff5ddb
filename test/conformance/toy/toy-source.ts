import { readdirSync, readFileSync, statSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import type { RecordBody } from "../../../src/format/record.ts";
import { JsonLines, problemEntry, type JsonLine } from "../../../src/sources/kit/json-lines.ts";
import type {
  Cursor,
  DiscoverContext,
  Drift,
  Entry,
  EntryClass,
  ReadContext,
  Reading,
  Source,
  SourceRef,
} from "../../../src/sources/contract.ts";

/**
 * A complete source for an agent nobody has: `<id>.toy.jsonl` holds `{"ask": text}`, `{"say": text, "tokens": n}` and
 * `{"note": anything}`. Shown as the smallest thing that keeps the contract; start a new source from here.
 */
export const toy: Source = {
  id: "toy",
  name: "Toy",
  capabilities: { retentionDays: null },
  checked: { oldest: "1.0", newest: "1.0", releases: 1 },
  unknowable: ["Who asked."],
  discover,
  sessionId: (ref) => basename(ref.path, SUFFIX),
  recognises(ref) {
    try {
      return /^\{"(?:ask|say|note)":/.test(readFileSync(ref.path, "utf8"));
    } catch {
      return false;
    }
  },
  read: (ref, cursor, ctx) => new ToyReading(ref, cursor, ctx),
};

const SUFFIX = ".toy.jsonl";

function* discover(ctx: DiscoverContext): Generator<SourceRef, void, undefined> {
  for (const root of ctx.roots ?? [join(ctx.home, ".toy")]) {
    const directory = resolve(root);
    try {
      for (const name of readdirSync(directory).sort()) {
        const path = join(directory, name);
        if (!name.endsWith(SUFFIX)) continue;
        const { size, mtimeMs } = statSync(path);
        yield { source: "toy", path, size, mtimeMs, container: "jsonl" };
      }
    } catch {
      ctx.report({ code: "root_missing", source: "toy", path: directory, message: "there is no such directory" });
    }
  }
}

/** Turns asked so far: all this reader has to remember, and so the whole of its cursor's state. */
interface ToyState {
  asked: number;
}

class ToyReading implements Reading {
  readonly #lines: JsonLines;
  readonly #session: string;
  readonly #full: boolean;
  readonly #signal: AbortSignal | undefined;
  readonly #drift: Drift = { versions: {}, unknownTypes: {}, unknownFields: {} };
  readonly #state: ToyState;
  #held: Cursor | null = null;

  constructor(ref: SourceRef, cursor: Cursor | null, ctx: ReadContext) {
    this.#lines = new JsonLines(ref, cursor, ctx);
    this.#session = toy.sessionId(ref);
    this.#full = ctx.detail === "full";
    this.#signal = ctx.signal;
    this.#state = cursor ? { ...(cursor.state as ToyState) } : { asked: 0 };
  }

  *[Symbol.iterator](): Generator<Entry, void, undefined> {
    try {
      while (!this.#signal?.aborted) {
        const before = this.#here();
        const line = this.#lines.next();
        if (!line) return;
        // The end of the file may be half a line: whatever stands there is read again next time.
        if (!line.terminated) this.#held ??= before;
        yield this.#entry(line);
      }
    } finally {
      this.#lines.close();
    }
  }

  cursor(): Cursor {
    return this.#held ?? this.#here();
  }

  drift(): Drift {
    return structuredClone(this.#drift);
  }

  #here(): Cursor {
    return { ...this.#lines.position, state: { ...this.#state } };
  }

  #entry(line: JsonLine): Entry {
    if (!line.value) return problemEntry(line, "toy");
    const [cls, native, records] = this.#judge(line.value, line.line);
    const { line: number, offset, bytes } = line;
    return {
      line: number,
      offset,
      bytes,
      class: cls,
      reason: `toy.${native}`,
      native,
      time: null,
      position: number,
      identity: `${this.#session}:${number}`,
      records,
      tentative: this.#held !== null,
    };
  }

  #judge(value: Record<string, unknown>, line: number): [EntryClass, string, RecordBody[]] {
    const text = (word: string): string => (this.#full && typeof value[word] === "string" ? value[word] : "");
    if ("ask" in value) {
      this.#state.asked++;
      return ["trigger", "ask", [{ type: "user", author: "human", text: text("ask"), kind: "prompt" }]];
    }
    if ("say" in value) return ["reaction", "say", this.#said(text("say"), value["tokens"], line)];
    if ("note" in value) return [this.#state.asked > 0 ? "session" : "setup", "note", []];
    this.#drift.unknownTypes["toy"] = (this.#drift.unknownTypes["toy"] ?? 0) + 1;
    return ["unknown", "unknown", [{ type: "unknown", native_type: Object.keys(value).join() }]];
  }

  #said(text: string, tokens: unknown, line: number): RecordBody[] {
    const none = { input_tokens: 0, cached_input_tokens: 0, cache_write_tokens: 0, cache_write_1h_tokens: 0 };
    const output = typeof tokens === "number" && tokens > 0 ? tokens : 0;
    return [
      { type: "assistant_finished", text, turn_ended: true },
      {
        type: "usage",
        response_id: `${this.#session}:${line}`,
        model: null,
        verdict: "counted",
        ...none,
        output_tokens: output,
        reasoning_tokens: 0,
      },
    ];
  }
}
