import { mkdirSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Io } from "../src/doors/cli/io.ts";
import { buildProgram, main } from "../src/doors/cli/main.ts";
import { FORMAT_NAMES } from "../src/export/export.ts";
import * as codex from "./cases/build.ts";
import { plantedSecrets, type Planted } from "./planted-secrets.ts";

// Assembled at run time, so that secret scanners do not report this file.
const word = (n: number, from = 0): string =>
  "aB3dE5fG7hJ9kL1mN2pQ4rS6tU8vW0xYzAbCdEfGhIjKlMnOpQrStUvWxYz0123456789".slice(from, from + n);

const SECRETS = {
  anthropic: ["sk", "ant", "api03", word(40)].join("-"),
  openai: `sk-proj-${word(40, 3)}`,
  github: `ghp_${word(36, 5)}`,
  aws: ["AKIA", "IOSFODNN7EXAMPLE"].join(""),
  slack: ["xoxb", "123456789012", word(24, 7)].join("-"),
  google: `AIza${word(35, 2)}`,
  npm: `npm_${word(36, 9)}`,
  jwt: `eyJ${word(20)}.eyJ${word(30)}.${word(43)}`,
  password: "hunter2-of-the-lab",
  url: "swordfish-in-an-address",
  named: "field-called-password-1",
  pem: word(64, 1),
} as const;
const KEY_BLOCK = `-----BEGIN PRIVATE KEY-----\n${SECRETS.pem}\n-----END PRIVATE KEY-----`;

const ID = "019e2f1c-0000-7000-8000-000000000001";
const CLAUDE = "11111111-2222-4333-8444-555555555555";

/** Writes one Codex and one Claude Code session with secrets in many places. */
function writeSessions(): { dir: string; roots: string[] } {
  const dir = codex.folder();
  const { M, TC, TS, TD, R, E, A, EA, CALL, OUT, CU, CA, CT, toolUse, claudeLine, item } = codex;
  codex.write(join(dir, "codex", `rollout-2026-05-12T08-00-00-${ID}.jsonl`), [
    M(ID, { git: { repository_url: `https://mira:${SECRETS.url}@git.example/harbor-labs/tidepool.git` } }),
    TC({ user_instructions: `deploy with ${SECRETS.slack}` }),
    TS(),
    R(`use ${SECRETS.anthropic} for the api`),
    E(`use ${SECRETS.anthropic} for the api`),
    item({ type: "reasoning", summary: [{ type: "summary_text", text: `the key ${SECRETS.google} is stale` }] }),
    CALL("c1", "exec_command", { cmd: `DB_PASSWORD=${SECRETS.password} ./deploy.sh --key ${SECRETS.aws}` }),
    OUT("c1", `Process exited with code 1\nOutput:\ncannot log in with ${SECRETS.github}\n${KEY_BLOCK}\n`),
    CALL("c2", "http", { headers: { password: SECRETS.named }, url: `https://x/?access_token=${SECRETS.password}` }),
    OUT("c2", JSON.stringify({ api_key: SECRETS.password })),
    A(`Should I keep ${SECRETS.npm} in the file?`),
    EA(`D1 — Keep ${SECRETS.npm}?\nA) Keep ${SECRETS.jwt} (recommended)\nB) Rotate it`),
    TD(),
    R(`Other: use ${SECRETS.openai}`),
    E(`Other: use ${SECRETS.openai}`),
    A("Done."),
    `{"type":"response_item","payload":"${SECRETS.github}`,
  ]);
  codex.write(join(dir, "claude", "-nowhere-app", `${CLAUDE}.jsonl`), [
    claudeLine("summary", { summary: `Rotate ${SECRETS.github}`, leafUuid: "x" }),
    CU(`rotate ${SECRETS.github} now`, { sessionId: CLAUDE, version: "2.1.0", userType: "external" }),
    CA([toolUse("t1", "Bash", { command: `git push https://ci:${SECRETS.url}@git.example/a.git` })]),
    CT("t1", `fatal: bad token ${SECRETS.slack}`, {}, { is_error: true }),
    CA([
      toolUse("t2", "AskUserQuestion", {
        questions: [
          {
            question: `Which key, ${SECRETS.google}?`,
            header: "Key",
            options: [{ label: `old ${SECRETS.aws}` }, { label: "new" }],
          },
        ],
      }),
    ]),
    CT(
      "t2",
      `User has answered your questions: "Which key, ${SECRETS.google}?"="mine: ${SECRETS.anthropic}". You can now continue with the user's answers in mind.`,
    ),
    CA(`I will use ${SECRETS.jwt} next. Shall I go on?`, { stop: "end_turn", output: 12 }),
  ]);
  return {
    dir,
    roots: ["--root", `codex=${join(dir, "codex")}`, "--root", `claude-code=${join(dir, "claude")}`],
  };
}

