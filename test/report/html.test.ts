import { inside } from "../../src/answers/daybook.ts";
import { describe, expect, it } from "vitest";
import { renderHtml } from "../../src/render/html.ts";
import { A, at, CALL, E, M, OUT, open, R, TC, TD, TS, U, type Line } from "../cases/build.ts";
import { sampleReport } from "./formats.ts";
import { DAYS, month } from "./month.ts";

/** Ids of the turns on a page, in its order. */
function turnsOn(page: string): string[] {
  return [...page.matchAll(/<div class="turn" id="(p\d+-[^"]+-T\d+)">/g)].map(([, id = ""]) => id);
}

/** A very busy day: 262 requests in 40 sessions of 6 projects, with long prompts, answers, failures and files. */
function busyDay(turns = 262): Record<string, Line[]> {
  const files: Record<string, Line[]> = {};
  const words = "cache report row reader index zone price token search export parser lock queue page style mark";
  for (let n = 0; n < turns; n++) {
    const session = n % 40;
    const lines = (files[`rollout-${session}.jsonl`] ??= [
      M(`s${session}`, { cwd: `/nowhere/project-${session % 6}` }),
    ]);
    const clock = (second: number): string =>
      new Date(Date.parse("2026-05-12T06:00:00Z") + n * 120_000 + second * 1000).toISOString();
    const id = `t${n}`;
    // Each session has its own vocabulary, so that the report does not merge them into one item.
    const topic = words
      .split(" ")
      .map((word, i) => `${word}${(session * 7 + i * 3) % 40}`)
      .join(" ");
    const path = `src/part-${n % 30}/a-file-with-a-name.ts`;
    const patch = `*** Begin Patch\n*** Update File: ${path}\n@@\n-const old = "${n}";\n+const fresh = "${n}";\n*** End Patch`;
    const records = [
      TS(id),
      TC(),
      R(`${n}: ${topic.repeat(6)}`),
      E(`${n}: ${topic.repeat(6)}`),
      ...["a", "b", "c"].flatMap((call) => [
        CALL(`${id}${call}`, "exec_command", { cmd: `npm test -- ${topic}${call}` }),
        OUT(`${id}${call}`, { output: "1 failed", metadata: { exit_code: 1 } }),
      ]),
      CALL(`${id}p`, "apply_patch", { input: patch }),
      OUT(`${id}p`, "Success. Updated the following files:\nM a"),
      CALL(`${id}g`, "exec_command", { cmd: `git commit -am "part ${n}"` }),
      OUT(`${id}g`, `[main abc${1000 + n}] part ${n}`),
      A(`Part ${n} is done. ${topic.repeat(10)}\n\n- one\n- two\n\n\`\`\`\n${topic.repeat(4)}\n\`\`\``),
      U(100, 100),
      TD(id),
    ];
    lines.push(...records.map((line, i) => at(clock(i), line)));
  }
  return files;
}

