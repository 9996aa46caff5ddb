import { rmSync } from "node:fs";
import { afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { IndexStore } from "../../src/store/tables/index-store.ts";
import { fileEntries } from "../../src/reading/file-entries.ts";
import { DraftBuilder } from "../../src/turns/builder.ts";
import { lineOwners } from "../../src/answers/recorded.ts";
import { placedEntries } from "../../src/turns/placed-entries.ts";
import { sessionKey } from "../../src/turns/session.ts";
import { nine } from "../nine.ts";
import { copyCorpus, LABELS, open, scratch, type Roots } from "./fixture.ts";

let [dir, roots, home]: [string, Roots, string] = ["", {}, ""];
beforeAll(async () => {
  ({ dir, roots } = nine());
  home = scratch("home");
  const daybook = open(roots, home);
  await daybook.sync();
  daybook.close();
});

afterEach(() => vi.restoreAllMocks());

describe("which turn owns a record", () => {
  it("is stored as the turn builder tells it, of every source", async () => {
    const { sessions } = await open(roots).read();
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

describe("which turn owns a record that waited for its turn", () => {
  it("is what the rows of the ledger say", async () => {
    const labels = LABELS.filter((label) => /^(?:codex|claude|copilot)-/.test(label));
    const { sessions } = await open(copyCorpus(labels).roots).read();
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

describe("a question put to a book", () => {
  it("is answered from rows: no session is put together again, and no file is needed", async () => {
    const range = { since: "2020-01-01", until: "2026-12-30" };
    const direct = open(roots);
    const [report, context, decisions] = [await direct.report(range), await direct.context(), await direct.decisions()];
    const built = vi.spyOn(DraftBuilder.prototype, "push");
    const book = open(roots, home, { noSync: true });
    rmSync(dir, { recursive: true });
    // Roots that are not there any more are named.
    const without = (expectedRef: typeof report): object => ({ ...expectedRef, diagnostics: [] });
    expect(without(await book.report(range))).toEqual(without(report));
    expect(await book.context()).toEqual(context);
    expect(await book.decisions()).toEqual(decisions);
    const [turn] = report.projects.flatMap((project) => project.turns);
    expect(await book.cited(turn?.citation ?? "", { ...range, project: report.projects[0]?.project })).not.toBeNull();
    expect(built).not.toHaveBeenCalled();
    book.close();
  });
});
