import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { open, scratch } from "./fixture.ts";

const samples = (agent: string): string => fileURLToPath(new URL(`../../samples/${agent}`, import.meta.url));

it("an audit of some days covers the sessions of these days and balances, with and without a book", async () => {
  const roots = { codex: [samples("codex")], "claude-code": [samples("claude-code")] };
  const direct = open(roots, undefined, { timezone: "UTC" });
  const book = open(roots, scratch("home"), { timezone: "UTC" });
  const counts = new Set<number>();
  for (const span of [{}, { until: "2026-05-11" }, { since: "2026-05-12" }, { since: "2030-01-01" }]) {
    const audit = await direct.audit(span);
    const ids = (await direct.sessions(span)).map(({ session_id }) => session_id);
    expect(audit.sessions.map(({ session_id }) => session_id).toSorted()).toEqual(ids.toSorted());
    expect(audit.balanced).toBe(true);
    expect(await book.audit(span)).toEqual(audit);
    counts.add(audit.sessions.length);
  }
  expect(counts.size).toBeGreaterThan(2);
  book.close();
});
