// The documents keep their promises: every command they print is one, and does what is said where that needs neither a
// server, a model nor a team; every link leads somewhere.
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, cpSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import type { Command } from "commander";
import { expect, it } from "vitest";
import type { Io } from "../src/doors/cli/io.ts";
import { buildProgram, main } from "../src/doors/cli/main.ts";
import { scratch } from "./store/fixture.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const DOCUMENTS = [
  "README.md",
  "CONTRIBUTING.md",
  "SECURITY.md",
  ...readdirSync(join(ROOT, "docs")).flatMap((name) => (name.endsWith(".md") ? [`docs/${name}`] : [])),
];
const textOf = (name: string): string => readFileSync(join(ROOT, name), "utf8");

/** The lines of shell blocks that call Daybook, without what is said beside them. The reference is generated. */
const LINES = DOCUMENTS.filter((name) => name !== "docs/cli.md").flatMap((name) =>
  [...textOf(name).matchAll(/^```(\w*)\n([\s\S]*?)^```/gm)].flatMap(([, language = "", block = ""]) =>
    (["", "sh", "bash"].includes(language) ? block.split("\n") : []).flatMap((line) => {
      const [, words] = /^(?:\$ )?daybook( .*)?$/.exec(line.replace(/\s+#.*$/, "").trim()) ?? [];
      return words === undefined && line.trim() !== "daybook" ? [] : [[name, wordsOf(words ?? "")] as const];
    }),
  ),
);

function wordsOf(text: string): string[] {
  const [command = ""] = text.split(/\s[>|]\s/);
  return [...command.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(
    ([, double, single, bare]) => double ?? single ?? bare ?? "",
  );
}

const QUIET: Io = {
  out: () => undefined,
  err: () => undefined,
  env: {},
  now: Date.parse("2026-05-12T18:00:00Z"),
  columns: 120,
  outIsTerminal: false,
  errIsTerminal: false,
};

/** They need a server, a database, a model, somebody's agreement, or a place that is only an example. */
const NOT_RUN =
  /^(?:serve|mcp|push|team|blame|commit|resume|workspace inspect)\b|--store|--endpoint|--source-module|--open\b|--write-prompts/;
const ASKS_A_MODEL = /^(?:review|narrate)\b(?!.*--dry-run)/;

it("every printed command and flag exists", () => {
  expect(LINES.length).toBeGreaterThan(60);
  const program = buildProgram(QUIET, () => undefined);
  const strange = LINES.flatMap(([name, words]) => {
    let command: Command = program;
    const known = new Set<string>();
    for (const word of ["", ...words]) {
      const inner = command.commands.find((one) => one.name() === word || one.aliases().includes(word));
      command = inner ?? command;
      for (const { long, short } of command.options) for (const flag of [long, short]) if (flag) known.add(flag);
    }
    // Without a command it is the report.
    const report = program.commands.find((one) => one.name() === "report");
    if (command === program) for (const { long } of report?.options ?? []) if (long) known.add(long);
    const flags = words.flatMap((word) => (/^--?[a-z]/.test(word) ? [word.split("=")[0] ?? word] : []));
    const isNoCommand = words[0] !== undefined && !words[0].startsWith("-") && command === program;
    return [
      ...flags.filter((flag) => !known.has(flag)).map((flag) => `${name}: ${words.join(" ")}: ${flag}`),
      ...(isNoCommand ? [`${name}: no command: ${words.join(" ")}`] : []),
    ];
  });
  expect(strange).toEqual([]);
});

it("every command that needs nothing else runs on the samples", { timeout: 240_000 }, async () => {
  const home = scratch("home");

  cpSync(join(ROOT, "samples/codex"), join(home, ".codex"), { recursive: true });
  cpSync(join(ROOT, "samples/claude-code"), join(home, ".claude"), { recursive: true });
  const env = { HOME: home, DAYBOOK_HOME: join(home, "book"), PATH: process.env["PATH"] };
  const run = async (argv: readonly string[]): Promise<{ code: number; text: string }> => {
    let text = "";
    const take = (piece: string): void => void (text += piece);
    return { code: await main(argv, { ...QUIET, env, out: take, err: take }), text };
  };
  expect((await run(["sync"])).code).toBe(0);
  const failed: string[] = [];
  let count = 0;
  for (const [name, words] of LINES) {
    const line = words.join(" ");
    if (NOT_RUN.test(line) || ASKS_A_MODEL.test(line)) continue;
    count++;
    mkdirSync(join(home, "out", String(count)), { recursive: true });
    const argv = words.map((word, i) =>
      words[i - 1] === "--out"
        ? join(home, "out", String(count), word.replaceAll(/[~/]/g, "-"))
        : word.replace(/^019e2f1c/, "019e1976"),
    );
    const { code, text } = await run(argv);
    if (code !== 0) failed.push(`${name}: daybook ${line}: exit code ${code}: ${text.slice(0, 300)}`);
  }
  expect(failed).toEqual([]);
  expect(count).toBeGreaterThan(25);
});

/** As the usual hosts make anchors of headings. */
function anchorsOf(text: string): Set<string> {
  const headings = [...text.matchAll(/^#{1,6} (.+)$/gm)].map(([, heading = ""]) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
      .replaceAll(" ", "-"),
  );
  return new Set([...headings, ...[...text.matchAll(/<a (?:id|name)="([^"]+)"/g)].map(([, id = ""]) => id)]);
}

it("every link in the documents leads somewhere", () => {
  const broken = [...DOCUMENTS, "CHANGELOG.md"].flatMap((name) => {
    const text = textOf(name).replaceAll(/^```[\s\S]*?^```/gm, "");
    return [...text.matchAll(/\]\(([^)\s]+)\)/g)].flatMap(([, target = ""]) => {
      if (/^(?:https?|mailto):/.test(target)) return [];
      const [path = "", anchor] = target.split("#");
      const file = path === "" ? join(ROOT, name) : join(dirname(join(ROOT, name)), path);
      if (!existsSync(file)) return [`${name}: ${target}`];
      const isText = !statSync(file).isDirectory() && file.endsWith(".md");
      const isThere = anchor === undefined || !isText || anchorsOf(textOf(relative(ROOT, file))).has(anchor);
      return isThere ? [] : [`${name}: ${target}`];
    });
  });
  expect(broken).toEqual([]);
});
