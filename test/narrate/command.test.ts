import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { run, type Ran } from "../cases/workspace.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const NARRATOR = join(ROOT, "examples/narrator.mjs");
const ROOTS = ["codex", "claude-code"].flatMap((source) => ["--root", `${source}=${join(ROOT, "samples", source)}`]);

/** A home where the bundled writer, which is no model, is configured. */
function narrating(settings = ""): ((...flags: string[]) => Promise<Ran>) & { home: string } {
  const home = mkdtempSync(join(tmpdir(), "daybook-narrate-"));
  const config = join(home, "config.toml");
  writeFileSync(
    config,
    `${settings}[narrate]\ncommand = [${JSON.stringify(process.execPath)}, ${JSON.stringify(NARRATOR)}]\n`,
  );
  const env = { HOME: home, PATH: process.env["PATH"] ?? "", DAYBOOK_CONFIG: config };
  const place = settings === "" ? ["--home", join(home, "book")] : [];
  const day = ["--timezone", "Etc/UTC", "--date", "2026-05-12", "--quiet"];
  return Object.assign(async (...flags: string[]) => run(["narrate", ...ROOTS, ...place, ...day, ...flags], env), {
    home,
  });
}

it("prints what the worked day of the docs shows", async () => {
  const { out, code } = await narrating()();
  expect(code).toBe(0);
  const shown = out.replaceAll(/^.*\/(?=report\.)/gm, "");
  expect(readFileSync(join(ROOT, "docs/narrate.md"), "utf8")).toContain(`\n\`\`\`\n${shown}\`\`\``);
});

it("says that tokens are estimated where nobody states them", async () => {
  const { out } = await narrating()("--json");
  const { spent, files } = JSON.parse(out) as { spent: Record<string, number | null>; files: string[] };
  expect(spent).toMatchObject({ requests: 5, estimated: 5, unpriced: 5, cost_usd: null });
  expect(files.map((path) => basename(path))).toContain("report.html");
});

it("has one budget for a week: what a day took is not there for the next step", async () => {
  const narrate = narrating();
  const taken = async (date: string): Promise<number> => {
    const { spent } = JSON.parse((await narrate("--json", "--date", date)).out) as { spent: Record<string, number> };
    return (spent["input_tokens"] ?? 0) + (spent["output_tokens"] ?? 0);
  };
  const days = (await taken("2026-05-11")) + (await taken("2026-05-12"));
  // Enough for the days and, alone, for the week over them; not for all.
  const { code, err } = await narrate("--week", "--budget", `${days + 100}t`);
  expect([code, err]).toEqual([1, expect.stringContaining("tokens, and 100 are left")]);
  expect((await narrate("--week", "--budget", `${days + 10_000}t`)).code).toBe(0);
});

it("is one JSON document for a week: planned, stopped at a day, and written", async () => {
  const narrate = narrating();
  interface Week {
    state: string;
    days: { state: string; why: string | null; spent: { requests: number } | null; plan: unknown }[];
    [name: string]: unknown;
  }
  const asked = async (...flags: string[]): Promise<[code: number, week: Week]> => {
    const { out, code } = await narrate("--week", "--json", ...flags);
    return [code, JSON.parse(out) as Week];
  };
  const [, planned] = await asked("--dry-run");
  expect(planned).toMatchObject({ state: "planned", since: "2026-05-11", until: "2026-05-17", report: null });
  expect(planned.days.map(({ state, plan }) => [state, plan === null])).toEqual(
    planned.days.map(() => ["planned", false]),
  );
  // What stopped one day would stop the next as well.
  const [code, stopped] = await asked("--budget", "1t");
  expect([code, stopped.days.length]).toEqual([1, 1]);
  expect(stopped).toMatchObject({ state: "stopped", why: expect.stringContaining("and 1 are left") as string });
  const [done, written] = await asked();
  expect([done, written.state, written.days.length]).toEqual([0, "written", planned.days.length]);
  const sum = written.days.reduce((all, { spent }) => all + (spent?.requests ?? 0), 0);
  expect(written).toMatchObject({ spent: { requests: sum + 1 }, report: { since: "2026-05-11" } });
  expect((await narrate("--week", "--format", "markdown")).out).toMatch(/^# Daybook Narrative — 2026-05-11 to/);
});

it("works where config.toml says the book is, and notes a workspace that stands elsewhere", async () => {
  const book = mkdtempSync(join(tmpdir(), "daybook-book-"));
  const narrate = narrating(`home = ${JSON.stringify(book)}\n`);
  expect(JSON.parse((await narrate("--dry-run", "--json")).out)).toMatchObject({
    workspace: join(book, "work", "2026-05-12"),
  });
  const out = join(narrate.home, "day");
  expect((await narrate("--out", out)).code).toBe(0);
  expect(JSON.parse(readFileSync(join(book, "private", "workplaces.jsonl"), "utf8"))).toMatchObject({ dir: out });
});
