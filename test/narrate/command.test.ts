import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { run, type Ran } from "../cases/workspace.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const NARRATOR = join(ROOT, "examples/narrator.mjs");
const ROOTS = ["codex", "claude-code"].flatMap((source) => ["--root", `${source}=${join(ROOT, "samples", source)}`]);

/** Runs `daybook narrate` in a home that is configured to use the bundled example writer, which is not a model. */
function narrateCommand(settings = ""): ((...flags: string[]) => Promise<Ran>) & { home: string } {
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

it("daybook narrate prints the output shown in docs/narrate.md", async () => {
  const { out, code } = await narrateCommand()();
  expect(code).toBe(0);
  const shown = out.replaceAll(/^.*\/(?=report\.)/gm, "");
  expect(readFileSync(join(ROOT, "docs/narrate.md"), "utf8")).toContain(`\n\`\`\`\n${shown}\`\`\``);
});

it("inspect lists only stages that narrate makes, and finds all of them after it", async () => {
  const narrate = narrateCommand();
  expect((await narrate()).code).toBe(0);
  const asked = ["inspect", "--home", join(narrate.home, "book"), "--date", "2026-05-12"];
  const { out } = await run(asked, {});
  expect(out).toContain("html               present");
  expect(out).not.toContain("missing");
  const json = JSON.parse((await run([...asked, "--json"], {})).out) as Record<string, unknown>;
  const stages = Object.entries(json).filter(([, value]) => typeof value === "boolean");
  expect(stages).toEqual([
    ["daily_report", true],
    ["markdown", true],
    ["html", true],
  ]);
});

it("tokens are counted as estimated when the agent does not state them", async () => {
  const { out } = await narrateCommand()("--json");
  const { spent, files } = JSON.parse(out) as { spent: Record<string, number | null>; files: string[] };
  expect(spent).toMatchObject({ requests: 5, estimated: 5, unpriced: 5, cost_usd: null });
  expect(files.map((path) => basename(path))).toContain("report.html");
});

it("--week has one budget for all its days and the weekly report", async () => {
  const narrate = narrateCommand();
  const tokensOf = async (date: string): Promise<number> => {
    const { spent } = JSON.parse((await narrate("--json", "--date", date)).out) as { spent: Record<string, number> };
    return (spent["input_tokens"] ?? 0) + (spent["output_tokens"] ?? 0);
  };
  const days = (await tokensOf("2026-05-11")) + (await tokensOf("2026-05-12"));
  // Enough for the days, but not for the weekly report after them.
  const { code, err } = await narrate("--week", "--budget", `${days + 100}t`);
  expect([code, err]).toEqual([1, expect.stringContaining("tokens, and 100 are left")]);
  expect((await narrate("--week", "--budget", `${days + 10_000}t`)).code).toBe(0);
});

it("--week --json prints one document, whether the week is planned, stopped at a day or written", async () => {
  const narrate = narrateCommand();
  interface Week {
    state: string;
    days: { state: string; why: string | null; spent: { requests: number } | null; plan: unknown }[];
    [name: string]: unknown;
  }
  const narrateWeek = async (...flags: string[]): Promise<[code: number, week: Week]> => {
    const { out, code } = await narrate("--week", "--json", ...flags);
    return [code, JSON.parse(out) as Week];
  };
  const [, planned] = await narrateWeek("--dry-run");
  expect(planned).toMatchObject({ state: "planned", since: "2026-05-11", until: "2026-05-17", report: null });
  expect(planned.days.map(({ state, plan }) => [state, plan === null])).toEqual(
    planned.days.map(() => ["planned", false]),
  );
  // After a day was stopped, the next day is not tried.
  const [code, stopped] = await narrateWeek("--budget", "1t");
  expect([code, stopped.days.length]).toEqual([1, 1]);
  expect(stopped).toMatchObject({ state: "stopped", why: expect.stringContaining("and 1 are left") as string });
  const [done, written] = await narrateWeek();
  expect([done, written.state, written.days.length]).toEqual([0, "written", planned.days.length]);
  const sum = written.days.reduce((all, { spent }) => all + (spent?.requests ?? 0), 0);
  expect(written).toMatchObject({ spent: { requests: sum + 1 }, report: { since: "2026-05-11" } });
  expect((await narrate("--week", "--format", "markdown")).out).toMatch(/^# Daybook Narrative — 2026-05-11 to/);
});

it("the workspace is inside the home of config.toml, and one named by --out is noted", async () => {
  const book = mkdtempSync(join(tmpdir(), "daybook-book-"));
  const narrate = narrateCommand(`home = ${JSON.stringify(book)}\n`);
  expect(JSON.parse((await narrate("--dry-run", "--json")).out)).toMatchObject({
    workspace: join(book, "work", "2026-05-12"),
  });
  const out = join(narrate.home, "day");
  expect((await narrate("--out", out)).code).toBe(0);
  expect(JSON.parse(readFileSync(join(book, "private", "workplaces.jsonl"), "utf8"))).toMatchObject({ dir: out });
});
