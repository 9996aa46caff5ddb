import { appendFileSync, existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { Command } from "commander";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { LEVELS } from "../src/views/push-level.ts";
import type { Io } from "../src/doors/cli/io.ts";
import { buildProgram, main } from "../src/doors/cli/main.ts";
import { inside, type Daybook } from "../src/answers/daybook.ts";
import { FORMAT_NAMES } from "../src/export/export.ts";
import { redact } from "../src/base/redact/redact.ts";
import { prepare } from "../src/team/rows/prepared.ts";
import { Zone } from "../src/base/time/zone.ts";
import * as codex from "./cases/build.ts";
import { askingOf, PAGE_TOKEN, routesOf, type Asking } from "./http/serving.ts";
import { connected, type Ask } from "./mcp/client.ts";
import * as dialects from "./planted-dialects.ts";
import * as notations from "./planted-notations.ts";
import { plantedSecrets } from "./planted-secrets.ts";
import { ended, flagsOf, start } from "./store/cli.ts";
import { open, scratch } from "./store/fixture.ts";
import { unzip } from "./unzip.ts";

/**
 * Every way out of Daybook, walked with planted secrets. The ways come from the registries of the program (commands,
 * routes, tools, formats, levels), so that a new one fails this test until it is walked too.
 */
const ID = "019e2f1c-0000-7000-8000-000000000001";
const CLAUDE = "11111111-2222-4333-8444-555555555555";
const DAY = "2026-05-12";
/** In notations of all kinds, and nowhere else. */
const PASSWORD = "k7WqZ2mXv9Rt";
const SECRETS = plantedSecrets(20_261_118);
const BARE = SECRETS.filter(({ text, secret }) => text === `use ${secret} for it`).map(({ secret }) => secret);

/** Which notations the rules know is tested elsewhere; here, that what they hide is hidden everywhere. */
const NOTATIONS = [...Object.values(notations), ...Object.values(dialects)]
  .flat()
  .map((text, n) => `${n}:\n${text.replaceAll("«»", PASSWORD)}`)
  .filter((text) => !redact(text).includes(PASSWORD));

/** The kinds of the planted secrets that are in a text, whole or by the end of a long one. */
function leaks(text: string): string[] {
  const found = SECRETS.filter(
    ({ secret }) => text.includes(secret) || (secret.length > 16 && text.includes(secret.slice(-10))),
  ).map(({ kind }) => kind);
  return text.includes(PASSWORD) ? [...found, "password in a notation"] : found;
}

interface Planted {
  dir: string;
  roots: Record<string, string[]>;
}

/** One Codex and one Claude Code session with secrets in every field that may hold text. */
function plant(): Planted {
  const dir = codex.folder();
  const { M, TC, TS, TD, R, E, A, EA, U, CALL, OUT, CU, CA, CT, toolUse, claudeLine, item } = codex;
  const all = SECRETS.map(({ text }) => text).join("\n\n");
  const app = join(dir, "app");
  codex.write(join(dir, "codex", `rollout-2026-05-12T08-00-00-${ID}.jsonl`), [
    M(ID, { cwd: `/srv/${BARE[20]}/shop`, cli_version: `1.0.0 ${BARE[0]}`, originator: BARE[1] }),
    TC({ model: BARE[2], cwd: `/srv/${BARE[20]}/shop`, user_instructions: all }),
    TS(),
    R(all),
    E(all),
    CALL("c1", "exec_command", { cmd: all, [BARE[3] ?? ""]: 1, env: SECRETS.map(({ text }) => text) }),
    OUT("c1", `Process exited with code 1\nOutput:\n${all}`),
    ...[...SECRETS.map(({ text }) => text), ...NOTATIONS].map((text) =>
      item({ type: "reasoning", summary: [{ type: "summary_text", text }] }),
    ),
    CALL("c2", BARE[4] ?? "", { arguments: all }),
    OUT("c2", all),
    A(all),
    EA(`D1 — Keep ${BARE[5]}?\nA) Keep ${BARE[6]} (recommended)\nB) Rotate it`),
    U(1000, 1000),
    TD(),
    R(`Other: use ${BARE[7]}`),
    E(`Other: use ${BARE[7]}`),
    A(`Done. Next I would rotate ${BARE[8]}. Shall I?`),
  ]);
  // On another day: the directories of a workspace are named after projects.
  const other = "019e2f1c-0000-7000-8000-000000000002";
  codex.write(
    join(dir, "codex", `rollout-2026-05-11T08-00-00-${other}.jsonl`),
    [
      M(other, { cwd: `/srv/${BARE[21]}` }),
      TC({ model: BARE[2], cwd: `/srv/${BARE[21]}` }),
      TS(),
      R("use the key to deploy"),
      E("use the key to deploy"),
      A("The token works."),
      U(1000, 1000),
      TD(),
    ].map((line) => codex.at("2026-05-11T08:00:00.000Z", line)),
  );
  codex.write(join(dir, "claude", "-nowhere-app", `${CLAUDE}.jsonl`), [
    claudeLine("summary", { summary: `Rotate ${BARE[9]}`, leafUuid: "x" }),
    CU(`rotate the key and deploy\n${all}`, {
      sessionId: CLAUDE,
      version: "2.1.0",
      userType: "external",
      cwd: app,
      gitBranch: `rotate-${BARE[10]}`,
    }),
    CA([toolUse("t1", "Bash", { command: `git push https://ci:${PASSWORD}@git.example/a.git && ${BARE[11]}` })]),
    CT("t1", `fatal: ${all}`, {}, { is_error: true }),
    CA([toolUse("t2", "Write", { file_path: join(app, `made-${BARE[12]}.txt`), content: all })]),
    CT("t2", "File created"),
    CA([
      toolUse("t3", "AskUserQuestion", {
        questions: [
          {
            question: `Which key, ${BARE[13]}?`,
            header: "Key",
            options: [{ label: `old ${BARE[14]}` }, { label: "new" }],
          },
        ],
      }),
    ]),
    CT(
      "t3",
      `User has answered your questions: "Which key, ${BARE[13]}?"="mine: ${BARE[15]}". You can now continue with the user's answers in mind.`,
    ),
    CA(`I will use ${BARE[16]} next. Shall I go on?`, { stop: "end_turn", output: 12 }),
    claudeLine("custom-title", { customTitle: `Rotate ${BARE[17]}`, sessionId: CLAUDE }),
  ]);
  codex.write(join(app, `made-${BARE[12]}.txt`), ["made"]);
  return { dir, roots: { codex: [join(dir, "codex")], "claude-code": [join(dir, "claude")] } };
}

const QUIET: Io = {
  out: () => undefined,
  err: () => undefined,
  env: {},
  now: codex.NOW,
  columns: 120,
  outIsTerminal: false,
  errIsTerminal: false,
};

async function run(argv: readonly string[], more: Partial<Io>): Promise<string> {
  let text = "";
  const take = (piece: string): void => void (text += piece);
  await main(argv, { ...QUIET, ...more, out: take, err: take });
  return text;
}

function filesUnder(dir: string): string[] {
  return readdirSync(dir, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

describe("planted secrets", () => {
  let [dir, made] = ["", ""];
  let roots: Planted["roots"] = {};
  let daybook: Daybook = open({});
  let ask: Asking = async () => new Response();
  let askTool: Ask = async () => {
    throw new Error("not connected");
  };
  let toolNames: string[] = [];

  beforeAll(async () => {
    ({ dir, roots } = plant());
    made = join(dir, "app", `made-${BARE[12]}.txt`);
    daybook = open(roots, join(dir, "home"), { noSync: true, now: codex.NOW, timezone: "UTC" });
    await daybook.sync();
    for (const target of [ID, `${ID}/T0001`, CLAUDE])
      await daybook.mark(target, { starred: true, label: [`ticket=${BARE[18]}`], note: `ask for ${BARE[19]}` });
    ask = askingOf(daybook);
    const { ask: asking, client } = await connected({ daybook, cwd: join(dir, "app"), env: {} });
    askTool = asking;
    toolNames = (await client.listTools()).tools.map(({ name }) => name);
  });
  afterAll(() => daybook.close());

  /** By command: the words after it; empty for one that quotes no session, with the reason. */
  const commands = (out: string): Record<string, readonly (readonly string[])[] | string> => {
    const formats = (...names: string[]): string[][] => names.map((name) => ["--format", name]);
    const sessions = [ID, CLAUDE, `${ID}/T0001`];
    const lines = [...Array.from({ length: 12 }, (_, i) => `${ID}:${i + 1}`), `${CLAUDE}:3`, `${CLAUDE}:4`];
    return {
      report: [
        ...formats("terminal", "markdown", "html", "json").map((words) => ["--date", DAY, ...words]),
        ["--date", DAY, "--standup"],
        ["--date", DAY, "--week", "--full"],
        ["--date", DAY, "--out", join(out, "day.html")],
      ],
      // Reports of days named by a word; `report` walks the day that has sessions.
      today: [[]],
      yesterday: [[], ["--format", "html"]],
      week: [[]],
      standup: [[]],
      serve: "walked as routes",
      mcp: "walked as tools",
      sync: [[]],
      sessions: [[], ["--lost"]],
      turns: [[]],
      tools: [[], ["--order", "time", "--risky"], ["--grep", "deploy"]],
      context: [["--all"]],
      decisions: [[], ["--unanswered"]],
      "decisions stats": [[], ["--profile"]],
      "decisions prefer": "writes what it is given",
      "decisions check": "answers from preferences alone",
      "decisions distill": [["--dry-run"], ["--status"]],
      "decisions hook": "changes settings of an agent",
      "decisions export": [["--format", "question-log", "--out", join(out, "questions")]],
      show: sessions.flatMap((target) =>
        formats("terminal", "markdown", "html", "json", "jsonl").map((words) => [target, ...words]),
      ),
      blame: [[made]],
      file: [[made]],
      commit: [["HEAD"]],
      resume: [[ID], [CLAUDE]],
      handoff: sessions.flatMap((target) => [[target], [target, "--budget", "20000", "--to", "codex"]]),
      mark: [[]],
      "mark star": [[]],
      "mark label": [[]],
      "mark note": [[]],
      "mark done": "writes what it is given",
      search: ["use", "key", "deploy", "password", "token", "rotate", "made"].map((word) => [word]),
      recall: [["which key did we use to deploy"], ["rotate the token and the password"]],
      usage: ["daily", "weekly", "monthly", "session", "turn", "model", "blocks"].flatMap((group) => [
        [group],
        [group, "--breakdown", "--instances"],
      ]),
      statusline: [[]],
      explain: lines.map((line) => [line]),
      audit: [[], [ID]],
      workspace: "groups what follows",
      "workspace prepare": [["--date", DAY]],
      review: [["--date", DAY, "--dry-run"]],
      narrate: [
        ["--date", DAY, "--dry-run"],
        ["--date", DAY],
      ],
      "workspace list": [["--verbose"]],
      "workspace inspect": [["--date", DAY]],
      "workspace collect": [["--date", DAY, "--output", join(out, "bundle.zip")]],
      export: [
        ...FORMAT_NAMES.map((format) => ["--format", format, "--out", join(out, format)]),
        ["--format", "otel", "--content", "--out", join(out, "otel-content")],
        [],
      ],
      validate: "reads files that are named, not sessions",
      doctor: [[], ["--verify"]],
      team: "asks a store, which has what was pushed",
      forget: [["--list"], ["--dry-run", ID]],
      push: "walked at every level",
      completions: "prints the words of the commands",
    };
  };

  /** Every command that has no subcommand, and those of the others. */
  function leaves(command: Command, path = ""): { path: string; command: Command }[] {
    return command.commands.flatMap((inner) => {
      const name = `${path} ${inner.name()}`.trim();
      return name === "team"
        ? [{ path: name, command: inner }]
        : [{ path: name, command: inner }, ...leaves(inner, name)];
    });
  }

  it.each([
    ["a terminal", true],
    ["a file", false],
  ])("are hidden by every command that writes to %s", { timeout: 240_000 }, async (_, isTerminal) => {
    const out = scratch("out");
    expect(NOTATIONS.length).toBeGreaterThan(800);
    const program = buildProgram(QUIET, () => undefined);
    const known = commands(out);
    const registered = leaves(program);
    expect(registered.map(({ path }) => path).toSorted()).toEqual(Object.keys(known).toSorted());
    const config = join(dir, "config.toml");
    const narrator = fileURLToPath(new URL("../examples/narrator.mjs", import.meta.url));
    const asked = join(dir, "prompts.txt");
    // A writer that keeps what it is asked.
    const keeper = join(dir, "keeper.mjs");
    writeFileSync(
      keeper,
      `import { appendFileSync, readFileSync } from "node:fs"; import { execFileSync } from "node:child_process";
const input = readFileSync(0, "utf8"); appendFileSync(${JSON.stringify(asked)}, input);
process.stdout.write(execFileSync(process.execPath, [${JSON.stringify(narrator)}], { input }));`,
    );
    writeFileSync(config, `[narrate]\ncommand = [${JSON.stringify(process.execPath)}, ${JSON.stringify(keeper)}]\n`);
    const flags = Object.entries(roots).flatMap(([source, paths]) => ["--root", `${source}=${paths[0]}`]);
    const io = { env: { HOME: dir, PATH: process.env["PATH"], DAYBOOK_CONFIG: config }, outIsTerminal: isTerminal };
    let redacted = 0;
    const found: [string, string[]][] = [];
    const byPath = new Map(registered.map(({ path, command }) => [path, command]));
    // In the order of the table: what is collected was written before.
    for (const [path, lines] of Object.entries(known)) {
      const command = byPath.get(path);
      if (typeof lines === "string" || command === undefined) continue;
      const has = (long: string): boolean => command.options.some((option) => option.long === long);
      for (const words of lines) {
        const argv = [
          ...path.split(" "),
          ...words,
          ...(has("--root") ? flags : []),
          ...(has("--home") ? ["--home", join(dir, "home")] : []),
          ...(has("--timezone") ? ["-z", "UTC"] : []),
        ];
        const isJsonToo = has("--json") && !words.includes("--format") && !isTerminal;
        for (const line of isJsonToo ? [argv, [...argv, "--json"]] : [argv]) {
          const text = await run(line, io);
          if (text.includes("[redacted:")) redacted++;
          if (leaks(text).length > 0) found.push([line.join(" "), leaks(text)]);
        }
      }
    }
    // Parquet is compressed; what is in it is tested with the exports.
    const written = [...filesUnder(out), asked].map((path) => [path, readFileSync(path, "latin1")] as const);
    const bundle = Object.entries(unzip(join(out, "bundle.zip")));
    for (const [path, text] of [...written, ...bundle]) if (leaks(text).length > 0) found.push([path, leaks(text)]);
    expect(bundle.length).toBeGreaterThan(8);
    expect(found).toEqual([]);
    // The output is not just empty: it has redacted text.
    expect(redacted).toBeGreaterThan(60);
    expect(filesUnder(out).length).toBeGreaterThan(FORMAT_NAMES.length);
    expect(readFileSync(asked, "utf8")).toContain("[redacted:");
  });

  it("are hidden in the answer of every route", { timeout: 120_000 }, async () => {
    const session = (source: string, id: string): string => `/api/sessions/${source}/${id}`;
    const both = (rest: string): string[] => [
      `${session("codex", ID)}${rest}`,
      `${session("claude-code", CLAUDE)}${rest}`,
    ];
    const file = encodeURIComponent(made);
    /** By route: the addresses that are asked; empty for one without text of sessions. */
    const known: Record<string, readonly string[]> = {
      "GET /api/overview": ["/api/overview"],
      "GET /api/now": ["/api/now"],
      "GET /api/days": ["/api/days"],
      "GET /api/report": [`/api/report?date=${DAY}`, `/api/report?date=${DAY}&week=true`],
      "GET /api/files": ["/api/files"],
      "GET /api/files/history": [`/api/files/history?path=${file}`],
      "GET /api/tools": ["/api/tools?limit=500", "/api/tools?grep=deploy", "/api/tools?risky=true"],
      "GET /api/tools/commands": ["/api/tools/commands"],
      "GET /api/recall": ["which key did we use to deploy", "rotate the password"].map(
        (question) => `/api/recall?q=${encodeURIComponent(question)}`,
      ),
      "GET /api/search": ["use", "key", "deploy", "password", "rotate"].map((q) => `/api/search?q=${q}`),
      "GET /api/usage": ["daily", "session", "turn", "model"].map(
        (group) => `/api/usage?group=${group}&breakdown=true&instances=true`,
      ),
      "GET /api/usage/shares": ["/api/usage/shares"],
      "GET /api/usage/dearest": ["/api/usage/dearest"],
      "GET /api/usage/blocks": ["/api/usage/blocks"],
      "GET /api/usage/limits": ["/api/usage/limits"],
      "GET /api/decisions": ["/api/decisions"],
      "GET /api/context": ["/api/context"],
      "GET /api/audit": ["/api/audit"],
      "GET /api/health": ["/api/health"],
      "GET /api/labels": ["/api/labels"],
      "GET /api/sessions": ["/api/sessions"],
      "GET /api/sessions/:source/:session": both(""),
      "GET /api/sessions/:source/:session/requests": both("/requests"),
      "GET /api/sessions/:source/:session/records": both("/records?limit=500"),
      "GET /api/sessions/:source/:session/explain": [1, 4, 5, 6, 7].flatMap((line) => both(`/explain?line=${line}`)),
      "GET /api/sessions/:source/:session/find": ["use", "key", "deploy"].flatMap((text) => both(`/find?q=${text}`)),
      "GET /api/sessions/:source/:session/handoff": both("/handoff").concat(both("/handoff?to=codex&budget=20000")),
      "GET /api/sessions/:source/:session/resume": both("/resume"),
      "GET /api/sessions/:source/:session/share": both("/share").concat(both("/share?format=markdown")),
      "GET /api/sessions/:source/:session/export": both("/export").concat(both("/export?format=html")),
      "GET /api/turns": ["/api/turns"],
      "GET /api/report/export": ["html", "markdown", "standup"].map(
        (format) => `/api/report/export?date=${DAY}&format=${format}`,
      ),
      "POST /api/sessions/:source/:session/marks": both("/marks"),
      "POST /api/sessions/:source/:session/resume/open": both("/resume/open"),
      "POST /api/sync": ["/api/sync"],
      "ALL /mcp": [],
      "GET /api/events": [],
      "GET /api/openapi.json": [],
      "POST /ticket": [],
    };
    expect(routesOf(daybook)).toEqual(Object.keys(known).toSorted());
    const headers = { "content-type": "application/json", "x-daybook-token": PAGE_TOKEN };
    let redacted = 0;
    const found: [string, string[]][] = [];
    for (const [route, paths] of Object.entries(known))
      for (const path of paths) {
        const post = { method: "POST", headers, body: route.endsWith("/marks") ? '{"starred":true}' : "{}" };
        const answer = await ask(path, route.startsWith("POST") ? post : {});
        const text = await answer.text();
        expect(answer.status, `${path} ${text.slice(0, 200)}`).toBe(200);
        if (text.includes("[redacted:")) redacted++;
        if (leaks(text).length > 0) found.push([path, leaks(text)]);
      }
    expect(found).toEqual([]);
    expect(redacted).toBeGreaterThan(20);
  });

  it("are hidden in the answer of every tool", { timeout: 120_000 }, async () => {
    const known: Record<string, readonly Record<string, unknown>[]> = {
      recall: [{ question: "which key did we use to deploy" }, { question: "rotate the password", budget: 8000 }],
      read: [ID, CLAUDE, `${ID}/T0001`].flatMap((target) => [{ target }, { target, detail: "full" }]),
      list: [{}, { what: "turns" }, { starred: true }],
      report: [{ date: DAY }, { date: DAY, digest: true }],
      usage: ["daily", "session", "turn", "model"].map((group) => ({ group })),
      decisions: [{}, { unanswered: true }],
      blame: [{ target: made }],
      explain: [1, 4, 5, 6, 7].flatMap((line) => [{ target: `${ID}:${line}` }, { target: `${CLAUDE}:${line}` }]),
    };
    expect(toolNames.toSorted()).toEqual(Object.keys(known).toSorted());
    let redacted = 0;
    const found: [string, string[]][] = [];
    for (const [tool, questions] of Object.entries(known))
      for (const question of questions) {
        let text = "";
        for (let cursor: string | null | undefined; cursor !== null;) {
          const reply = await askTool(tool, cursor === undefined ? question : { ...question, cursor });
          text += reply.text;
          ({ cursor } = reply);
        }
        if (text.includes("[redacted:")) redacted++;
        if (leaks(text).length > 0) found.push([`${tool} ${JSON.stringify(question)}`, leaks(text)]);
      }
    expect(found).toEqual([]);
    expect(redacted).toBeGreaterThan(12);
  });

  it.each(LEVELS)("are hidden in the rows that are pushed at level %s", async (level) => {
    const how = { level, zone: new Zone("UTC"), redactor: daybook.redactor, projectKey: "k" };
    const rows: unknown[] = [];
    for (const { key } of (await inside(daybook).sessionStamps()).sessions)
      await inside(daybook).withSession(key, async (whole) => {
        const { head, batches } = prepare(whole, how);
        rows.push(head, ...batches());
      });
    const text = JSON.stringify(rows);
    expect(leaks(text)).toEqual([]);
    expect(text.includes("[redacted:")).toBe(level !== "totals");
  });

  it("are hidden in notifications, as the user's command and the terminal get them", async () => {
    const heard = join(scratch("notify"), "heard");
    const path = join(dir, "notified", "rollout-2026-05-13T11-00-00-notified.jsonl");
    const soon = new Date(Date.now() + 3_600_000).toISOString();
    const { M, TS, TD, R, E, A, at } = codex;
    codex.write(path, [at(soon, M("notified", { cwd: join(dir, "app") }))]);
    const child = start([
      "sync",
      "--watch",
      "--interval",
      "0.1",
      "--notify",
      `env | grep DAYBOOK_ >> '${heard}'; echo end >> '${heard}'`,
      ...flagsOf({ codex: [join(dir, "notified")] }, scratch("home")),
    ]);
    const over = ended(child);
    const turns = BARE.slice(0, 3).map((secret, n) => [
      TS(`t${n}`),
      R(`use ${secret}`),
      E(`use ${secret}`),
      A(`DB_PASSWORD=${PASSWORD} and ${secret}`),
      TD(`t${n}`),
    ]);
    let out = "";
    child.stdout?.on("data", (text: string) => (out += text));
    const has = (n: number): boolean => existsSync(heard) && readFileSync(heard, "utf8").split("end\n").length > n;
    while (!out.includes("\n") && child.exitCode === null) await sleep(50);
    for (const [n, turn] of turns.entries()) {
      appendFileSync(path, turn.map((line) => `${JSON.stringify(at(soon, line))}\n`).join(""));
      while (!has(n + 1) && child.exitCode === null) await sleep(50);
    }
    child.kill("SIGINT");
    const text = (await over).out + readFileSync(heard, "utf8");
    expect(text).toContain("DAYBOOK_TEXT=use [redacted:");
    expect(leaks(text)).toEqual([]);
  });
});
