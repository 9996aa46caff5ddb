import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { MAX_DEPTH, isDeeper, parseJson, TooDeep } from "../src/base/io/json.ts";
import { openDatabase } from "../src/base/io/sqlite.ts";
import { answers, differences, open, scratch } from "./store/fixture.ts";
import { nine } from "./nine.ts";

/** One record of a genuine session is nested thousands of levels deep: only that record may become unreadable. */

function nested(levels: number): string {
  return `${'{"a":['.repeat(levels / 2)}${"]}".repeat(levels / 2)}`;
}

const FILE: Readonly<Record<string, RegExp>> = {
  "claude-code": /088b10c2.*\.jsonl$/,
  // A fork: reading it needs the records of its origin.
  codex: /01a1de02-b245.*\.jsonl$/,
  copilot: /04f6c590.*events\.jsonl$/,
  gemini: /e338f58c\.json$/,
  goose: /sessions\.db$/,
  opencode: /storage\/part\/msg_1dee13b2e.*\.json$/,
  pi: /07-09-53.*\.jsonl$/,
  qwen: /chats\/a97b325d.*\.jsonl$/,
};

function fileIn(dir: string, name: RegExp): string {
  const paths = readdirSync(dir, { recursive: true, encoding: "utf8" }).map((path) => join(dir, path));
  return paths.find((path) => name.test(path)) ?? "";
}

/** Writes a deeply nested record where the agent would write it. */
const DEEPEN: Readonly<Record<string, (path: string, levels: number) => void>> = {
  goose(path, levels) {
    const db = openDatabase(path);
    const [row] = db.prepare("SELECT id FROM messages WHERE role = 'assistant' ORDER BY id").all();
    const content = `[{"type":"text","text":"x"},{"type":"toolRequest","id":"c","toolCall":{"value":${nested(levels)}}}]`;
    db.prepare("UPDATE messages SET content_json = ? WHERE id = ?").run(content, row?.["id"] ?? 0);
    db.close();
  },
  opencode: (path, levels) => writeFileSync(path, `{"id":"p","type":"tool","state":{"input":${nested(levels)}}}`),
  gemini(path, levels) {
    const text = readFileSync(path, "utf8");
    writeFileSync(path, text.replace(/"content": "/, `"extra": ${nested(levels)}, "content": "`));
  },
};

/** Adds a deeply nested field to the third line. */
function deepenLine(path: string, levels: number): void {
  const lines = readFileSync(path, "utf8").split("\n");
  lines[2] = lines[2]?.replace(/\}$/, `,"extra":${nested(levels)}}`) ?? "";
  writeFileSync(path, lines.join("\n"));
}

const LEVELS = 20_000;
const { dir, roots } = nine();
let baseline: Record<string, unknown>;
beforeAll(async () => {
  baseline = await answers(open(roots), 0);
  const sources = (baseline["sessions"] as { source: string }[]).map(({ source }) => source);
  expect([...new Set(sources)]).toHaveLength(9);
});

describe("a record nested 20,000 levels deep, one per agent", () => {
  const files = Object.entries(FILE).map(([source, name]) => ({ source, path: fileIn(dir, name) }));
  const before = files.map(({ path }) => readFileSync(path));
  beforeAll(() => {
    for (const { source, path } of files) (DEEPEN[source] ?? deepenLine)(path, LEVELS);
  });
  afterAll(() => {
    for (const [i, { path }] of files.entries()) writeFileSync(path, before[i] ?? "");
  });

  it("is reported as unreadable and changes no other session, with or without a book", async () => {
    const answered = await answers(open(roots), 0);
    const daybook = open(roots);
    const audit = await daybook.audit();
    expect(audit.balanced).toBe(true);
    expect(
      Object.keys(audit.totals.records.reasons)
        .filter((reason) => reason.includes("too_deep"))
        .toSorted(),
    ).toEqual(
      ["claude", "codex", "copilot", "gemini", "goose", "opencode", "pi", "qwen"].map((id) =>
        expect.stringMatching(new RegExp(`\\b${id}\\.(?:line|row)\\.too_deep$`)),
      ),
    );
    expect(audit.totals.records.corrupt).toBe(8);
    expect((await daybook.problems()).map(({ code }) => code)).toEqual(files.map(() => "line_corrupt"));
    expect(differences(await answers(open(roots, scratch("home")), 0), answered)).toEqual([]);
    // Sessions without such a record are unchanged.
    const affected = new Set(audit.sessions.filter(({ records }) => records.corrupt > 0).map((one) => one.session_id));
    for (const name of ["sessions", "turns", "tools", "decisions"]) {
      const [current, original] = [answered, baseline].map((answer) =>
        (answer[name] as { session_id: string }[]).filter(({ session_id }) => !affected.has(session_id)),
      );
      expect(current, name).toEqual(original);
    }
    expect(answered["sessions"]).toHaveLength((baseline["sessions"] as unknown[]).length);
  });
});

it("a growing session with a Claude tool input nested 3,000 levels deep reads the same with a book", async () => {
  const path = fileIn(dir, /088b10c2.*\.jsonl$/);
  const lines = readFileSync(path, "utf8").split("\n");
  const home = scratch("home");
  const tools = lines.findIndex((line) => line.includes('"tool_use"'));
  const deep = lines[tools]?.replace(/"input":\{/, `"input":{"deep":${nested(3000)},`) ?? "";
  expect(deep).not.toBe(lines[tools]);
  for (const lineCount of [tools, tools + 1, lines.length]) {
    writeFileSync(
      path,
      `${lines
        .map((line, i) => (i === tools ? deep : line))
        .slice(0, lineCount)
        .join("\n")}\n`,
    );
    const claude = { "claude-code": roots["claude-code"] ?? [] };
    const [fromBook, fromFiles] = [await answers(open(claude, home), 0), await answers(open(claude), 0)];
    expect(differences(fromBook, fromFiles)).toEqual([]);
  }
  const turns = await open(roots, home).turns({ session: "088b10c2" });
  expect(turns.at(-1)?.final_text).not.toBe("");
});

it("parseJson refuses text nested deeper than MAX_DEPTH", () => {
  expect(() => parseJson(nested(MAX_DEPTH + 2))).toThrow(TooDeep);
  expect(isDeeper(parseJson(nested(MAX_DEPTH)))).toBe(false);
});

it("agents, decisions and records parse foreign JSON only with parseJson", () => {
  const allowed = new Set([
    "agents/kit/document-lines.ts", // item by item
    "agents/kit/database-sessions.ts", // its own data
    "agents/goose/discover.ts", // its own data
    "agents/kit/prompts.ts", // a quoted text
    "agents/kit/reading.ts", // a copy of the reader's own state
    "record/listing.ts", // its own data
    "record/header.ts", // a quoted text
    "turns/decisions/prose/words.ts", // its own data
  ]);
  const src = new URL("../src/", import.meta.url).pathname;
  const found = ["agents", "turns/decisions", "record"]
    .flatMap((folder) =>
      readdirSync(join(src, folder), { recursive: true, encoding: "utf8" }).map((path) => `${folder}/${path}`),
    )
    .filter((path) => path.endsWith(".ts") && !/\.test\.ts$|testing\.ts$/.test(path) && path !== "record/write-lock.ts")
    .filter((path) => readFileSync(join(src, path), "utf8").includes("JSON.parse("));
  expect(found.filter((path) => !allowed.has(path))).toEqual([]);
});
