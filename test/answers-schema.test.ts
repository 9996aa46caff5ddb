import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import type { Io } from "../src/doors/cli/io.ts";
import { buildProgram, main } from "../src/doors/cli/main.ts";
import type { Answers } from "../src/answers/json.ts";
import { problemsOf, schema } from "./answers-schema.ts";
import { LEDGER_ROOTS, ledgerRepository } from "./blame/ledger.ts";
import { M, write } from "./cases/build.ts";
import { copyCorpus, scratch, type Roots } from "./store/fixture.ts";
import { flagsOf } from "./store/cli.ts";

interface Ran {
  out: string;
  err: string;
}

/** gstack's state directory, where `decisions prefer` writes. */
const state = scratch("state");

async function run(args: readonly string[], cwd?: string, more: Partial<Io> = {}): Promise<Ran> {
  const ran: Ran = { out: "", err: "" };
  const io: Io = {
    out: (text) => void (ran.out += text),
    err: (text) => void (ran.err += text),
    env: { HOME: "/nowhere", GSTACK_STATE_ROOT: state },
    now: Date.UTC(2026, 11, 31),
    cwd,
    columns: 100,
    outIsTerminal: false,
    errIsTerminal: false,
    inIsTerminal: true,
    ...more,
  };
  await main(args, io);
  return ran;
}

/** Rate limits as Codex writes them for subscribers; no session of the corpus has any. */
const LIMITED = {
  timestamp: "2026-11-15T12:00:00.000Z",
  type: "event_msg",
  payload: {
    type: "token_count",
    info: null,
    rate_limits: {
      primary: { used_percent: 12.5, window_minutes: 300, resets_at: 1_790_000_000 },
      secondary: { used_percent: 40, window_minutes: 10080, resets_at: 1_790_500_000 },
      credits: { has_credits: false, unlimited: false, balance: "0" },
      plan_type: "plus",
    },
  },
};

