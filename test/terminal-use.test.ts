import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { COMMANDS } from "../src/doors/cli/commands/index.ts";
import type { Io } from "../src/doors/cli/io.ts";
import { buildProgram, main } from "../src/doors/cli/main.ts";
import { scratch } from "./store/fixture.ts";

const SAMPLES = fileURLToPath(new URL("../samples/", import.meta.url));
const ROOTS = ["--root", `codex=${SAMPLES}codex`, "--root", `claude-code=${SAMPLES}claude-code`];
const EMPTY_HOME = scratch("nobody");

interface Ran {
  code: number;
  out: string;
  err: string;
}

async function run(argv: readonly string[], more: Partial<Io> = {}): Promise<Ran> {
  const ran: Ran = { code: 0, out: "", err: "" };
  const io: Io = {
    out: (text) => void (ran.out += text),
    err: (text) => void (ran.err += text),
    env: { HOME: EMPTY_HOME, NO_COLOR: "1" },
    now: Date.UTC(2026, 4, 13, 12),
    columns: 80,
    outIsTerminal: false,
    errIsTerminal: false,
    inIsTerminal: true,
    ...more,
  };
  ran.code = await main(argv, io);
  return ran;
}

describe("a usage error", () => {
  it.each([
    [["sesions"], "unknown command: sesions", "did you mean sessions?"],
    [["usage", "--brekdown"], "unknown option '--brekdown'", "Did you mean --breakdown?"],
    [["turns", "--source", "codx"], "unknown source: codx", "did you mean codex?"],
    [["turns", "--sample", "--project", "lantren"], "no project lantren", "did you mean"],
    [["search", "x", "--kind", "promt"], "unknown kind: promt", "did you mean prompt?"],
    [["tools", "--status", "fail"], "unknown status: fail", "did you mean failed?"],
    [["report", "--format", "htm"], "unknown format: htm", "did you mean html?"],
    [["doctor", "--limit", "5"], "doctor does not take --limit: it would have no effect", "leave it out"],
    [["doctor", "-s", "7d"], "doctor does not take -s: it would have no effect", "leave it out"],
    [["report", "--out", "day.pdf"], "a report cannot be written as .pdf", "ends in .html, .md, .json or .txt"],
    [
      ["report", "--out", "day.html", "--format", "markdown"],
      "day.html has an extension that does not match the format markdown",
      "end the name in .md",
    ],
    [["report", "--full", "--format", "html"], "--full cannot be combined with html", "leave --full out"],
    [["export", "--out", "all.jsonl"], "--out takes a directory, not all.jsonl", "daybook export > all.jsonl"],
    [["collect", "--output", "x.tar"], "--output must name a zip file, not x.tar", "ends in .zip"],
    [
      ["sessions", "--root", "codex=/nowhere"],
      "/nowhere does not exist",
      "--root codex=PATH needs an existing directory",
    ],
    [
      ["sessions", "--sample", "--home", "/nowhere"],
      "--sample cannot be combined with --home",
      "leave one of them out",
    ],
  ])("in %j is reported once, with a hint", async (argv, message, hint) => {
    const { code, out, err } = await run(argv);
    expect({ code, out }).toEqual({ code: 2, out: "" });
    const [first = "", ...rest] = err.trimEnd().split("\n");
    expect(first).toMatch(/^daybook: /);
    expect(first).toContain(message);
    expect(rest.join("\n")).toContain(hint);
    expect(err.match(/daybook: /g)).toHaveLength(1);
  });

  it("in a session id suggests the id that was meant", async () => {
    const { sessions } = JSON.parse((await run(["sessions", "--sample", "--json"])).out) as {
      sessions: { session_id: string }[];
    };
    const id = sessions[0]?.session_id ?? "";
    const typed = `${id.slice(0, 6)}x${id.slice(7, 12)}`;
    expect((await run(["show", typed, "--sample"])).err).toContain(`did you mean ${id}?`);
  });

  it("is reported if $DAYBOOK_CONFIG names a missing file", async () => {
    const env = { HOME: EMPTY_HOME, DAYBOOK_CONFIG: "/nowhere/config.toml" };
    const { code, err } = await run(["sessions", "--sample"], { env });
    expect(code).toBe(2);
    expect(err).toContain("/nowhere/config.toml: the file does not exist");
  });
});

