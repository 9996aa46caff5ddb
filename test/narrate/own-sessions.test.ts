import { appendFileSync, cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { Daybook, inside } from "../../src/answers/daybook.ts";
import { noteOwnPlace, ownPlaces } from "../../src/answers/workspace/own-places.ts";
import { prepareWorkspace } from "../../src/answers/workspace/prepare.ts";
import { run } from "../cases/workspace.ts";
import { askingOf } from "../http/serving.ts";

const SAMPLES = fileURLToPath(new URL("../../samples/", import.meta.url));
/** The working directory of the sessions in `fixtures/narration`: a workspace named by `--out`. */
const OUTSIDE = "/home/mira/reports/2026-05-12";
const NARRATION = fileURLToPath(new URL("../fixtures/narration/", import.meta.url));

it("sessions that write narratives are left out of reports, but counted as usage", async () => {
  const dir = mkdtempSync(join(tmpdir(), "daybook-own-"));
  const home = join(dir, "home");
  cpSync(join(SAMPLES, "codex"), join(dir, "codex"), { recursive: true });
  cpSync(join(SAMPLES, "claude-code"), join(dir, "claude"), { recursive: true });
  const roots = { codex: [join(dir, "codex")], "claude-code": [join(dir, "claude")] };
  const options = { roots, timezone: "UTC", now: Date.parse("2026-05-20T12:00:00Z"), book: home };
  const before = new Daybook(options);
  const [first, usage] = [await before.report({ date: "2026-05-12" }), await totalsOf(before)];
  before.close();

  // One of the day's sessions now has a workspace as its working directory.
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
  expect(JSON.stringify([report.loose_ends, report.carried_over])).not.toContain("019e1976-ddef-7024");
  expect(await totalsOf(after)).toEqual(usage);
  // A query that names the session still shows it.
  const named = await after.report({ date: "2026-05-12", session: "019e1976-ddef-7024" });
  expect(named.totals.turns).toBe(1);
  after.close();
});

it("they are left out of every list of sessions and turns too, unless named", async () => {
  const roots = {
    codex: [join(NARRATION, "codex")],
    "claude-code": [join(SAMPLES, "claude-code"), join(NARRATION, "claude-code")],
  };
  const home = mkdtempSync(join(tmpdir(), "daybook-own-"));
  noteOwnPlace(home, OUTSIDE, Date.parse("2026-11-15T12:00:00Z"));
  const daybook = new Daybook({ roots, timezone: "UTC", now: Date.parse("2026-11-20T12:00:00Z"), book: home });
  const every = await daybook.sessions({ own: true });
  const own = every.filter(({ cwd }) => cwd === OUTSIDE);
  const others = every.length - own.length;
  expect([own.length, others > 0]).toEqual([2, true]);
  const places = async (list: Promise<readonly { session_id: string }[]>): Promise<unknown> =>
    (await list).filter(({ session_id }) => own.some((one) => one.session_id === session_id)).length;
  expect(await places(daybook.sessions())).toBe(0);
  expect(await places(daybook.turns())).toBe(0);
  expect(await places(daybook.turns({ own: true }))).toBe(2);
  expect(await places(inside(daybook).glances())).toBe(0);
  expect(await places(daybook.tools())).toBe(0);
  expect([await inside(daybook).count("sessions"), await inside(daybook).count("sessions", { own: true })]).toEqual([
    others,
    every.length,
  ]);
  expect((await inside(daybook).sessionKinds()).reduce((sum, { sessions }) => sum + sessions, 0)).toBe(others);
  expect((await inside(daybook).projectWork()).map(({ project }) => project)).not.toContain("2026-05-12");
  expect([...(await inside(daybook).turnDays()).keys()]).not.toContain("2026-11-16");
  // Whoever names one wants to see it; all can be forgotten and exported, and count as spent.
  const [one] = own;
  expect(await places(daybook.sessions({ session: one?.session_id }))).toBe(1);
  expect(await places(daybook.sessions({ project: one?.project }))).toBe(2);
  expect((await daybook.forgetPlan({ before: "2026-12-01" })).sessions).toHaveLength(every.length);
  const ask = askingOf(daybook);
  for (const path of ["/api/sessions?limit=500&children=true", "/api/turns?limit=500", "/api/tools?limit=500"]) {
    const response = await ask(path);
    expect([path, response.status]).toEqual([path, 200]);
    expect([path, await response.text()]).toEqual([path, expect.not.stringContaining(one?.session_id ?? "")]);
  }
  daybook.close();

  const named = Object.entries(roots).flatMap(([id, paths]) => paths.flatMap((path) => ["--root", `${id}=${path}`]));
  const flags = ["--home", home, "-z", "UTC", ...named];
  const { out } = await run(["sessions", ...flags, "--limit", "0"], {}, Date.parse("2026-11-20T12:00:00Z"));
  expect(out).toContain(`${others} sessions, 2 of narratives left out`);
  const { out: listed } = await run(["turns", ...flags, "--limit", "0"], {}, Date.parse("2026-11-20T12:00:00Z"));
  expect(listed).toMatch(/\d+ requests, 2 of narratives left out/);
});

async function totalsOf(daybook: Daybook): Promise<unknown> {
  const { totals } = await daybook.usage({ group: "daily", by: "spent", breakdown: false, order: "asc" });
  return totals;
}

it("sessions in a workspace outside of the home are left out once that directory is noted", async () => {
  const roots = {
    codex: [join(NARRATION, "codex")],
    "claude-code": [join(NARRATION, "claude-code")],
    opencode: [join(NARRATION, "opencode.db")],
  };
  const [date, now] = ["2026-11-16", Date.parse("2026-11-20T12:00:00Z")];
  const countsOf = async (home: string): Promise<Record<string, number>> => {
    const daybook = new Daybook({ roots, timezone: "UTC", now, book: home });
    await daybook.sync();
    const { totals, diagnostics } = await daybook.report({ date });
    const { sessions } = await prepareWorkspace(inside(daybook), { date, home, now, force: true });
    daybook.close();
    const own = diagnostics.filter(({ code, message }) => code === "own_sessions" && message.startsWith("3 sessions"));
    return { turns: totals.turns, own: own.length, prepared: sessions };
  };
  const homes = [0, 1].map(() => mkdtempSync(join(tmpdir(), "daybook-own-")));
  const [home = "", later = ""] = homes;
  expect(await countsOf(home)).toEqual({ turns: 3, own: 0, prepared: 3 });
  // The answer cached before the directory was noted is not used.
  noteOwnPlace(home, OUTSIDE, Date.parse("2026-11-15T12:00:00Z"));
  expect(await countsOf(home)).toEqual({ turns: 0, own: 1, prepared: 0 });
  // A session that began before the directory was noted is kept.
  noteOwnPlace(later, OUTSIDE, Date.parse("2026-11-17T00:00:00Z"));
  expect(await countsOf(later)).toEqual({ turns: 3, own: 0, prepared: 3 });
});

it("a directory is noted only once, and a truncated line is ignored", async () => {
  const home = mkdtempSync(join(tmpdir(), "daybook-own-"));
  const path = join(home, "private", "workplaces.jsonl");
  noteOwnPlace(home, OUTSIDE, 0);
  noteOwnPlace(home, OUTSIDE, 1);
  noteOwnPlace(home, join(home, "work", "2026-05-12"), 0);
  expect(readFileSync(path, "utf8")).toBe(`{"dir":"${OUTSIDE}","since":"1970-01-01T00:00:00.000Z"}\n`);
  appendFileSync(path, '{"dir":"/home/mi');
  noteOwnPlace(home, "/home/mira/other", 5);
  expect(ownPlaces(home).filter(({ since }) => since !== null)).toEqual([
    { dir: OUTSIDE, since: 0 },
    { dir: "/home/mira/other", since: 5 },
  ]);
});
