import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";

import { marked } from "marked";
import { afterAll, describe, expect, it } from "vitest";
import { type Daybook, inside } from "../../src/answers/daybook.ts";
import { FORMAT_NAMES } from "../../src/export/export.ts";
import * as lines from "../cases/build.ts";
import { plantedSecrets } from "../planted-secrets.ts";
import { open, scratch } from "../store/fixture.ts";
import { trajectory } from "./atif-schema.ts";
import { csvRows, exported, filesIn } from "./exported.ts";
import { attributesOf, isByProtocol, messagesIn, spansIn } from "./otlp-official.ts";

const database = await (await DuckDBInstance.create(":memory:")).connect();
afterAll(() => database.closeSync());

async function rowsIn(dir: string, table: string): Promise<Record<string, unknown>[]> {
  const read = await database.runAndReadAll(`SELECT * FROM read_parquet('${dir}/${table}/*/*.parquet')`);
  return read.getRowObjectsJson();
}

/** Everything a format writes with all options, as text: the files, and decompressed columns. */
async function writtenBy(daybook: Daybook, format: string, hide: <T>(value: T) => T): Promise<string> {
  const content = format === "otel" || format === "openinference" ? true : undefined;
  const dir = await exported(daybook, format, {}, { content, hide });
  const files = filesIn(dir);
  expect(files.length).toBeGreaterThan(0);
  const texts = files.map((name) => `${name}\n${readFileSync(join(dir, name), "utf8")}`);
  const tables = format === "parquet" ? ["sessions", "turns", "tools", "usage"] : [];
  for (const table of tables)
    texts.push(...(await rowsIn(dir, table)).flatMap((row) => Object.values(row).map(String)));
  return texts.join("\n");
}

/** Where a session may contain a secret: each place gets its own token, none of them real. */
const PLACES = [
  "prompt",
  "reply",
  "reasoning",
  "input",
  "key",
  "output",
  "error",
  "title",
  "directory",
  "branch",
  "file",
  "model",
  "version",
  "tool",
] as const;
type Place = (typeof PLACES)[number];

const token = (n: number): string =>
  `ghp_${Array.from({ length: 36 }, (_, i) => "aB3dE5fG7hJ9k"[(i * 5 + n * 7 + i * n) % 13]).join("")}`;
const SECRET = Object.fromEntries(PLACES.map((place, n) => [place, token(n)])) as Record<Place, string>;

/** The places whose text each format contains. What it does not contain cannot leak. */
const without = (...places: Place[]): Place[] => PLACES.filter((place) => !places.includes(place));
const HOLDS: Readonly<Record<string, readonly Place[]>> = {
  jsonl: PLACES,
  markdown: ["prompt", "reply", "input", "title", "directory", "file", "tool"],
  html: without("key", "branch", "model"),
  csv: without("reasoning", "output"),
  parquet: without("reasoning", "output"),
  atif: without("branch"),
  otel: without("title", "branch"),
  openinference: without("title", "branch"),
};

const CODEX = "019e2f1c-0000-7000-8000-000000000001";
const CLAUDE = "11111111-2222-4333-8444-555555555555";
const { M, TC, TS, TD, R, E, A, EA, CALL, OUT, CU, CA, CT, U, toolUse, claudeLine, item, event } = lines;

function planted(all: string): Record<string, string[]> {
  const dir = lines.folder();
  const prompt = `use ${SECRET.prompt}\n\n${all}`;
  lines.write(join(dir, "codex", `rollout-2026-05-12T08-00-00-${CODEX}.jsonl`), [
    M(CODEX, {
      cli_version: `1.0.0 ${SECRET.version}`,
      cwd: `/srv/${SECRET.directory}`,
      git: { branch: `fix/${SECRET.branch}` },
    }),
    TC({ model: SECRET.model, cwd: `/srv/${SECRET.directory}` }),
    TS(),
    R(prompt),
    E(prompt),
    item({ type: "reasoning", summary: [{ type: "summary_text", text: `is ${SECRET.reasoning} stale?\n${all}` }] }),
    CALL("c1", "exec_command", { cmd: `deploy ${SECRET.input}\n${all}`, [SECRET.key]: 1 }),
    OUT("c1", `Process exited with code 1\nOutput:\n${SECRET.output}\n${all}`),
    CALL("c2", `mcp_${SECRET.tool}`, {}),
    OUT("c2", "ok"),
    U(100, 100),
    A(`${SECRET.reply}\n${all}`),
    EA(`${SECRET.reply}\n${all}`),
    TD(),
    TS(),
    R("and now?"),
    E("and now?"),
    event("error", { message: `401: bad key ${SECRET.error}` }),
    TD(),
  ]);
  const file = `/srv/app/${SECRET.file}.txt`;
  lines.write(join(dir, "claude", "-nowhere-app", `${CLAUDE}.jsonl`), [
    claudeLine("custom-title", { customTitle: `Rotate ${SECRET.title}`, sessionId: CLAUDE }),
    CU("write it", { sessionId: CLAUDE, version: "2.1.0", userType: "external", gitBranch: `b/${SECRET.branch}` }),
    CA([toolUse("t1", "Write", { file_path: file, content: all })]),
    CT("t1", "done"),
    CA("Done.", { stop: "end_turn", output: 12 }),
  ]);
  return { codex: [join(dir, "codex")], "claude-code": [join(dir, "claude")] };
}

