import { basename, join } from "node:path";
import type { RecordBody } from "../../../src/record/record.ts";
import type {
  Cursor,
  Entry,
  EntryClass,
  LineStartCursor,
  ReadContext,
  Source,
  SourceRef,
} from "../../../src/agents/contract.ts";
import { JsonLines, type JsonLine } from "../../../src/agents/kit/json-lines.ts";
import { JsonReading } from "../../../src/agents/kit/reading.ts";
import type { Native } from "../../../src/agents/kit/native.ts";
import { findSessionFiles } from "../../../src/agents/kit/session-files.ts";
import { sniff } from "../../../src/agents/kit/sniff.ts";
import { restoreState } from "../../../src/agents/kit/state.ts";

/**
 * A complete source for an invented agent: `<id>.toy.jsonl` contains `{"ask": text}`, `{"say": text, "tokens": n}` and
 * `{"note": anything}`. It is the smallest source that fulfils the contract; start a new source from it.
 */
export const toy: Source = {
  id: "toy",
  name: "Toy",
  capabilities: { retentionDays: null },
  checked: { oldest: "1.0", newest: "1.0", releases: 1 },
  unknowable: ["Who asked."],
  discover: (ctx) =>
    findSessionFiles(ctx, {
      source: "toy",
      name: "Toy",
      skipped: new Set(),
      places: (ctx.roots ?? [join(ctx.home, ".toy")]).map((path) => ({ path, expected: true })),
      starts: (root) => [{ path: root, trusted: true }],
      judge: (path) => (path.endsWith(SUFFIX) ? "yes" : "ignored"),
    }),
  sessionId: (ref) => basename(ref.path, SUFFIX),
  recognises: (ref) => sniff(ref.path, isToy, () => false) === "yes",
  read: (ref, cursor, ctx) => new ToyReading(ref, cursor, ctx),
};

const SUFFIX = ".toy.jsonl";

function isToy(record: Native): boolean {
  return "ask" in record || "say" in record || "note" in record;
}

/** The number of triggers so far: all that this reader has to remember, and so the whole state of its cursor. */
interface ToyState {
  asked: number;
}

class ToyReading extends JsonReading<ToyState> {
  constructor(ref: SourceRef, cursor: Cursor | null, ctx: ReadContext) {
    super({
      ref,
      ctx,
      lines: new JsonLines(ref, cursor, ctx),
      state: restoreState({ asked: 0 }, cursor),
      prefix: "toy",
    });
  }

  protected override recordEntry(record: Native, line: JsonLine, before: LineStartCursor): Entry {
    const identity = `${toy.sessionId(this.ref)}:${line.line}`;
    // Called before the record changes the state: the last line may be incomplete and is then read again.
    const tentative = this.holdCursor(before, !line.terminated);
    const [cls, native, records] = this.#judge(record, identity);
    if (cls === "unknown") this.counter.countUnknownType("1.0", native);
    const { line: at, offset, bytes } = line;
    const place = { line: at, offset, bytes, position: at, time: null, tentative };
    return { ...place, class: cls, reason: `toy.${native}`, native, identity, records };
  }

  #judge(value: Native, identity: string): [EntryClass, string, RecordBody[]] {
    const text = (word: string): string => (typeof value[word] === "string" ? value[word] : "");
    if ("ask" in value) {
      this.state.asked++;
      return ["trigger", "ask", [{ type: "user", author: "human", text: text("ask"), kind: "prompt" }]];
    }
    if ("say" in value) return ["reaction", "say", said(this.full ? text("say") : "", value["tokens"], identity)];
    if ("note" in value) return [this.state.asked > 0 ? "session" : "setup", "note", []];
    return ["unknown", "unknown", [{ type: "unknown", native_type: Object.keys(value).join() }]];
  }
}

function said(text: string, tokens: unknown, identity: string): RecordBody[] {
  const none = { input_tokens: 0, cached_input_tokens: 0, cache_write_tokens: 0, cache_write_1h_tokens: 0 };
  const output_tokens = typeof tokens === "number" && tokens > 0 ? tokens : 0;
  const stated = { response_id: identity, model: null, verdict: "counted", ...none, output_tokens } as const;
  return [
    { type: "assistant_finished", text, turn_ended: true },
    { type: "usage", ...stated, reasoning_tokens: 0 },
  ];
}
