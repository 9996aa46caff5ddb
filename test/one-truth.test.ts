import { readdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Daybook, inside } from "../src/answers/daybook.ts";
import type { DayReport } from "../src/answers/report/model.ts";
import { main } from "../src/doors/cli/main.ts";
import { sessionKey, turnKey, turnKeyIn } from "../src/record/session-key.ts";
import { renderHtml } from "../src/render/html.ts";
import { renderMarkdown } from "../src/render/markdown.ts";
import { shownOutcome } from "../src/render/phrases.ts";
import { OUTCOME_WORDS, outcomeText } from "../src/views/outcome-words.ts";
import type { SessionView } from "../src/views/session-view.ts";
import type { TurnView } from "../src/views/turn-view.ts";
import { askingOf, NOW } from "./http/serving.ts";
import { connected, whole } from "./mcp/client.ts";
import { NIGHTLY } from "./nightly.ts";
import { MONTH_ROOTS } from "./report/month.ts";
import { copyCorpus, open, type Roots, scratch } from "./store/fixture.ts";

/** Further roots to try: a folder of `SOURCE` folders. */
const MORE = process.env["DAYBOOK_TRUTH_ROOTS"];
const SETS: [string, () => Roots, string][] = [
  ["a fortnight of one developer", () => MONTH_ROOTS, "Europe/Berlin"],
  ["sessions of many agents", () => copyCorpus().roots, "UTC"],
];
if (MORE !== undefined) {
  const ids: Readonly<Record<string, string>> = { claude: "claude-code" };
  const found = readdirSync(MORE, { withFileTypes: true }).filter((one) => one.isDirectory());
  const roots = Object.fromEntries(found.map(({ name }) => [ids[name] ?? name, [join(MORE, name)]]));
  SETS.push(["further sessions", () => roots, "Europe/Berlin"]);
}