describe("secrets in exports", () => {
  const kinds = plantedSecrets(20_261_116);
  const roots = planted(kinds.map(({ text }) => text).join("\n\n"));
  const isIn = (text: string, secret: string): boolean =>
    text.includes(secret) || (secret.length > 16 && text.includes(secret.slice(-10)));

  it("are tested in every format", () => {
    expect(Object.keys(HOLDS)).toEqual(FORMAT_NAMES);
  });

  it.each(FORMAT_NAMES)("as %s are all redacted, and present without redaction", async (format) => {
    const home = scratch("home");
    for (const daybook of [open(roots), open(roots, home)]) {
      const text = await writtenBy(daybook, format, (value) => daybook.redactor.all(value));
      expect(kinds.filter(({ secret }) => isIn(text, secret)).map(({ kind }) => kind)).toEqual([]);
      expect(PLACES.filter((place) => isIn(text, SECRET[place]))).toEqual([]);
      expect(text).toContain("[redacted:");
    }
    const bare = await writtenBy(open(roots), format, (value) => value);
    expect(PLACES.filter((place) => isIn(bare, SECRET[place]))).toEqual(HOLDS[format]);
    // Formats that escape characters may change a secret; that most are found shows that the first part can fail.
    const seen = kinds.filter(({ secret }) => isIn(bare, secret));
    expect(seen.length).toBeGreaterThan(kinds.length * 0.8);
  });
});

it("agent-trace redacts secrets in file names unless redaction is off", async () => {
  const repo = scratch("repo");
  const git = (...words: string[]): void =>
    void execFileSync("git", ["-C", repo, "-c", "user.name=a", "-c", "user.email=a@example.org", ...words], {
      stdio: "pipe",
    });
  const name = `${SECRET.file}.txt`;
  const text = "one\ntwo\nthree\n";
  const dir = lines.folder();
  lines.write(join(dir, "-nowhere-app", `${CLAUDE}.jsonl`), [
    CU("write it", { sessionId: CLAUDE, version: "2.1.0", userType: "external", cwd: repo }),
    CA([toolUse("t1", "Write", { file_path: join(repo, name), content: text })]),
    CT("t1", "done"),
    CA("Done.", { stop: "end_turn", output: 12 }),
  ]);
  git("init", "-q");
  writeFileSync(join(repo, name), text);
  git("add", "-A");
  git("commit", "-q", "-m", "first", "--date", "2026-05-12T09:00:00Z");
  const daybook = open({ "claude-code": [dir] });
  expect(JSON.stringify(await inside(daybook).agentTrace("HEAD", { cwd: repo, redact: false }))).toContain(SECRET.file);
  const trace = JSON.stringify(await inside(daybook).agentTrace("HEAD", { cwd: repo }));
  expect(trace).not.toContain(SECRET.file.slice(-10));
  expect(trace).toContain("[redacted:");
});

/** Written by hand: no genuine session attacks its reader. */
const TEXTS = [
  `</pre><script>alert(1)</script><img src=x onerror=alert(2)>`,
  "[go](javascript:alert(1)) ![p](http://tracker.example/p.png) <http://a.example> www.a.example",
  "```\n<script>alert(1)</script>\n````\n# not a heading",
  '=cmd|"/c calc"!A1',
  `@SUM(A1),"quoted",'single'\r\nsecond line\rthird`,
  "\u001b]0;owned\u0007 \u0000 \u009b31m \u202e\u2028\u2029 \ufeff end",
  "half of a pair \ud83d, the other \udc00, a whole one 😀 and \\ud800 in letters",
  String.raw`C:\users\ud800 \"quoted\" \n`,
];

