import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Daybook } from "../src/answers/daybook.ts";
import { main } from "../src/doors/cli/main.ts";
import { A, at, CA, CU, E as ECHO, type Line, type Lines, M, open, R, TD, TIME, TS } from "./cases/build.ts";
import { connected, whole } from "./mcp/client.ts";
import { scratch } from "./store/fixture.ts";

const MONTH = fileURLToPath(new URL("fixtures/month/", import.meta.url));

/** How people and models see the month: every list, in the terminal, as documents, over MCP. */
const COMMANDS: readonly string[] =
  `report --date 2026-09-18|report --date 2026-09-16 --full|report --week --full|report --week
report --week --format markdown|report --date 2026-09-17 --format html|standup --format markdown
turns --limit 0|sessions --limit 0|tools --limit 0|decisions --limit 0|context --limit 0
search postgres --limit 0|search why did the export hang|recall why did the export hang
show 01a08fcd|file /home/nia/src/quarry/src/update.rs|mark star 01a08fcd/T0001|mark`.split(/[|\n]/);

/** Names of turns and lines, as printed: `01a08fcd/T0001:6-25`. */
const CITED = /(?<![\w./-])([\w-]+\/T\d{4,}(?::\d+(?:-\d+)?)?)(?![\w/])/g;

describe("every citation, wherever it is printed,", () => {
  const home = join(scratch("citations"), "home");
  const roots = { "claude-code": [`${MONTH}claude`], codex: [`${MONTH}codex`] };
  const flags = Object.entries(roots).flatMap(([source, [path]]) => ["--root", `${source}=${path}`]);
  const daybook = new Daybook({ book: home, roots, timezone: "Europe/Berlin", env: {}, home: "/" });
  beforeAll(() => daybook.sync());
  afterAll(() => daybook.close());

  /** What a command prints on a terminal of this width. */
  async function printed(command: string, columns: number): Promise<string> {
    let text = "";
    const out = (some: string): void => void (text += some);
    const argv = [...command.split(" "), ...flags, "--home", home, "--no-sync", "-z", "Europe/Berlin"];
    const terminal = { outIsTerminal: columns !== 0, errIsTerminal: false, inIsTerminal: true };
    const env = { HOME: home, NO_COLOR: "1" };
    const now = Date.UTC(2026, 8, 19, 12);
    const code = await main(argv, { out, err: out, env, now, columns: columns || 100, ...terminal });
    expect([command, code]).toEqual([command, 0]);
    return text;
  }

  /** The name each session is printed by. Fails for a citation that leads nowhere, or to two names of one session. */
  async function namesIn(texts: readonly string[]): Promise<Map<string, string>> {
    const names = new Map<string, string>();
    for (const [citation = ""] of texts.flatMap((text) => [...text.matchAll(CITED)])) {
      const { session, turn, lines } = await daybook.find(citation);
      expect([citation, citation.includes(`/${turn?.ref}`)]).toEqual([citation, true]);
      if (lines !== null) expect(turn?.draft.end_line).toBeGreaterThanOrEqual(lines[0]);
      const [name = ""] = citation.split("/T");
      expect([session.session_id, names.get(session.session_id) ?? name]).toEqual([session.session_id, name]);
      names.set(session.session_id, name);
    }
    return names;
  }

  it("opens as it stands there, and every session has one name", async () => {
    const texts: string[] = [];
    for (const command of COMMANDS) for (const columns of [0, 80]) texts.push(await printed(command, columns));
    const { ask } = await connected({ daybook, cwd: null, env: {} });
    for (const what of ["sessions", "turns"]) texts.push(await whole(ask, "list", { what, limit: 100 }));
    texts.push(await whole(ask, "report", { since: "2026-09-07", until: "2026-09-18" }));
    texts.push(await whole(ask, "decisions", { limit: 100 }));
    texts.push(await whole(ask, "recall", { question: "why did the export hang", budget: 4000 }));
    texts.push(await whole(ask, "read", { target: "01a08fcd" }));
    const names = await namesIn(texts);
    expect(names.size).toBe((await daybook.sessions({})).filter(({ turns }) => turns > 0).length);
    // Lists without turns name them alike.
    const listed = await printed("sessions --limit 0", 160);
    for (const name of names.values()) expect(listed).toMatch(new RegExp(` ${name}$`, "m"));
  });

  it("is opened by show, explain, resume, handoff and mark", async () => {
    const { session, turn } = await daybook.find("01a08fcd/T0001:6-11");
    expect([session.session_id, turn?.ref]).toEqual(["01a08fcd-6dc0-749f-b108-a5bf6b0991d5", "T0001"]);
    expect(await printed("show 01a08fcd/T0001:6", 80)).not.toMatch(/^ +\d+ tool /m);
    expect((await daybook.explain("01a08fcd/T0001:6-11")).map(({ line }) => line)).toEqual([6, 7, 8, 9, 10, 11]);
    expect((await daybook.resume("01a08fcd/T0001:6")).session_id).toBe(session.session_id);
    expect((await daybook.handoff("01a08fcd/T0001:6-11")).session_id).toBe(session.session_id);
    expect(await printed("mark note 01a08fcd/T0001:6-11 why", 80)).toContain("01a08fcd/T0001 ");
  });
});

const timed = (line: Line): Line => at(TIME, line);

describe("sessions that begin alike", () => {
  it("are named by as much of their ids as tells them apart, and by their agent where the ids are equal", async () => {
    const [first, second] = ["019e2f1c-aa11-7000-8000-000000000001", "019e2f1c-aa12-7000-8000-000000000001"];
    const codex = (id: string): Lines => [M(id), TS(), R("do it"), ECHO("do it"), A("Done."), TD()].map(timed);
    const asked = { sessionId: second, version: "2.1.325", userType: "external" };
    const daybook = open({
      codex: { "rollout-1.jsonl": codex(first), "rollout-2.jsonl": codex(second) },
      claude: { [`${second}.jsonl`]: [CU("do it", asked), CA("Done.", { stop: "end_turn", output: 1 })].map(timed) },
    });
    const report = await daybook.report({ since: "2026-05-12", until: "2026-05-12" });
    const cited = report.projects.flatMap(({ turns }) => turns.map(({ citation }) => citation.replace(/:.*/, "")));
    expect(cited.toSorted()).toEqual([
      "019e2f1c-aa11/T0001",
      "claude-code/019e2f1c-aa12-7000-8000-000000000001/T0001",
      "codex/019e2f1c-aa12-7000-8000-000000000001/T0001",
    ]);
    for (const citation of cited) expect((await daybook.find(citation)).turn?.ref).toBe("T0001");
    daybook.close();
  });
});