describe.each(SETS)("%s: what is said of a request", (_, rootsOf, timezone) => {
  const home = scratch("truth");
  let daybook: Daybook | undefined;
  let turns: readonly TurnView[] = [];
  /** Every day with work, as a report. */
  let reports: DayReport[] = [];
  /** The sign of each request by what reports say of it. */
  const signs = new Map<string, string>();
  const flags: string[] = [];
  const opened = (): Daybook => daybook ?? expect.fail("not open");

  beforeAll(async () => {
    const roots = rootsOf();
    flags.push(
      ...Object.entries(roots).flatMap(([source, paths]) => paths.flatMap((path) => ["--root", `${source}=${path}`])),
    );
    daybook = open(roots, home, { timezone });
    await daybook.sync();
    turns = (await daybook.turns()).filter(({ trigger }) => trigger.time !== null);
    const days = [...new Set(turns.map(({ trigger }) => opened().zone.day(Date.parse(trigger.time ?? ""))))];
    reports = await Promise.all(days.map((date) => opened().report({ date })));
    for (const turn of reports.flatMap(({ projects }) => projects.flatMap((one) => one.turns)))
      signs.set(turnKey(turn), OUTCOME_WORDS[shownOutcome(turn)].sign);
    expect(signs.size).toBe(turns.length);
    expect(new Set(signs.values()).size).toBeGreaterThan(1);
  });
  afterAll(() => daybook?.close());

  async function printed(words: string): Promise<string> {
    let text = "";
    const out = (some: string): void => void (text += some);
    const argv = [...words.split(" "), ...flags, "--home", home, "--no-sync", "-z", timezone, "-q"];
    const terminal = { outIsTerminal: false, errIsTerminal: false, inIsTerminal: true };
    await main(argv, {
      out,
      err: () => undefined,
      env: { HOME: home, NO_COLOR: "1" },
      now: NOW,
      columns: 200,
      ...terminal,
    });
    return text;
  }
  async function asked<T>(path: string): Promise<T> {
    return (await (await askingOf(opened())(path)).json()) as T;
  }
  const signsOf = (session: SessionView): string[] =>
    turns.filter((turn) => sessionKey(turn) === sessionKey(session)).map(signOf);
  const signOf = (turn: TurnView): string => signs.get(turnKey(turn)) ?? "";

  it("has one sign in lists, transcripts, documents, on the page and over MCP", async () => {
    const all = await opened().sessions({ children: true });
    // Each is printed four times: usually some of every agent are enough.
    const sessions = all.filter((one, i) => NIGHTLY || signsOf(one).includes("!") || i % 9 === 0);
    const naming = await inside(opened()).naming(sessions);
    const listed = await printed("turns --limit 0");
    const { ask } = await connected({ daybook: opened(), cwd: null, env: {} });
    const words = new Map(Object.entries(OUTCOME_WORDS).map(([name, { sign }]) => [name, sign]));
    for (const session of sessions) {
      const own = turns.filter((turn) => sessionKey(turn) === sessionKey(session));
      if (own.length === 0) continue;
      const expected = own.map((turn) => [turn.turn_ref, signOf(turn)]);
      const block = listed
        .split("\n  ")
        .join("\n")
        .split(`· ${naming(session)}`)
        .slice(1)
        .join("\n");
      for (const turn of own)
        expect([naming(session), block]).toEqual([
          naming(session),
          expect.stringMatching(new RegExp(`^ *\\${signOf(turn)} \\S+ ${turn.turn_ref} `, "m")),
        ]);

      const shown = await printed(`show ${session.session_id} --source ${session.source}`);
      // Where records of two requests alternate, a request is named again.
      const named = new Map([...shown.matchAll(/^── (T\d+) .* {2}(\S) /gm)].map(([, ref, sign]) => [ref, sign]));
      expect([...named]).toEqual(expected);
      const text = await printed(`show ${session.session_id} --source ${session.source} --format markdown`);
      expect([...text.matchAll(/^## (T\d+) · .* · (\S) [^·]+ · lines/gm)].map(([, ref, sign]) => [ref, sign])).toEqual(
        expected,
      );
      const html = await printed(`show ${session.session_id} --source ${session.source} --format html`);
      const feet = [
        ...html.matchAll(
          /<section id="(T\d+)"[\s\S]*?<footer[^>]*>[\s\S]*?<span class="(?:good|wait|bad|quiet)[^"]*">(\S) /g,
        ),
      ];
      expect(feet.map(([, ref, sign]) => [ref, sign])).toEqual(expected);

      const at = `/api/sessions/${encodeURIComponent(session.source)}/${encodeURIComponent(session.session_id)}/requests`;
      const page = await asked<{
        turns: { turn_ref: string; shown_outcome: string }[];
        session: { shown_outcome: string };
      }>(at);
      expect(page.turns.map((one) => [one.turn_ref, words.get(one.shown_outcome)])).toEqual(expected);
      expect(words.get(page.session.shown_outcome)).toBe(expected.at(-1)?.[1]);
    }
    const told = await ask("list", { what: "turns", limit: 100 });
    for (const line of told.inside.split("\n").filter((one) => /\/T\d+:/.test(one))) {
      const { session, turn } = await opened().find(/^\S+/.exec(line)?.[0] ?? "");
      const sign = signs.get(turnKeyIn(sessionKey(session), turn?.ref ?? ""));
      if (!/rewound|rolled_back/.test(line))
        expect(line).toContain(` · ${[...words].find(([, one]) => one === sign)?.[0]} · `);
    }
  });

  it("is counted alike for every day and project, by one word", async () => {
    for (const report of reports) {
      const { span, totals, projects } = report;
      const n = totals.turns === 1 ? "1 request" : `${totals.turns} requests`;
      expect(
        turns.filter(({ trigger }) => opened().zone.day(Date.parse(trigger.time ?? "")) === span.since).length,
      ).toBe(totals.turns);
      const terminal = await printed(`report --date ${span.since}`);
      const full = await printed(`report --full --date ${span.since}`);
      const markdown = renderMarkdown(report);
      const { ask } = await connected({ daybook: opened(), cwd: null, env: {} });
      const told = await whole(ask, "report", { date: span.since });
      for (const text of [terminal, full, markdown, told]) expect(text).toContain(n);
      const html = renderHtml(report);
      expect(html).toMatch(new RegExp(`>${totals.turns}</span>\\s*<span class="label[^"]*">requests?<`));
      const page = await asked<DayReport>(`/api/report?date=${span.since}`);
      expect(page.totals).toEqual(totals);
      for (const one of projects) {
        const own = one.turns.length === 1 ? "1 request" : `${one.turns.length} requests`;
        const mine = turns.filter(
          (turn) =>
            turn.project === one.project && opened().zone.day(Date.parse(turn.trigger.time ?? "")) === span.since,
        );
        expect([one.project, mine.length]).toEqual([one.project, one.turns.length]);
        if (own === n || one.turns.length === 0) continue;
        const texts = { full, markdown, mcp: told, html };
        const without = Object.entries(texts)
          .filter(([, text]) => !text.includes(own))
          .map(([name]) => name);
        expect([one.project, own, without]).toEqual([one.project, own, []]);
      }
      // Nowhere is it a turn.
      for (const text of [terminal, full, markdown.replaceAll(/`[^`]*`/g, "")]) expect(text).not.toMatch(/\d turns?\b/);
    }
  });

  it("has its outcome in the same words wherever one is written", async () => {
    const unproven = turns.find((turn) => signOf(turn) === "!");
    if (unproven === undefined) return;
    const text = await printed(`show ${unproven.session_id}/${unproven.turn_ref}`);
    expect(text).toContain(outcomeText("unproven"));
  });
});