describe("hostile text in exports", () => {
  const dir = lines.folder();
  const id = (n: number): string => `019e2f1c-0000-7000-8000-00000000000${n}`;
  for (const [n, text] of TEXTS.entries())
    lines.write(join(dir, `rollout-2026-05-12T08-00-0${n}-${id(n)}.jsonl`), [
      M(id(n)),
      TC(),
      TS(),
      R(text),
      E(text),
      CALL("c", "exec_command", { cmd: text }),
      OUT("c", text),
      A(text),
      EA(text),
      TD(),
    ]);
  const daybook = open({ codex: [dir] }, scratch("home"));
  /** With halves of surrogate pairs replaced, as valid UTF-8 requires. */
  const formed = TEXTS.map((text) => Buffer.from(text, "utf8").toString("utf8"));

  async function filesOf(format: string): Promise<Record<string, string>> {
    const content = format === "otel" || format === "openinference" ? true : undefined;
    const out = await exported(daybook, format, {}, { content });
    // Throws on invalid UTF-8.
    const utf8 = new TextDecoder("utf-8", { fatal: true });
    return Object.fromEntries(
      filesIn(out)
        .toSorted()
        .map((name) => [name, utf8.decode(readFileSync(join(out, name)))]),
    );
  }

  it("is escaped in HTML", async () => {
    const pages = Object.entries(await filesOf("html"));
    expect(pages).toHaveLength(TEXTS.length + 1);
    for (const [name, page] of pages) {
      expect(page, name).not.toMatch(/<script|<img|<iframe|<a [^>]*href="(?!codex\/)|javascript:alert\(1\)"/i);
      expect(page, name).toMatch(/<meta http-equiv="Content-Security-Policy" content="default-src &#39;none&#39;/);
      // eslint-disable-next-line no-control-regex
      expect(page, name).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u0080-\u009f\u202e]/);
    }
  });

  it("is plain text in Markdown", async () => {
    const documents = Object.entries(await filesOf("markdown"));
    expect(documents.length).toBeGreaterThanOrEqual(TEXTS.length);
    for (const [name, text] of documents) {
      const page = await marked.parse(text);
      expect(page, name).not.toMatch(/<script|<img|href="(?!codex\/)/i);
      // eslint-disable-next-line no-control-regex
      expect(text, name).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u0080-\u009f]/);
    }
  });

  it("is unchanged in Parquet, except for halves of surrogate pairs", async () => {
    const out = await exported(daybook, "parquet");
    const prompts = (await rowsIn(out, "turns")).map(({ prompt }) => prompt as string);
    expect(prompts.toSorted()).toEqual(formed.toSorted());
    // DuckDB's JSON reader is strict.
    const inputs = await database.runAndReadAll(
      `SELECT input ->> 'cmd' AS cmd FROM read_parquet('${out}/tools/*/*.parquet')`,
    );
    expect(
      inputs
        .getRowObjectsJson()
        .map(({ cmd }) => cmd as string)
        .toSorted(),
    ).toEqual(formed.toSorted());
  });

  it("has no formulas and control characters in CSV", async () => {
    const { "turns.csv": turns = "", "tools.csv": tools = "" } = await filesOf("csv");
    expect(csvRows(turns)).toHaveLength(TEXTS.length);
    for (const cell of [...csvRows(turns), ...csvRows(tools)].flatMap((row) => Object.values(row)))
      // eslint-disable-next-line no-control-regex
      expect(cell).not.toMatch(/^[=+\-@\t\r]|[\u0000-\u0008\u000b-\u001f\u007f-\u009f\ud800-\udfff]/u);
  });

  it("is valid JSON in spans and trajectories", async () => {
    for (const format of ["otel", "openinference"]) {
      const { "traces.jsonl": text = "" } = await filesOf(format);
      expect(messagesIn(text).every(isByProtocol)).toBe(true);
      const requests: string[] = spansIn(text).flatMap((span) => {
        const { "gen_ai.input.messages": json, "input.value": value, "daybook.turn": turn } = attributesOf(span);
        if (turn === undefined) return [];
        return json === undefined
          ? (value ?? [])
          : (JSON.parse(json) as [{ parts: [{ content: string }] }])[0].parts[0].content;
      });
      expect(requests.toSorted()).toEqual(formed.toSorted());
    }
    const documents = Object.values(await filesOf("atif")).map(
      (text) => JSON.parse(text) as { steps: [{ message: string }] },
    );
    for (const one of documents) trajectory.parse(one);
    expect(documents.map(({ steps }) => steps[0].message).toSorted()).toEqual(formed.toSorted());
  });

  it("is unchanged in the log", async () => {
    const records = Object.values(await filesOf("jsonl"))
      .join("")
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as { type: string; text?: string });
    const requests = records.filter(({ type }) => type === "user").map(({ text }) => text ?? "");
    expect(requests.toSorted()).toEqual(TEXTS.toSorted());
  });
});
