import { appendFileSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { DaybookError } from "../../src/base/errors.ts";
import type { Row } from "../../src/base/io/sqlite.ts";
import { bookTexts, type SearchResult } from "../../src/index/search/search.ts";
import { firstOccurrences } from "../../src/index/tables/copied-lines.ts";
import { IndexStore } from "../../src/index/tables/index-store.ts";
import type { Daybook } from "../../src/answers/daybook.ts";
import { A, at, CALL, E, M, OUT, R, TC, TD, TS, write, type Line } from "../cases/build.ts";
import { copyCorpus, open, scratch, syncBook } from "./fixture.ts";
import { cases } from "../nightly.ts";
import * as fc from "fast-check";

const CHINESE = "请把数据库的连接池改成二十个,然后重启服务。";
const JAPANESE = "データベースのバックアップを毎晩取る設定にしてください";
const KOREAN = "데이터베이스를 다시 시작해 주세요";
const THAI = "ช่วยตรวจสอบฐานข้อมูลด้วย";

let serial = 0;
function turn(words: string, reply = "fine"): Line[] {
  const id = `t${++serial}`;
  return [TS(id), TC({ turn_id: id }), R(words), E(words), A(reply), TD(id)];
}

const SESSION: Line[] = [
  M("words", { cwd: "/nowhere/app" }),
  ...turn(CHINESE),
  ...turn(JAPANESE),
  ...turn(KOREAN),
  ...turn(THAI),
  ...turn("Fix the flaky connection-reset test in foo_bar.ts", "The café was CLOSED; naïve Übergröße"),
  ...turn("İstanbul is where İ shifts offsets, look at target here"),
  TS("calls"),
  R("run it"),
  E("run it"),
  CALL("c1", "exec_command", { cmd: "grep -rn needle src" }),
  OUT("c1", "needle in src/haystack.ts:42"),
  TD("calls"),
];

function hits(results: readonly SearchResult[]): string[] {
  return results.map((result) => result.snippet);
}

function kinds(results: readonly SearchResult[]): string[] {
  return results.map((result) => result.kind).toSorted();
}

/** Temporary files of words in the book, of which none may be left after a sync. */
function wordFiles(home: string): string[] {
  return readdirSync(join(home, "book"), { recursive: true, encoding: "utf8" }).filter((name) =>
    name.endsWith(".words"),
  );
}

/** The parts of the snippets that are marked as matches. */
function marked(results: readonly SearchResult[]): string[] {
  return results.flatMap((result) => result.matches.map(([from, to]) => result.snippet.slice(from, to)));
}

describe("search for words in several records of one turn", () => {
  const dir = scratch("apart");
  write(join(dir, "rollout-apart.jsonl"), [
    M("apart", { cwd: "/nowhere/app" }),
    ...turn("why are there no more connection slots", "Workers sit idle and keep theirs."),
    ...turn("what is idle here", "the slots"),
    ...turn("connection idle slots in one prompt"),
  ]);

  it.each([
    ["with a book", true],
    ["without a book", false],
  ])("finds the turn, ranked after records that contain them all, %s", async (_, book) => {
    const daybook = open({ codex: [dir] }, book ? scratch("apart-book") : undefined);
    const found = await daybook.ask("search", { words: "connection slots idle" });
    expect(found.results.map(({ turn_ref, kind }) => `${turn_ref} ${kind}`)).toEqual(["T0003 prompt", "T0001 prompt"]);
    expect(found.total).toBe(2);
    expect(found.results[1]).toMatchObject({ score: 0, snippet: "why are there no more connection slots" });
    expect((await daybook.search("connection slots idle", { limit: 1 })).map(({ turn_ref }) => turn_ref)).toEqual([
      "T0003",
    ]);
    // A phrase, or a search restricted to one kind, is not matched across records.
    expect(await daybook.search('"slots idle"')).toEqual([]);
    expect((await daybook.search("connection slots idle", { kinds: ["reply"] })).length).toBe(0);
    expect(await daybook.search("connection haystack")).toEqual([]);
    daybook.close();
  });
});

describe("search", () => {
  let daybook: Daybook;
  const dir = scratch("words");
  const book = scratch("book");

  beforeAll(() => {
    write(join(dir, "rollout-words.jsonl"), SESSION);
    write(join(dir, "rollout-other.jsonl"), [
      at("2026-04-01T08:00:00.000Z", M("other", { cwd: "/nowhere/other" })),
      at("2026-04-01T08:00:01.000Z", R("a flaky other thing")),
      at("2026-04-01T08:00:01.000Z", E("a flaky other thing")),
    ]);
    daybook = open({ codex: [dir] }, book);
  });

  it.each([
    ["数", CHINESE],
    ["池", CHINESE],
    ["务", CHINESE],
    ["数据", CHINESE],
    ["连接池", CHINESE],
    ["数据库的连接池改成", CHINESE],
    ["デ", JAPANESE],
    ["データ", JAPANESE],
    ["ベース", JAPANESE],
    ["毎晩", JAPANESE],
    ["バックアップを", JAPANESE],
    ["데이터", KOREAN],
    ["시작", KOREAN],
    ["ข้อมูล", THAI],
  ])("finds %s", async (query, text) => {
    const results = await daybook.search(query);
    expect(hits(results)).toEqual([text]);
    expect(marked(results)).toContain(query);
  });

  it.each(["数库", "池接", "库连", "ースデ", "nothingness"])("does not find %s", async (query) => {
    expect(await daybook.search(query)).toEqual([]);
  });

  it("finds words, phrases and prefixes, ignoring case and accents", async () => {
    expect(marked(await daybook.search("FLAKY", { session: "words" }))).toEqual(["flaky"]);
    expect(marked(await daybook.search('"flaky connection reset"'))).toEqual(["flaky connection-reset"]);
    expect(await daybook.search('"connection flaky"')).toEqual([]);
    expect(marked(await daybook.search("connec*"))).toEqual(["connec"]);
    expect(await daybook.search("connec")).toEqual([]);
    expect(marked(await daybook.search("cafe closed naive ubergroße"))).toEqual([
      "café",
      "CLOSED",
      "naïve",
      "Übergröße",
    ]);
    expect(marked(await daybook.search("foo_bar.ts"))).toEqual(["foo_bar.ts"]);
  });

  it("marks the right characters where lower case is longer than upper case", async () => {
    expect(marked(await daybook.search("target"))).toEqual(["target"]);
  });

  it("filters by kind, project, session and time", async () => {
    expect(kinds(await daybook.search("needle"))).toEqual(["input", "output"]);
    expect(kinds(await daybook.search("needle", { kinds: ["output"] }))).toEqual(["output"]);
    const flaky = async (query: Parameters<Daybook["search"]>[1]): Promise<string[]> =>
      (await daybook.search("flaky", query)).map((result) => result.session_id).toSorted();
    expect(await flaky({})).toEqual(["other", "words"]);
    expect(await flaky({ project: "other" })).toEqual(["other"]);
    expect(await flaky({ session: "words" })).toEqual(["words"]);
    expect(await flaky({ since: "2026-05-01" })).toEqual(["words"]);
    expect(await flaky({ until: "2026-04-30" })).toEqual(["other"]);
    expect(await flaky({ limit: 1 })).toHaveLength(1);
  });

  it("ranks the newest prompts first for a very common word, and applies filters", async () => {
    const many = scratch("many");
    const day = (n: number): string => new Date(Date.UTC(2026, 3, 1, 0, 0, n)).toISOString();
    const lines = Array.from({ length: 900 }, (_, i) => {
      const words = `common word ${i}`;
      return turn(words, `a common answer ${i}`).map((line) => at(day(i), line));
    });
    write(join(many, "rollout-many.jsonl"), [at(day(0), M("many", { cwd: "/nowhere/app" })), ...lines.flat()]);
    const common = open({ codex: [many] }, scratch("crowd"));
    expect(hits(await common.search("common", { limit: 3 }))).toEqual([
      "common word 899",
      "common word 898",
      "common word 897",
    ]);
    expect(hits(await common.search("common", { limit: 2, kinds: ["reply"] }))).toEqual([
      "a common answer 899",
      "a common answer 898",
    ]);
    expect(await common.search("common", { limit: 1000 })).toHaveLength(1000);
    // A rarer word is ranked by relevance.
    expect(hits(await common.search("word 17"))).toEqual(["common word 17"]);
    common.close();
  });

  it("shows a tool input in readable form, and as JSON if the name of a field matched", async () => {
    expect(hits(await daybook.search("needle", { kinds: ["input"] }))).toEqual(["exec_command grep -rn needle src"]);
    const byName = await daybook.search("cmd", { kinds: ["input"] });
    expect([hits(byName), marked(byName)]).toEqual([['exec_command {"cmd":"grep -rn needle src"}'], ["cmd"]]);
  });

  it("names the turn and the line", async () => {
    const [found] = await daybook.search("connection", { kinds: ["prompt"] });
    expect(found).toMatchObject({ turn_ref: "T0005", kind: "prompt", source: "codex", session_id: "words" });
    const [explained] = await daybook.explain(`words:${found?.line}`);
    expect(JSON.stringify(explained?.records)).toContain("connection-reset");
  });

  it("finds an appended text, and finds it once when more is appended", async () => {
    const path = join(dir, "rollout-words.jsonl");
    const counts: number[] = [];
    for (const line of [TS("late"), R("the latestword"), E("the latestword"), A("an answer"), TD("late")]) {
      appendFileSync(path, `${JSON.stringify(line)}\n`);
      const now = open({ codex: [dir] }, book);
      counts.push((await now.search("latestword")).length);
      now.close();
    }
    expect(counts).toEqual([0, 1, 1, 1, 1]);
  });

  it("finds words in the middle of long texts, and redacts secrets in the snippet", async () => {
    const filler = (n: number): string => Array.from({ length: 9000 }, (_, i) => `row ${n} ${i} nothing\n`).join("");
    const secret = `password = "hunter2hunter2hunter2"`;
    const calls = Array.from({ length: 40 }, (_, n) => [
      CALL(`long${n}`, "exec_command", { cmd: `print ${n}` }),
      OUT(`long${n}`, `${filler(n)}the pearl${n} lies here, ${secret}\n${filler(n)}`),
    ]);
    const roots = { codex: [scratch("long")] };
    // More words than are passed on in memory.
    write(join(roots.codex[0] as string, "rollout-long.jsonl"), [
      M("long"),
      TS("l"),
      R("print"),
      E("print"),
      ...calls.flat(),
    ]);
    const home = scratch("home");
    const long = open(roots, home);
    for (const n of [0, 17, 39]) {
      const found = await long.search(`pearl${n}`);
      expect(found.map(({ kind, line }) => [kind, line])).toEqual([["output", 6 + 2 * n]]);
      expect(marked(found)).toEqual([`pearl${n}`]);
      expect(found[0]?.snippet).toContain("[redacted:");
      expect(found[0]?.snippet).not.toContain("hunter2");
    }
    // Phrases are checked against the text itself.
    expect(await long.search('"nothing the"')).toHaveLength(20);
    expect(await long.search('"nothing pearl3"')).toEqual([]);
    long.close();
    expect(wordFiles(home)).toEqual([]);
  });

  it("shows no part of a secret if the match itself is a secret", async () => {
    const roots = { codex: [scratch("halves")] };
    const home = scratch("home");
    // The excerpt around the match begins 32 KB before it, somewhere inside the first secret.
    const first = `token = "${"Zq7Kp2Vx".repeat(40)}"`;
    const text = `it begins here ${"x ".repeat(30_000)} ${first} ${"y ".repeat(16_290)} password = "opensesame99opensesame"`;
    const lines = [M("halves"), TS("h"), R("go"), E("go"), CALL("h1", "exec_command", { cmd: "go" }), OUT("h1", text)];
    write(join(roots.codex[0] as string, "rollout-halves.jsonl"), lines);
    const halves = open(roots, home);
    const [found] = await halves.search("opensesame99opensesame");
    expect(found?.snippet).toContain("it begins here");
    expect(found?.snippet).not.toMatch(/opensesame|Zq7K|Kp2V/);
    const [unredacted] = await halves.search("opensesame99opensesame", { redact: false });
    expect(unredacted?.snippet).toContain("opensesame99opensesame");
    halves.close();
  });

  it("has temporary files of a killed sync removed by the next one", async () => {
    const home = scratch("home");
    const { roots } = copyCorpus(["codex-0.130.0-tui"]);
    await syncBook(roots, home);
    writeFileSync(join(home, "book", "codex", "killed.words"), "words");
    rmSync(join(home, "index.db"));
    await syncBook(roots, home);
    expect(wordFiles(home)).toEqual([]);
  });

  it("accepts any query, or rejects it with a usage error", async () => {
    const hostile = [
      '"',
      '""',
      '"unclosed',
      'a" OR b',
      "NEAR(a b)",
      "a AND",
      "OR",
      "NOT",
      "body:flaky",
      "-flaky",
      "^flaky",
      "flaky*",
      "*",
      "(((",
      "a\0b",
      "\0",
      "'; DROP TABLE file; --",
      "{a b}: c",
      "\ud800",
      "flaky \ud83d",
      "😀",
      "x".repeat(10_000),
      "word ".repeat(2000),
      "数".repeat(10_000),
      '"'.repeat(9999),
      "a*b*c*",
      "\u202e\u0000\u0007",
    ];
    for (const query of hostile) await expectResultsOrUsageError(daybook, query);
    await fc.assert(
      fc.asyncProperty(fc.oneof(fc.string({ unit: "binary", maxLength: 60 }), words()), (query) =>
        expectResultsOrUsageError(daybook, query),
      ),
      { numRuns: cases(150, 400) },
    );
  });
});

function words(): fc.Arbitrary<string> {
  const piece = fc.constantFrom(
    '"',
    "*",
    "flaky",
    "数据",
    "ー",
    "AND",
    "NEAR(",
    ")",
    ":",
    "é",
    "\0",
    "デ",
    " ",
    "^",
    "-",
    "{",
    "'",
  );
  return fc.array(piece, { maxLength: 30 }).map((pieces) => pieces.join(""));
}

/** The query gives results with valid marks, or a usage error. */
async function expectResultsOrUsageError(daybook: Daybook, query: string): Promise<void> {
  try {
    for (const { snippet, matches } of await daybook.search(query)) {
      expect(snippet.length).toBeLessThanOrEqual(240);
      for (const [from, to] of matches) expect(from < to && to <= snippet.length && from >= 0).toBe(true);
    }
  } catch (error) {
    if (!(error instanceof DaybookError)) throw error;
    expect(error.code).toBe("usage");
  }
}

describe("a full sync", () => {
  it("does not change search results and their scores", async () => {
    const dir = scratch("files");
    write(join(dir, "rollout-words.jsonl"), SESSION);
    const daybook = open({ codex: [dir] }, scratch("home"));
    await daybook.sync();
    const queries = ["needle", "connection", "target", "fine"];
    const before = await Promise.all(queries.map((word) => daybook.search(word)));
    expect(before.flat().length).toBeGreaterThan(4);
    const { files_read } = await daybook.sync({ full: true });
    expect(files_read).toBe(1);
    expect(await Promise.all(queries.map((word) => daybook.search(word)))).toEqual(before);
    daybook.close();
  });
});

describe("texts that a fork repeats", () => {
  const labels = ["claude-2.1.325", "claude-2.1.325-tui", "qwen-0.24.4", "pi-0.87.1", "codex-0.166.0"];
  const { roots } = copyCorpus(labels);
  const book = scratch("book");

  it("are found in the original session, and in the fork only if the search is restricted to it", async () => {
    const daybook = open(roots, book);
    await daybook.sync();
    const fork = (await daybook.sessions()).find(({ source, forked_from }) => source === "claude-code" && forked_from);
    const repeated = await daybook.search("first question", { kinds: ["prompt"], session: fork?.session_id ?? "" });
    expect(repeated.map(({ session_id, turn_ref }) => [session_id, turn_ref])).toEqual([[fork?.session_id, null]]);
    const all = await daybook.search("first question", { kinds: ["prompt"] });
    expect(all.map(({ session_id }) => session_id)).toContain(fork?.forked_from);
    expect(all.filter(({ turn_ref }) => turn_ref === null)).toEqual([]);
    daybook.close();
  });

  it("are told apart by content where a fork was rewritten", async () => {
    const FORK = "b204a748-a196-464d-9235-7a5e0524b779";
    const { dir, roots: own } = copyCorpus(["claude-2.1.325"]);
    const daybook = open(own, scratch("book"));
    await daybook.sync();
    const [turn] = await daybook.turns({ session: FORK });
    const path = turn?.session_path ?? dir;
    const lines = readFileSync(path, "utf8").split("\n");
    const { uuid } = JSON.parse(lines[(turn?.trigger.line ?? 0) - 1] ?? "") as { uuid: string };
    // Without what precedes the copied lines, they begin and end elsewhere.
    const begin = lines.findIndex((line) => line.includes('"parentUuid":null'));
    const text = lines.slice(begin).join("\n").replaceAll(uuid, uuid.replace(/^.{8}/, "01234567"));
    writeFileSync(path, text.replaceAll("A turn in the fork", "What came of it later"));
    await daybook.sync();
    for (const words of ["turn in the fork", "came of it later", "list the files"]) {
      const found = await daybook.search(`"${words}"`, { kinds: ["prompt"] });
      expect(found.length, words).toBeGreaterThan(0);
      expect(found.filter(({ turn_ref }) => turn_ref === null)).toEqual([]);
    }
    daybook.close();
  });

  it("are the only texts left out: each of them is found in another session", () => {
    const store = IndexStore.openExisting(book);
    if (!store) throw new Error("no index");
    const rows = (where: string): Row[] =>
      store.all(
        `SELECT d.*, u.path, u.page, u.source, u.session_id, u.key FROM doc d JOIN file u ON u.id = d.file WHERE ${where}`,
      );
    const found = `(${firstOccurrences(store).join(" AND ")})`;
    const texts = bookTexts(store);
    const shown = new Set(texts.texts(rows(found)));
    const leftOut = texts.texts(rows(`NOT ${found}`));
    store.close();
    expect(leftOut.length).toBeGreaterThan(5);
    expect(leftOut.filter((text) => !shown.has(text))).toEqual([]);
  });
});
