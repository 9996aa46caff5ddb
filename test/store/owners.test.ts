import { inside } from "../../src/answers/daybook.ts";
import { rmSync } from "node:fs";
import { afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { IndexStore } from "../../src/index/tables/index-store.ts";
import { fileEntries } from "../../src/book/reading/file-entries.ts";
import { DraftBuilder } from "../../src/turns/builder.ts";
import { lineOwners } from "../../src/views/recorded.ts";
import { placedEntries } from "../../src/turns/placed-entries.ts";
import { nine } from "../nine.ts";
import { copyCorpus, LABELS, open, scratch, type Roots } from "./fixture.ts";
import { sessionKey } from "../../src/record/session-key.ts";

let [dir, roots, home]: [string, Roots, string] = ["", {}, ""];
beforeAll(async () => {
  ({ dir, roots } = nine());
  home = scratch("home");
  const daybook = open(roots, home);
  await daybook.sync();
  daybook.close();
});

afterEach(() => vi.restoreAllMocks());

describe("the turn that owns a record", () => {
  it("is stored in the index as the turn builder determined it, for nine sources", async () => {
    const { sessions } = await inside(open(roots)).read();
    const store = IndexStore.openExisting(home);
    let owned = 0;
    for (const session of sessions) {
      const rows = store?.all("SELECT ref, part, lines FROM turn WHERE session = ?", sessionKey(session)) ?? [];
      const turns = rows.map(({ ref, part, lines }) => ({ ref, part, lines: JSON.parse(String(lines)) as number[] }));
      const finders = session.parts.map((_, part) => lineOwners(turns.filter((turn) => turn.part === part)));
      for (const { part, entry, row, turn_ref } of placedEntries(session, fileEntries)) {
        const owner = finders[session.parts.indexOf(part)]?.(entry.line)?.ref ?? null;
        const expectedRef = row.turn === null ? null : turn_ref;
        expect(`${part.path}:${entry.line} ${String(owner)}`).toBe(`${part.path}:${entry.line} ${String(expectedRef)}`);
        if (expectedRef !== null) owned++;
      }
    }
    store?.close();
    expect(owned).toBeGreaterThan(100);
  });
});

describe("the turn that owns a record written before its prompt", () => {
  it("is the same by line ranges as by ledger rows", async () => {
    const labels = LABELS.filter((label) => /^(?:codex|claude|copilot)-/.test(label));
    const { sessions } = await inside(open(copyCorpus(labels).roots)).read();
    let waited = 0;
    for (const session of sessions) {
      const owners = session.turns.map((turn) => ({ turn, lines: turn.draft.lines }));
      const finders = session.parts.map((part) => lineOwners(owners.filter(({ turn }) => turn.part === part)));
      for (const { part, entry, row, turn_ref } of placedEntries(session, fileEntries)) {
        const owner = finders[session.parts.indexOf(part)]?.(entry.line)?.turn.ref ?? null;
        const expectedRef = row.turn === null ? null : turn_ref;
        expect(`${part.path}:${entry.line} ${String(owner)}`).toBe(`${part.path}:${entry.line} ${String(expectedRef)}`);
        if (expectedRef !== null && /^(?:setup|early)$/.test(row.class)) waited++;
      }
    }
    expect(waited).toBeGreaterThan(0);
  });
});

describe("a query on a book", () => {
  it("is answered from rows, without building turns and without session files", async () => {
    const range = { since: "2020-01-01", until: "2026-12-30" };
    const direct = open(roots);
    const [report, context, decisions] = [await direct.report(range), await direct.context(), await direct.decisions()];
    const push = vi.spyOn(DraftBuilder.prototype, "push");
    const book = open(roots, home, { noSync: true });
    rmSync(dir, { recursive: true });
    // The diagnostics name the missing roots.
    const withoutDiagnostics = (one: typeof report): object => ({ ...one, diagnostics: [] });
    expect(withoutDiagnostics(await book.report(range))).toEqual(withoutDiagnostics(report));
    expect(await book.context()).toEqual(context);
    expect(await book.decisions()).toEqual(decisions);
    expect(push).not.toHaveBeenCalled();
    book.close();
  });
});
