import { inside } from "../../answers/daybook.ts";
import { describe, expect, it, vi } from "vitest";
import { LABELS, open } from "../../../test/store/fixture.ts";
import { CORPUS, sourceOfCorpus } from "../../../test/truth.ts";
import type { RecordBody } from "../../record/record.ts";
import { sourceOf } from "../../book/reading/read-file.ts";
import type { Drift, Entry, SourceRef } from "../../agents/contract.ts";
import { DraftBuilder } from "../../turns/builder.ts";
import { packState, wakeState, type PackedState, type Piece } from "./packed-state.ts";

// Sizes so small that the sessions of the corpus have many slices.
vi.mock(import("../../turns/lists.ts"), () => ({
  SLICE_SIZES: { turns: 2, tools: 3, usage: 2, questions: 1, contexts: 2 },
}));

const BUILD = { ledger: false, toolDetail: true } as const;
const NO_DRIFT: Drift = { versions: {}, unknownTypes: {}, unknownFields: {} };

/** What an index would store after each read. */
class StoredState {
  #state: PackedState | null = null;
  readonly #ref: SourceRef;

  constructor(ref: SourceRef) {
    this.#ref = ref;
  }

  builder(): DraftBuilder {
    const restored = this.#state && wakeState(this.#state);
    return new DraftBuilder(this.#ref, "id", BUILD, restored ?? undefined);
  }

  save(builder: DraftBuilder): void {
    const { head, pieces } = packState(builder);
    const all = new Map<string, Piece>();
    for (const piece of [...(this.#state?.pieces ?? []), ...pieces]) all.set(`${piece.list} ${piece.n}`, piece);
    this.#state = { head, pieces: [...all.values()] };
  }
}

function draftOf(builder: DraftBuilder): string {
  return JSON.stringify(builder.finish(NO_DRIFT));
}

describe("a draft builder saved and restored after every entry", () => {
  it.each(LABELS)("produces the same draft as one that stays in memory: %s", (label) => {
    const { refs } = inside(open({ [sourceOfCorpus(label)]: [`${CORPUS}/${label}`] })).opened();
    for (const ref of refs) {
      const entries: Entry[] = [...sourceOf(ref).read(ref, null, { detail: "full" })];
      const stored = new StoredState(ref);
      const inMemory = new DraftBuilder(ref, "id", BUILD);
      for (const entry of entries) {
        const builder = stored.builder();
        builder.push(entry);
        stored.save(builder);
        inMemory.push(entry);
      }
      expect(draftOf(stored.builder())).toBe(draftOf(inMemory));
    }
  });

  it("matches a tool result with a tool call that follows it", () => {
    const ref: SourceRef = { source: "toy", path: "/nowhere", size: 0, mtimeMs: 0, container: "jsonl" };
    const stored = new StoredState(ref);
    const bodies: RecordBody[] = [
      { type: "user", author: "human", text: "go", kind: "prompt" },
      { type: "tool_finished", call_id: "c", status: "failed", exit_code: 2, duration_ms: null },
      { type: "tool_started", call_id: "c", name: "Bash", input: null },
    ];
    for (const [i, body] of bodies.entries()) {
      const builder = stored.builder();
      const place = { line: i + 1, offset: i, bytes: 1, position: i + 1, time: null, native: "toy", tentative: false };
      builder.push({ ...place, class: i === 0 ? "trigger" : "reaction", reason: "toy", records: [body] });
      stored.save(builder);
    }
    const { tools } = stored.builder().finish(NO_DRIFT);
    expect(tools).toMatchObject([{ call_id: "c", status: "failed", exit_code: 2, start_line: 3, end_line: 2 }]);
  });
});

describe("wakeState", () => {
  it("returns null when a piece of the saved state is missing", () => {
    const [ref] = inside(open({ codex: [`${CORPUS}/codex-0.166.0`] })).opened().refs;
    if (!ref) throw new Error("no session");
    const builder = new DraftBuilder(ref, "id", BUILD);
    for (const entry of sourceOf(ref).read(ref, null, { detail: "full" })) builder.push(entry);
    const { head, pieces } = packState(builder);
    expect(pieces.length).toBeGreaterThan(0);
    expect(wakeState({ head, pieces: pieces.slice(1) })).toBeNull();
  });
});
