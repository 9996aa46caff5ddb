import { mkdtempSync, readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { EvidenceStore } from "../../src/narrate/evidence-store.ts";
import type { TurnEvidence } from "../../src/narrate/turn-evidence.ts";

/** A turn with several megabytes of text. */
function turnOf(n: number): TurnEvidence {
  const text = `${n} ü😀 `.repeat(200_000);
  return {
    project_key: "p",
    session_ref: "S0001",
    turn_ref: `T${n}`,
    start: n,
    end: n,
    trigger_lines: [n],
    lines: [{ line: n, by: "agent", text }],
    compact: [{ line: n, kind: "assistant", text }],
    calls: [],
    commits: [],
    agents: [],
    view: null,
  };
}

it("EvidenceStore returns texts unchanged, caches only the most recent ones and deletes its file on close", () => {
  const folder = mkdtempSync(join(tmpdir(), "daybook-store-"));
  const store = new EvidenceStore(folder);
  const stored = [1, 2, 3, 4, 5].map((n) => store.keep(turnOf(n)));
  for (const [i, turn] of stored.entries()) expect({ ...turn }).toEqual(turnOf(i + 1));
  const [first, , , fourth, fifth] = stored;
  // The most recently used texts stay in memory; others are read again, as new objects.
  expect(fifth?.lines).toBe(fifth?.lines);
  const before = fifth?.lines;
  expect([first?.lines[0]?.line, fourth?.lines[0]?.line]).toEqual([1, 4]);
  expect(fifth?.lines).not.toBe(before);
  store.close();
  expect(readdirSync(folder)).toEqual([]);
});