describe("--json output", () => {
  let roots: Roots = {};
  let dir = "";
  let rootFlags: string[] = [];
  const home = scratch("home");
  beforeAll(async () => {
    ({ roots, dir } = copyCorpus());
    // Rare cases: a malformed line, rate limits, and a prompt whose session file is missing.
    const torn = write(join(roots["codex"]?.[0] ?? dir, "sessions", "2026", "rollout-torn.jsonl"), [M("torn")]);
    writeFileSync(torn, `${readFileSync(torn, "utf8")}{"timestamp": torn\n${JSON.stringify(LIMITED)}\n`);
    const typed = { session_id: "forgotten", ts: 1_790_000_000, text: "lost and found" };
    writeFileSync(join(roots["codex"]?.[0] ?? dir, "history.jsonl"), `${JSON.stringify(typed)}\n`);
    rootFlags = flagsOf(roots, home);
    const proposal = { kind: "memory-nugget", nugget: "Skip it.", confidence: 0.9, source_quotes: ["skip"] };
    mkdirSync(join(state, "projects", "unknown"), { recursive: true });
    writeFileSync(
      join(state, "projects", "unknown", "distillation-proposals.json"),
      JSON.stringify({ proposals: [proposal] }),
    );
  });

  /** `@` is replaced by the flags for roots, home and time zone, `%` by `--home` alone. */
  const LINES: [keyof Answers, string][] = [
    ["sync", "sync @"],
    ["sync", "sync @ --full"],
    ["sessions", "sessions @"],
    ["sessions --lost", "sessions @ --lost"],
    ["turns", "turns @"],
    ["tools", "tools @"],
    ["usage", "usage daily @ --breakdown"],
    ["usage", "usage monthly @ --instances"],
    ["usage", "usage session @"],
    ["usage", "usage weekly @ --by-agent --start-of-week sunday"],
    ["usage blocks", "usage blocks @ --token-limit max"],
    ["usage limits", "usage limits @"],
    ["statusline", "statusline @"],
    ["decisions", "decisions @"],
    ["decisions stats", "decisions stats @"],
    ["decisions check", "decisions check ship-x %"],
    ["decisions prefer", "decisions prefer ship-x never-ask"],
    ["decisions prefer --list", "decisions prefer --list %"],
    ["decisions distill", "decisions distill @"],
    ["decisions distill --status", "decisions distill % --status"],
    ["decisions export", "decisions export @ --out QUESTIONS"],
    ["report", "report @ --since 2020-01-01"],
    ["today", "today @"],
    ["yesterday", "yesterday @"],
    ["week", "week 2026-11-15 @"],
    ["context", "context @"],
    ["audit", "audit @"],
    ["mark star", "mark star @ f163bf9d-bc06-4f79-a23b-88e762e85100"],
    ["mark label SESSION", "mark label @ f163bf9d-bc06-4f79-a23b-88e762e85100/T0001 ticket=ABC-1 flaky"],
    ["mark note", "mark note @ f163bf9d-bc06-4f79-a23b-88e762e85100 remembered"],
    ["mark done", "mark done @ f163bf9d-bc06-4f79-a23b-88e762e85100/T0001"],
    ["mark", "mark @"],
    ["mark star", "mark star @"],
    ["mark label", "mark label @"],
    ["sessions", "sessions @ --starred"],
    ["turns", "turns @ --label ticket"],
    ["search", "search remembered @"],
    ["search", "search a @ --limit 200"],
    ["search", "search you @ --kind instructions"],
    ["recall", "recall why did the test fail @"],
    ["doctor", "doctor @"],
    ["doctor", "doctor @ --verify"],
    ["workspace prepare", "workspace prepare @ --date 2026-11-15 --timezone UTC"],
    ["workspace prepare", "workspace prepare @ --date 2026-11-15 --timezone UTC"],
    ["narrate", "narrate @ --date 2026-11-15 --timezone UTC --dry-run"],
    ["narrate --week", "narrate @ --week --date 2026-11-15 --timezone UTC --dry-run"],
    ["review", "review @ --date 2026-11-15 --timezone UTC --dry-run"],
    ["workspace list", "workspace list %"],
    ["workspace", "workspace %"],
    ["workspace inspect", "workspace inspect % --date 2026-11-15 --timezone UTC"],
    ["workspace collect", "workspace collect % --date 2026-11-15 --timezone UTC --output COLLECTED"],
    ["error", "sessions @ --since nonsense"],
    // Last, because no other command finds a session that was forgotten.
    ["forget", "forget @ --project claude-1.0.64 --dry-run"],
    ["forget", "forget @ f163bf9d-bc06-4f79-a23b-88e762e85100 --yes"],
    ["forget --list", "forget @ --list"],
  ];

  async function answerOf(command: keyof Answers, line: string): Promise<unknown> {
    const words = line.split(" ").flatMap((word) => {
      if (word === "@") return rootFlags;
      if (word === "%") return ["--home", home];
      if (word === "QUESTIONS") return [join(dir, "questions")];
      return word === "COLLECTED" ? [join(dir, "collected.zip")] : [word];
    });
    // Only a person at a terminal may set a preference.
    const person: Partial<Io> = { outIsTerminal: true, ask: async () => "yes" };
    const { out, err } = await run([...words, "--json"], undefined, command === "decisions prefer" ? person : {});
    return JSON.parse(command === "error" ? err : out);
  }

  it.each(LINES)("follows the schema of %s: daybook %s", async (command, line) => {
    mkdirSync(join(dir, "questions"), { recursive: true });
    const answer = await answerOf(command, line);
    expect(problemsOf(command, answer)).toEqual([]);
    // An empty list would satisfy any schema.
    if (!["error", "workspace prepare", "workspace list", "workspace"].includes(command))
      expect(JSON.stringify(answer).length).toBeGreaterThan(120);
  });

  it("follows the schemas of blame, file and commit in a repository that agents worked in", async () => {
    const repo = ledgerRepository();
    const flags = flagsOf(LEDGER_ROOTS, scratch("home"));
    const answerIn = async (words: readonly string[]): Promise<unknown> =>
      JSON.parse((await run([...words, ...flags, "--json"], repo)).out);
    const blame = (await answerIn(["blame", "book.py"])) as Answers["blame"];
    expect(problemsOf("blame", blame)).toEqual([]);
    expect(blame.counts.attributed).toBeGreaterThan(0);
    const file = (await answerIn(["file", "book.py"])) as Answers["file"];
    expect(problemsOf("file", file)).toEqual([]);
    expect(file.turns).not.toEqual([]);
    const commits = (await answerIn(["commit", "HEAD~9..HEAD"])) as Answers["commit"];
    expect(problemsOf("commit", commits)).toEqual([]);
    expect(commits.commits.flatMap(({ turns }) => turns)).not.toEqual([]);
  });

  it("follows the schemas of show, explain, resume, handoff and validate for a session of every agent", async () => {
    const { sessions } = (await answerOf("sessions", "sessions @")) as Answers["sessions"];
    const bySource = new Map(sessions.map((session) => [session.source, session]));
    expect(new Set(bySource.keys())).toEqual(new Set(Object.keys(roots)));
    for (const { source, session_id, session_path } of bySource.values()) {
      const key = `${source}/${session_id}`;
      expect(problemsOf("show", await answerOf("show", `show ${key} @`))).toEqual([]);
      expect(problemsOf("handoff", await answerOf("handoff", `handoff ${key} @`))).toEqual([]);
      expect(problemsOf("resume", await answerOf("resume", `resume ${key} @`))).toEqual([]);
      let explained = 0;
      for (const line of [1, 2, 3, 7]) {
        // Not every session has all of these lines.
        const answer = await answerOf("explain", `explain ${key}:${line} @`).catch(() => null);
        if (answer === null) continue;
        expect(problemsOf("explain", answer)).toEqual([]);
        explained++;
      }
      expect(explained, key).toBeGreaterThan(0);
      expect(problemsOf("validate", await answerOf("validate", `validate ${session_path}`))).toEqual([]);
    }
  });

  it("has a schema for every command with --json, and every schema is tested", () => {
    const noIo = { out: () => undefined, err: () => undefined } as unknown as Io;
    const printing = buildProgram(noIo, () => undefined).commands.filter(({ options }) =>
      options.some(({ long }) => long === "--json"),
    );
    // `export` prints log records, which have a schema of their own.
    const names = printing.map((command) => command.name()).filter((name) => name !== "export");
    expect(names.filter((name) => !(name in schema.commands))).toEqual([]);
    const tested = new Set<string>([
      ...LINES.map(([command]) => command),
      "show",
      "explain",
      "handoff",
      "resume",
      "validate",
      "blame",
      "commit",
      "file",
      // Tested with a database, in test/team/commands.test.ts, test/team/cluster.test.ts and test/team/push-faults.test.ts.
      "push",
      "team",
      "team distribute",
      "team init",
      "team invite",
      "team members",
      "team revoke",
      "team set",
      "team status",
      "team retention",
    ]);
    expect(Object.keys(schema.commands).filter((command) => !tested.has(command))).toEqual([]);
  });

  it("violates its schema with an additional or a missing field", async () => {
    const answer = (await answerOf("turns", "turns @ --limit 1")) as Answers["turns"];
    const [turn] = answer.turns;
    expect(problemsOf("turns", { ...answer, turns: [{ ...turn, more: 1 }] })).not.toEqual([]);
    const { outcome: _, ...less } = turn ?? { outcome: "open" };
    expect(problemsOf("turns", { ...answer, turns: [less] })).not.toEqual([]);
  });
});
