import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
// @ts-expect-error a plain JavaScript file without types
import * as versions from "../scripts/stored-versions.js";
import { SOURCES } from "../src/agents/registry.ts";
import { READERS, TABLES } from "../src/stored-versions.ts";

/** By source, and of the rows. */
type Hashes = Record<string, string>;

const { codeHashes, merged, raised, ROWS, sourceFolders } = versions as {
  codeHashes: (edited?: Record<string, string>) => Promise<Hashes>;
  merged: (text: string) => string;
  raised: (text: string, hashes: Hashes) => { text: string; names: string[] };
  ROWS: string;
  sourceFolders: () => string[];
};

const SRC = new URL("../src/", import.meta.url);
const READ_BY_CHAT_KIT = new Set([
  "cline",
  "cline-tasks",
  "continue",
  "crush",
  "cursor",
  "droid",
  "gptme",
  "grok",
  "kimi",
  "openhands",
  "pi",
  "vibe",
  "vscode-copilot",
]);
const ALL = [...sourceFolders(), ROWS];
const now = await codeHashes();

function textOf(path: string): string {
  return readFileSync(new URL(path, SRC), "utf8");
}

/** What would have to be raised if a file had this text instead. */
async function changedBy(path: string, from: string | RegExp, to: string): Promise<string[]> {
  const before = textOf(path);
  const text = before.replace(from, to);
  expect(text).not.toBe(before);
  const then = await codeHashes({ [path]: text });
  return ALL.filter((name) => then[name] !== now[name]);
}

it("every source has a version, under its id", () => {
  const ids = SOURCES.map(({ id }) => id);
  expect(ids.filter((id) => sourceFolders().includes(id))).toEqual(sourceFolders());
  expect(Object.keys(READERS)).toEqual(sourceFolders());
});

it("code whose results are stored has not changed without a new version", () => {
  const stale = ALL.filter((name) => (name === ROWS ? TABLES : READERS[name])?.code !== now[name]);
  const todo = stale.map((name) => {
    const where = name === ROWS ? "TABLES" : `READERS["${name}"]`;
    return `${where} in src/stored-versions.ts: raise version, and write code: "${now[name]}"`;
  });
  expect(todo, "homes keep what older code has read: run `npm run versions`, which does what follows").toEqual([]);
});

it("comments, formatting and types do not count", async () => {
  expect(await changedBy("agents/codex/read.ts", /^/, "// A comment.\n\n\n")).toEqual([]);
  expect(await changedBy("turns/builder.ts", /^/, "interface Unused { a: string }\n/** Another. */\n")).toEqual([]);
  expect(await changedBy("index/tables/schema.ts", "-- One native file", "-- A native file")).toEqual([]);
});

it("a rule of one source counts for that source alone", async () => {
  expect(await changedBy("agents/pi/read.ts", /$/, "\nconsole.log(1);\n")).toEqual(["pi"]);
});

it("a shared rule counts for the sources that use it, and a rule of turns for the rows alone", async () => {
  const kit = await changedBy("agents/kit/verdict.ts", /$/, "\nconsole.log(1);\n");
  expect(kit.filter((name) => !READ_BY_CHAT_KIT.has(name))).toEqual(["claude-code", "copilot", "gemini", "qwen"]);
  expect(kit.filter((name) => READ_BY_CHAT_KIT.has(name))).toEqual([...READ_BY_CHAT_KIT]);
  expect(await changedBy("book/pages/page.ts", /$/, "\nconsole.log(1);\n")).toEqual(sourceFolders());
  for (const path of [
    "turns/builder.ts",
    "views/turn-view.ts",
    "turns/decisions/decisions.ts",
    "views/facts/commits.ts",
  ])
    expect(await changedBy(path, /$/, "\nconsole.log(1);\n")).toEqual([ROWS]);
  expect(await changedBy("index/tables/schema.ts", "lines INTEGER NOT NULL,", "lines INTEGER,")).toEqual([ROWS]);
});

it("members of a source count where their results are stored", async () => {
  const path = "agents/claude-code/source.ts";
  expect(await changedBy(path, /newest: "[\d.]+"/, 'newest: "99.0"')).toEqual([]);
  expect(await changedBy(path, /"--output-format",\s+"json"/, '"--output-format", "text"')).toEqual([]);
  expect(await changedBy(path, /\n {2}tools,/, "")).toEqual([ROWS]);
  expect(await changedBy(path, "globalIdentities: true, ", "")).toEqual(["claude-code", ROWS]);
});

it("`npm run versions` raises what changed by one, and nothing else", () => {
  const text = textOf("stored-versions.ts");
  expect(raised(text, now)).toEqual({ text, names: [] });
  const then = { ...now, codex: "0123456789ab", [ROWS]: "ba9876543210" };
  const made = raised(text, then);
  expect(made.names).toEqual(["codex", ROWS]);
  expect(made.text).toContain(`  codex: { version: ${(READERS["codex"]?.version ?? 0) + 1}, code: "0123456789ab" },`);
  expect(made.text).toContain(`TABLES: StoredVersion = { version: ${TABLES.version + 1}, code: "ba9876543210" };`);
  expect(made.text.split("\n").filter((line, i) => line !== text.split("\n")[i])).toHaveLength(2);
});

it("`npm run versions` settles the conflicts of a merge: the higher version of both sides is raised", () => {
  const side = (codex: number, pi: number): string =>
    `  codex: { version: ${codex}, code: "aaaaaaaaaaaa" },\n  pi: { version: ${pi}, code: "bbbbbbbbbbbb" },\n`;
  const text = `{\n<<<<<<< HEAD\n${side(20, 16)}=======\n${side(18, 17)}>>>>>>> other\n};\n`;
  expect(merged(text)).toBe(`{\n${side(20, 17)}};\n`);
  expect(raised(merged(text), { codex: "aaaaaaaaaaaa", pi: "cccccccccccc" }).names).toEqual(["pi"]);
  expect(merged(textOf("stored-versions.ts"))).toBe(textOf("stored-versions.ts"));
});
