import { describe, expect, it } from "vitest";
import type { ReadContext, SourceRef } from "../../src/agents/contract.ts";
import { buildDraft } from "../../src/turns/builder.ts";
import type { FileDraft } from "../../src/turns/model.ts";
import type { Store } from "./store.ts";

/** Less detail may leave out texts, but must not change anything else. */
export function describeDetail(store: Store): void {
  describe("detail", () => {
    it("`lean` gives the same classes, turns, calls and usage as `full`", () => {
      for (const ref of store.discover()) {
        const full = store.read(ref).map(verdictOf);
        expect(store.read(ref, { detail: "lean" }).map(verdictOf), ref.path).toEqual(full);
        expect(outlineOf(draftOf(store, ref, "lean")), ref.path).toEqual(outlineOf(draftOf(store, ref, "full")));
      }
    });

    it("`usage` gives the same prompts and token counts as `full`", () => {
      for (const ref of store.discover()) {
        const full = draftOf(store, ref, "full");
        const usage = draftOf(store, ref, "usage");
        expect(promptsOf(usage), ref.path).toEqual(promptsOf(full));
        expect(usage.usage, ref.path).toEqual(full.usage);
        expect(usage.tokens.counted).toBe(full.tokens.counted);
        expect(usage.records.records_read).toBe(full.records.records_read);
      }
    });

    it("every record and every token is counted in exactly one category", () => {
      for (const ref of store.discover()) expectBalance(draftOf(store, ref, "full"));
    });
  });
}

export function draftOf(store: Store, ref: SourceRef, detail: ReadContext["detail"]): FileDraft {
  const reading = store.source.read(ref, null, { detail });
  return buildDraft(ref, store.source.sessionId(ref), reading, { ledger: false, toolDetail: false });
}

/** Expects the categories of records and of tokens to add up to their totals. */
export function expectBalance(draft: FileDraft): void {
  const { records, tokens } = draft;
  const sum =
    records.owned_by_turns +
    records.setup +
    records.session_level +
    records.inherited +
    records.duplicates +
    records.unknown +
    records.corrupt;
  expect(records.records_read).toBe(sum);
  expect(Object.values(records.reasons).reduce((a, b) => a + b, 0)).toBe(records.records_read);
  expect(tokens.counted + tokens.duplicates + tokens.inherited + tokens.estimates).toBe(tokens.tokens_read);
}

function verdictOf(entry: ReturnType<Store["read"]>[number]): unknown {
  const { line, class: cls, reason, native, time, position, turnId, identity, tentative } = entry;
  return { line, cls, reason, native, time, position, turnId, identity, tentative };
}

/** A draft without its texts, except those of human prompts. */
function outlineOf(draft: FileDraft): unknown {
  const { meta, usage, records, tokens, first_time, last_time, children, rewinds } = draft;
  const turns = draft.turns.map((turn) => ({
    ...turn,
    trigger: { ...turn.trigger, text: turn.delegated ? "" : turn.trigger.text },
    final_text: "",
    outcome_detail: null,
  }));
  const tools = draft.tools.map((call) => ({ ...call, input: null, output: null, error: null, answers: null }));
  return { meta, turns, tools, usage, records, tokens, first_time, last_time, children, rewinds };
}

function promptsOf(draft: FileDraft): unknown {
  return draft.turns.map(({ delegated, identity, trigger }) => ({ delegated, identity, ...trigger, text: "" }));
}