describe("HTML report", () => {
  it("stays under 400 kB for a day with 262 turns, and contains every turn once", async () => {
    const report = await open({ codex: busyDay() }).report({ date: "2026-05-12" });
    expect(report.totals.turns).toBe(262);
    const page = renderHtml(report);
    expect(Buffer.byteLength(page)).toBeLessThanOrEqual(400_000);
    expect(new Set(turnsOn(page)).size).toBe(262);
    expect(turnsOn(page)).toHaveLength(262);
  });

  it("shows file edits of successful calls as folded diffs, and stays under 400 kB with long ones", async () => {
    const daybook = open({ codex: busyDay() });
    const report = await daybook.report({ date: "2026-05-12" });
    const page = renderHtml(report, await inside(daybook).edits(report));
    expect(page.match(/<details class="edits"><summary>1 file edited, \+1 −1<\/summary>/g)).toHaveLength(262);
    expect(page).toContain("<del>- const old = &quot;261&quot;;</del><ins>+ const fresh = &quot;261&quot;;</ins>");
    const content = Array.from({ length: 400 }, (_, i) => `line ${i} ${"word ".repeat(60)}`).join("\n");
    const long = renderHtml(report, () => [{ kind: "write", path: "/nowhere/a.ts", content }]);
    expect(long.match(/<i>… 398 more lines<\/i>/g)).toHaveLength(262);
    expect(Math.max(Buffer.byteLength(page), Buffer.byteLength(long))).toBeLessThanOrEqual(400_000);
  });

  it("shows no edits of failed calls, and hides secrets in diffs", async () => {
    const patch = (text: string): object => ({
      input: `*** Begin Patch\n*** Add File: a.env\n+${text}\n*** End Patch`,
    });
    const lines = [
      M("s1"),
      TS("t1"),
      TC(),
      R("write it"),
      E("write it"),
      CALL("c1", "apply_patch", patch("NEVER=1")),
      OUT("c1", { output: "no", metadata: { exit_code: 1 } }),
      CALL("c2", "apply_patch", patch(`TOKEN=ghp_${"aB3".repeat(12)}`)),
      OUT("c2", "Success. Updated"),
      A("Written."),
      U(1, 1),
      TD("t1"),
    ].map((line, i) => at(new Date(Date.UTC(2026, 4, 12, 6, 0, i)).toISOString(), line));
    const daybook = open({ codex: { "rollout-1.jsonl": lines } });
    const report = await daybook.report({ date: "2026-05-12" });
    const page = renderHtml(report, await inside(daybook).edits(report));
    expect(page).toContain("<ins>+ TOKEN=[redacted:");
    expect(page).not.toMatch(/ghp_aB3|<ins>\+ NEVER=1/);
    expect(renderHtml(report, await inside(daybook).edits(report, { redact: false }))).toContain("ghp_aB3");
  });

  it("contains every turn of the month once, inside its item, with its answer", async () => {
    const daybook = month();
    for (const date of DAYS) {
      const report = await daybook.report({ date });
      const page = renderHtml(report);
      const turns = report.projects.flatMap((project, i) =>
        project.turns.map((turn) => ({ ...turn, id: `p${i + 1}-${turn.session_ref}-${turn.turn_ref}` })),
      );
      expect(turnsOn(page).toSorted()).toEqual(turns.map(({ id }) => id).toSorted());
      const items = report.projects.flatMap((project, i) =>
        (project.items ?? []).map((item) =>
          item.turns.map((citation) => `p${i + 1}-${citation.split(":")[0]?.replace("/", "-")}`).toSorted(),
        ),
      );
      const details = page.split('<details class="item"').slice(1);
      expect(details.map((text) => turnsOn(text).toSorted().join(" ")).toSorted()).toEqual(
        items.map((ids) => ids.join(" ")).toSorted(),
      );
      const answered = page
        .split('<div class="turn" id="')
        .slice(1)
        .filter((text) => text.includes('<div class="answer">'))
        .map((text) => text.slice(0, text.indexOf('"')));
      expect(answered.toSorted()).toEqual(
        turns
          .filter(({ last_words }) => last_words !== null)
          .map(({ id }) => id)
          .toSorted(),
      );
    }
    daybook.close();
  });

  it("links loose ends and decisions to their turns, with time and citation", async () => {
    const report = await sampleReport({ date: "2026-05-12" });
    const page = renderHtml(report);
    const turns = new Map(
      report.projects.flatMap(({ turns: list }) => list).map((turn) => [turn.session_id + turn.turn_ref, turn]),
    );
    expect(report.decisions.length + (report.loose_ends?.length ?? 0)).toBeGreaterThan(1);
    for (const { citation, session_id, turn_ref } of [...report.decisions, ...(report.loose_ends ?? [])]) {
      const clock = turns.get(session_id + turn_ref)?.local_time.slice(11, 16);
      expect(page).toContain(`title="${citation}">${clock}</a>`);
    }
    for (const [, id = ""] of page.matchAll(/href="#([^"]+)"/g)) expect(page).toContain(` id="${id}"`);
  });

  it("has a filter option for the project, agents and outcome of every item", async () => {
    const page = renderHtml(await sampleReport({ week: true }));
    const options = [...page.matchAll(/<option value="([^"]+)">/g)].map(([, value]) => value);
    const items = [...page.matchAll(/data-project="(\d+)" data-agent="([^"]+)" data-outcome="(\w+)"/g)];
    expect(items.length).toBeGreaterThan(3);
    for (const [, project = "", agents = "", outcome = ""] of items)
      for (const value of [project, ...agents.split(" "), outcome]) expect(options).toContain(value);
    // The form stays hidden when scripts are disabled, because then it would do nothing.
    expect(page).toContain('<form class="filters" hidden');
  });
});
