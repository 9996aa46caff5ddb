import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { Daybook } from "../../src/daybook.ts";

const SAMPLES = fileURLToPath(new URL("../../samples/", import.meta.url));

it("sessions in which narratives are written are no work of a day, and are counted as usage", async () => {
  const dir = mkdtempSync(join(tmpdir(), "daybook-own-"));
  const home = join(dir, "home");
  cpSync(join(SAMPLES, "codex"), join(dir, "codex"), { recursive: true });
  cpSync(join(SAMPLES, "claude-code"), join(dir, "claude"), { recursive: true });
  const roots = { codex: [join(dir, "codex")], "claude-code": [join(dir, "claude")] };
  const options = { roots, timezone: "UTC", now: Date.parse("2026-05-20T12:00:00Z"), book: home };
  const before = new Daybook(options);
  const [first, usage] = [await before.report({ date: "2026-05-12" }), await totalsOf(before)];
  before.close();

  // One of the day's sessions is now one that an agent had in a workspace.
  const own = readdirSync(join(dir, "codex"), { recursive: true, encoding: "utf8" }).find((name) =>
    name.includes("019e1976-ddef-7024"),
  );
  const path = join(dir, "codex", own ?? "");
  const work = join(home, "work", "2026-05-11");
  mkdirSync(work, { recursive: true });
  writeFileSync(path, readFileSync(path, "utf8").replaceAll(/"cwd":"[^"]*"/g, `"cwd":${JSON.stringify(work)}`));
  const after = new Daybook(options);
  await after.sync({ full: true });
  const report = await after.report({ date: "2026-05-12" });
  expect(first.totals.turns - report.totals.turns).toBe(1);
  expect(report.projects.map(({ project }) => project)).toEqual(["harbor-labs-tidepool"]);
  expect(report.balance.balanced).toBe(true);
  expect(report.diagnostics).toContainEqual(
    expect.objectContaining({
      code: "own_sessions",
      message: expect.stringMatching(
        /^1 session in which narratives were written left out: [\d,]+ tokens, \$\d/,
      ) as string,
    }),
  );
  expect(JSON.stringify([...report.loose_ends, ...report.carried_over])).not.toContain("019e1976-ddef-7024");
  expect(await totalsOf(after)).toEqual(usage);
  // Whoever names it is shown it.
  const named = await after.report({ date: "2026-05-12", session: "019e1976-ddef-7024" });
  expect(named.totals.turns).toBe(1);
  after.close();
});

async function totalsOf(daybook: Daybook): Promise<unknown> {
  const { totals } = await daybook.usage({ group: "daily", by: "spent", breakdown: false, order: "asc" });
  return totals;
}