it("--sample answers from the bundled sessions, and writes nothing to the home directory", async () => {
  const home = scratch("sample-home");
  const env = { HOME: home, DAYBOOK_HOME: join(home, "daybook"), NO_COLOR: "1" };
  for (const argv of [
    ...["report", "sessions", "turns", "tools", "decisions", "context", "audit", "doctor", "export"].map((name) => [
      name,
    ]),
    ["usage"],
    ["usage", "session"],
    ["search", "the"],
    ["show", "7c1e4a52/T0004:89"],
  ]) {
    const { code, out, err } = await run([...argv, "--sample", "-z", "UTC"], { env });
    expect({ argv, code, err, empty: out === "" }).toEqual({ argv, code: 0, err: "", empty: false });
  }
  expect(readdirSync(home)).toEqual([]);
});

describe("help", () => {
  const io = { out: () => undefined, err: () => undefined, env: {}, columns: 100 } as unknown as Io;
  const program = buildProgram(io, () => undefined);

  it("lists every command and nine examples, in lines of at most 80 columns", async () => {
    const { out } = await run(["--help"]);
    for (const name of Object.keys(COMMANDS)) expect(out).toMatch(new RegExp(`^  ${name} `, "m"));
    expect(out.indexOf("$ daybook yesterday")).toBeLessThan(out.indexOf("Look closer"));
    expect(out.match(/^ +\$ daybook/gm)).toHaveLength(9);
    for (const line of out.split("\n")) expect(line.length).toBeLessThanOrEqual(80);
  });

  it.each(program.commands.map((command) => [command.name()]))("of %s has examples", async (name) => {
    expect((await run([name, "--help"])).out).toMatch(/^Examples?:\n {2}(?:daybook|eval)/m);
  });
});

it("a list on a terminal suggests the next command, once", async () => {
  const home = join(scratch("guided"), "home");
  const flags = [...ROOTS, "--home", home, "-z", "UTC"];
  const terminal = { outIsTerminal: true, errIsTerminal: true };
  expect((await run(["sessions", ...flags])).err).toBe("");
  expect((await run(["sessions", ...flags, "--json"], terminal)).err).toBe("");
  const first = await run(["sessions", ...flags], terminal);
  expect(first.err).toMatch(/^\nnext · daybook show/);
  for (const line of first.err.split("\n")) expect(line.length).toBeLessThanOrEqual(80);
  expect((await run(["sessions", ...flags], terminal)).err).toBe("");
});

it("lists on a terminal stop at 20 rows and print the total; a pipe and --limit 0 get all rows", async () => {
  const dir = join(scratch("many"), "sessions");
  const [from = ""] = readdirSync(`${SAMPLES}codex`, { recursive: true, encoding: "utf8" }).filter((name) =>
    name.endsWith(".jsonl"),
  );
  const text = readFileSync(join(SAMPLES, "codex", from), "utf8");
  const id = /[0-9a-f]{8}-[0-9a-f-]{27}/.exec(from)?.[0] ?? "";
  mkdirSync(dir, { recursive: true });
  for (let i = 10; i < 35; i++) {
    const other = `${id.slice(0, -2)}${i}`;
    writeFileSync(join(dir, `rollout-2026-05-11T09-12-00-${other}.jsonl`), text.replaceAll(id, other));
  }
  cpSync(join(SAMPLES, "codex", from), join(dir, `rollout-2026-05-11T09-12-00-${id}.jsonl`));
  const rows = (out: string): number => out.split("\n").filter((line) => /^(?:2026-)?05-11/.test(line)).length;
  for (const home of [[], ["--home", join(scratch("many-home"), "home")]]) {
    const flags = ["--root", `codex=${dir}`, ...home, "-z", "UTC"];
    const shown = await run(["sessions", ...flags], { outIsTerminal: true });
    const total = JSON.parse((await run(["sessions", ...flags, "--json"])).out) as { sessions: unknown[] };
    expect(total.sessions).toHaveLength(26);
    expect(rows(shown.out)).toBe(20);
    expect(shown.out).toContain("20 of 26 sessions, --limit 0 for all");
    for (const more of [
      await run(["sessions", ...flags]),
      await run(["sessions", ...flags, "--limit", "0"], { outIsTerminal: true }),
    ]) {
      expect(rows(more.out)).toBe(26);
      expect(more.out).toContain("\n26 sessions\n");
    }
    const turns = await run(["turns", ...flags, "--limit", "3"]);
    expect(turns.out).toMatch(/\n3 of \d+ requests, --limit 0 for all\n$/);
    const calls = await run(["tools", ...flags, "--limit", "2"]);
    expect(calls.out).toMatch(/\n2 of \d+ calls, --limit 0 for all/);
  }
});