interface Run {
  name: string;
  text: string;
}

async function run(argv: readonly string[], home: string): Promise<string> {
  let text = "";
  const io: Io = {
    out: (more) => void (text += more),
    err: (more) => void (text += more),
    env: { HOME: home },
    now: codex.NOW,
    columns: 120,
    outIsTerminal: false,
    errIsTerminal: false,
  };
  await main(argv, io);
  return text;
}

function filesUnder(dir: string): string[] {
  return readdirSync(dir, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

/** Commands that print or write text of sessions, in every format they have. */
function commandLines(out: string): string[][] {
  const both = (...words: string[]): string[][] => [words, [...words, "--json"]];
  return [
    ...["terminal", "markdown", "html", "json"].map((format) => ["report", "--date", "2026-05-12", "--format", format]),
    ["report", "--date", "2026-05-12", "--standup"],
    ["report", "--date", "2026-05-12", "--week", "--out", join(out, "week.html")],
    ["report", "--date", "2026-05-12", "--out", join(out, "day.md")],
    ...both("sessions"),
    ...both("turns"),
    ...both("tools"),
    ...both("tools", "--order", "time", "--risky"),
    ...both("context", "--all"),
    ...both("decisions"),
    ...both("decisions", "stats"),
    ["decisions", "distill", "--dry-run"],
    ["decisions", "export", "--format", "question-log"],
    ["decisions", "export", "--format", "question-log", "--out", join(out, "questions")],
    ...[ID, CLAUDE, `${ID}/T0001`].flatMap((target) =>
      ["terminal", "markdown", "html", "json", "jsonl"].map((format) => ["show", target, "--format", format]),
    ),
    ...["use", "key", "deploy", "token", "login", "hunter2*", "rotate", "http"].flatMap((query) =>
      both("search", query),
    ),
    ...["which key did we use to deploy", "rotate the token hunter2", "login http"].flatMap((query) =>
      both("recall", query),
    ),
    ...Array.from({ length: 17 }, (_, i) => both("explain", `${ID}:${i + 1}`)).flat(),
    ...Array.from({ length: 7 }, (_, i) => both("explain", `${CLAUDE}:${i + 1}`)).flat(),
    ...both("audit"),
    ...both("audit", ID),
    ...["daily", "session", "turn", "model"].flatMap((group) => both("usage", group)),
    ["export"],
    ["export", "--out", join(out, "logs")],
    // From the registry, so that a new format is walked too.
    ...FORMAT_NAMES.map((format) => ["export", "--format", format, "--out", join(out, format)]),
    ["export", "--format", "otel", "--content", "--out", join(out, "otel-content")],
    ...both("doctor"),
  ];
}

async function runAll(more: readonly string[], book: boolean): Promise<Run[]> {
  const { dir, roots } = writeSessions();
  const out = join(dir, "out");
  mkdirSync(out);
  const flags = book ? [...roots, "--home", join(dir, "home")] : roots;
  const runs: Run[] = [];
  for (const argv of commandLines(out)) {
    const text = await run([...argv, ...flags, "-z", "UTC", ...more], dir);
    runs.push({ name: argv.join(" "), text });
  }
  for (const path of filesUnder(out)) runs.push({ name: path.slice(dir.length), text: readFileSync(path, "utf8") });
  return runs;
}

/** The kinds of secrets in a text, found whole or by their last 12 characters. */
function leaks(text: string): string[] {
  return Object.entries(SECRETS)
    .filter(([, secret]) => text.includes(secret) || text.includes(secret.slice(-12)))
    .map(([kind]) => kind);
}

/** Only a long secret is also found by its end: the end of a short one may be an ordinary word. */
function isLeaked(text: string, { secret }: Planted): boolean {
  return text.includes(secret) || (secret.length > 16 && text.includes(secret.slice(-10)));
}

describe("secrets", () => {
  it.each([
    ["directly", false],
    ["from a book", true],
  ])("are redacted in every command and format, read %s", async (_, book) => {
    const runs = await runAll([], book);
    expect(runs.filter(({ text }) => leaks(text).length > 0).map(({ name, text }) => [name, leaks(text)])).toEqual([]);
    // The output is not just empty: it has redacted text.
    expect(runs.find(({ name }) => name === "export")?.text).toContain("[redacted:anthropic-key]");
    expect(runs.filter(({ text }) => text.includes("[redacted:")).length).toBeGreaterThan(40);
  });

  it("are shown with --no-redact", async () => {
    const runs = await runAll(["--no-redact"], false);
    const outputOf = (start: string): string =>
      runs
        .filter(({ name }) => name.startsWith(start))
        .map(({ text }) => text)
        .join("\n");
    expect(leaks(outputOf("export"))).toEqual(Object.keys(SECRETS));
    for (const command of ["report", "turns", "tools", "decisions", "show", "search", "recall", "explain"])
      expect(leaks(outputOf(command)), command).not.toEqual([]);
    expect(runs.some(({ text }) => text.includes("[redacted:"))).toBe(false);
  });

  it.each([
    ["directly", false],
    ["from a book", true],
  ])("of every kind are redacted wherever a file has them, read %s", async (_, book) => {
    const planted = plantedSecrets(20_260_515);
    const dir = codex.folder();
    const { M, TC, TS, TD, R, E, A, EA, CALL, OUT, item } = codex;
    const all = planted.map(({ text }) => text).join("\n\n");
    const bareSecrets = planted
      .filter(({ text, secret }) => text === `use ${secret} for it`)
      .map(({ secret }) => secret);
    codex.write(join(dir, "codex", `rollout-2026-05-12T08-00-00-${ID}.jsonl`), [
      M(ID, { cli_version: `1.0.0 ${bareSecrets[0]}`, originator: bareSecrets[1] }),
      TC({ model: bareSecrets[2], cwd: `/srv/${bareSecrets[3]}` }),
      TS(),
      R(all),
      E(all),
      CALL("c1", "exec_command", {
        cmd: all,
        [bareSecrets[4] ?? ""]: 1,
        env: { list: planted.map(({ text }) => text) },
      }),
      OUT("c1", `Process exited with code 1\nOutput:\n${all}`),
      ...planted.map(({ text }, i) =>
        item({ type: "reasoning", summary: [{ type: "summary_text", text: `${i}: ${text}` }] }),
      ),
      JSON.stringify({
        timestamp: "2026-05-12T08:00:20.000Z",
        type: bareSecrets[5],
        payload: { [bareSecrets[6] ?? ""]: bareSecrets[7] },
      }),
      A(all),
      EA(all),
      TD(),
    ]);
    const flags = [
      "--root",
      `codex=${join(dir, "codex")}`,
      "-z",
      "UTC",
      ...(book ? ["--home", join(dir, "home")] : []),
    ];
    const out = join(dir, "out");
    mkdirSync(out);
    const leakedKinds = (text: string): string[] =>
      planted.filter((one) => isLeaked(text, one)).map(({ kind }) => kind);
    let redacted = 0;
    for (const argv of commandLines(out).filter((words) => !words.includes(CLAUDE))) {
      const text = await run([...argv, ...flags], dir);
      expect(leakedKinds(text), argv.join(" ")).toEqual([]);
      if (text.includes("[redacted:")) redacted++;
    }
    // The output is not just empty: it has redacted text.
    expect(redacted).toBeGreaterThan(40);
    const files = filesUnder(out);
    expect(files.length).toBeGreaterThan(5);
    for (const path of files) expect(leakedKinds(readFileSync(path, "utf8")), path).toEqual([]);
  });

  it("redacted in exported logs leave them valid, with every record in its place", async () => {
    const { dir, roots } = writeSessions();
    for (const [name, ...more] of [["hidden"], ["shown", "--no-redact"]])
      await run(["export", "--out", join(dir, name ?? ""), ...roots, ...more], dir);
    const hidden = filesUnder(join(dir, "hidden"));
    expect(hidden.length).toBe(2);
    expect(await run(["validate", ...hidden], dir)).not.toContain("not valid");
    for (const path of hidden) {
      const shown = path.replace(`${dir}/hidden`, `${dir}/shown`);
      expect(shape(path)).toEqual(shape(shown));
    }
  });

  it("can be shown by --no-redact in every command that reads sessions, except those listed", () => {
    const program = buildProgram({ ...quietIo() }, () => undefined);
    const all = program.commands.flatMap((command) => [command, ...command.commands]);
    const reading = all.filter((command) => command.options.some((option) => option.long === "--root"));
    const without = reading.filter((command) => !command.options.some((option) => option.long === "--no-redact"));
    // `serve` lets the page's reader choose; `mcp`, `review`, `narrate` and `push` always redact.
    // `prepare` copies sessions unchanged into the evidence workspace, and its own files quote no text of them.
    expect(without.map((command) => command.name())).toEqual(["serve", "mcp", "prepare", "review", "narrate", "push"]);
  });
});

function shape(path: string): unknown[] {
  expect(statSync(path).size).toBeGreaterThan(0);
  return readFileSync(path, "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => {
      const { seq, type, time, origin, turn_id } = JSON.parse(line) as Record<string, unknown>;
      return { seq, type, time, origin, turn_id };
    });
}

function quietIo(): Io {
  const nothing = (): void => undefined;
  return { out: nothing, err: nothing, env: {}, now: 0, columns: 80, outIsTerminal: false, errIsTerminal: false };
}
