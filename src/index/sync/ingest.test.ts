import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { claudeCode } from "../../agents/claude-code/source.ts";
import { assistant, result, text, tool, user } from "../../agents/claude-code/testing.ts";
import type { Entry, SourceRef } from "../../agents/contract.ts";
import { DiskFullError } from "../../base/io/disk.ts";
import { ANEW } from "../../book/pages/page-format.ts";
import { readPage } from "../../book/pages/page-reader.ts";
import { PageWriter, removePage } from "../../book/pages/page.ts";
import { readerVersion } from "../../stored-versions.ts";
import { DraftBuilder } from "../../turns/builder.ts";
import { DamagedIndex } from "../tables/damaged-index.ts";
import { headOf, ingestHere, ingestJob, LARGE, unitState, type IngestedFile, type IngestJob } from "./ingest.ts";
import { SegmentBuilder } from "../words/segment-builder.ts";
import { ENTRY_CHANGES } from "./testing.ts";
import { afterAll, afterEach, describe, expect, it, vi } from "vitest";

/** Which part of one file is read, and into which page, without an index. Lines look as agents write them. */
const dir = mkdtempSync(join(tmpdir(), "daybook-ingest-"));
afterAll(() => rmSync(dir, { recursive: true, force: true }));
afterEach(() => vi.restoreAllMocks());

type Line = object | string;
const lineOf = (line: Line): string => (typeof line === "string" ? line : `${JSON.stringify(line)}\n`);
const at = (second: number): { timestamp: string } => ({
  timestamp: new Date(Date.UTC(2026, 4, 12, 8, 0, second)).toISOString(),
});
const turn = (n: number, words = `question ${n}`): Line[] => [
  user(words, { ...at(n * 10), uuid: `q${n}` }),
  assistant([text(`answer ${n}`)], { id: `m${n}`, stop: "end_turn" }, { ...at(n * 10 + 1), uuid: `a${n}` }),
];

let serial = 0;

/** A file and what an index would store of it. */
class File {
  readonly dir: string = join(dir, String(++serial));
  readonly base: string = join(this.dir, "book", "page");
  path: string;
  last: IngestedFile | null = null;
  readonly #source: Pick<SourceRef, "source" | "container">;

  constructor(
    lines: readonly Line[],
    name = "11111111-2222-4333-8444-555555555555.jsonl",
    source: Pick<SourceRef, "source" | "container"> = { source: "claude-code", container: "jsonl" },
  ) {
    this.path = join(this.dir, name);
    this.#source = source;
    mkdirSync(dirname(this.path), { recursive: true });
    this.write(lines);
  }

  write(lines: readonly Line[]): void {
    writeFileSync(this.path, lines.map(lineOf).join(""));
  }

  append(...lines: Line[]): void {
    appendFileSync(this.path, lines.map(lineOf).join(""));
  }

  get ref(): SourceRef {
    const { size, mtimeMs } = statSync(this.path);
    return { ...this.#source, path: this.path, size, mtimeMs };
  }

  job(more: Partial<IngestJob> = {}): IngestJob {
    const { ref, last } = this;
    const known = { cursor: last?.cursor ?? null, fingerprint: last?.fingerprint ?? null, saved: last?.saved ?? null };
    return {
      want: "ingest",
      ref,
      bytes: ref.size,
      page: last?.page ?? this.base,
      otherwise: null,
      durable: false,
      rows: null,
      ...known,
      resting: last?.resting ?? null,
      tail: last?.tail ?? [],
      drift: last?.drift[1] ?? null,
      ...more,
    };
  }

  /** The number of entries read shows whether reading continued. */
  read(
    more: Partial<IngestJob> = {},
  ): IngestedFile & { growth: NonNullable<ReturnType<typeof ingestHere>["growth"]> | null } {
    const { done, growth = null, error } = ingestHere(this.job(more));
    if (!done) throw new Error(error);
    this.last = done;
    return { ...done, growth };
  }

  /** Reads from the start, as for an index without any state of the file. */
  readAnew(more: Partial<IngestJob> = {}): IngestedFile {
    return this.read({ cursor: null, fingerprint: null, saved: null, resting: null, tail: [], drift: null, ...more });
  }

  /** Rewrites the page as another reader version would have. */
  rewrite(change: (entry: Entry) => Entry, reader: number = readerVersion("claude-code")): void {
    const { head, commit } = readPage(this.base).state;
    const entries = [...readPage(this.base).entries()].map(change);
    if (!head || !commit.seen) throw new Error("not a whole page");
    removePage(this.base);
    const writer = new PageWriter(this.base, head, false);
    for (const entry of entries) writer.add(entry);
    writer.commit(commit, { seen: { ...commit.seen, reader } });
    writer.close();
  }

  /** Makes one checksum in the ledger wrong. */
  damage(base = this.base): void {
    const ledger = `${base}.ledger.jsonl`;
    const rows = readFileSync(ledger, "utf8").split("\n");
    const other = (rows[2] ?? "").replace(/\d(?=\]$)/, (digit) => String((Number(digit) + 1) % 10));
    writeFileSync(ledger, rows.with(2, other).join("\n"));
  }
}

const words = (base: string): string[] =>
  [...readPage(base).entries()].flatMap(({ records }) =>
    records.flatMap((body) => ("text" in body && typeof body.text === "string" ? [body.text] : [])),
  );

describe("a new file", () => {
  it("is read whole into its page", () => {
    const file = new File([...turn(1), ...turn(2)]);
    const done = file.read();
    const { size } = statSync(file.path);
    expect(done).toMatchObject({
      page: file.base,
      session_id: "11111111-2222-4333-8444-555555555555",
      lines: 4,
      entries: 4,
      whole: true,
      cursor: { line: 4, offset: size },
      tail: [],
      problems: [],
      links: [],
      growth: null,
      drift: [{ versions: { "2.1.100": 4 } }, { versions: { "2.1.100": 4 } }],
    });
    expect(done.identities.toSorted()).toEqual(["q1", "q2"].map((name) => expect.stringContaining(name) as string));
    expect(done.bytes_read).toBeGreaterThanOrEqual(size);
    expect(words(file.base)).toEqual(["question 1", "answer 1", "question 2", "answer 2"]);
    const { commit } = readPage(file.base).state;
    expect(commit).toMatchObject({
      line: 4,
      tail: [],
      seen: { reader: readerVersion("claude-code"), size, stamp: "" },
    });
    expect(commit.seen?.mtime).toBe(statSync(file.path).mtimeMs);
    expect(file.readAnew({ ref: { ...file.ref, stamp: "7" } }).page).toBe(file.base);
    expect(readPage(file.base).state.commit.seen?.stamp).toBe("7");
  });

  it("is committed to the ledger once", () => {
    const file = new File([...turn(1), ...turn(2)]);
    file.read();
    expect(readFileSync(`${file.base}.ledger.jsonl`, "utf8").match(/"commit"/g)).toHaveLength(1);
  });

  it("is stored compressed only if it is larger than LARGE", () => {
    const file = new File(turn(1));
    const missing = LARGE - statSync(file.path).size;
    file.append(`${JSON.stringify({ type: "x", x: "" }).replace('""', `"${"x".repeat(missing - 20)}"`)}\n`);
    expect(statSync(file.path).size).toBe(LARGE);
    file.read();
    expect([existsSync(`${file.base}.jsonl`), existsSync(`${file.base}.jsonl.frames`)]).toEqual([true, false]);
    const large = new File([readFileSync(file.path, "utf8"), "\n"]);
    large.read();
    expect(existsSync(`${large.base}.jsonl.frames`)).toBe(true);
  });

  it("that cannot be read results in an error, with path and bytes if the disk is full", () => {
    const file = new File(turn(1));
    const job = file.job();
    rmSync(file.path);
    const { error, ...rest } = ingestHere(job);
    expect(error).toMatch(/^cannot open /);
    expect(rest).toEqual({});
    const full = vi.spyOn(PageWriter.prototype, "commit");
    file.write(turn(1));
    for (const [path, reported] of [
      ["/some/page", "/some/page"],
      [undefined, ""],
    ]) {
      const problem = new DiskFullError("/some/page", 77);
      Object.defineProperty(problem, "path", { value: path });
      full.mockImplementation(() => {
        throw problem;
      });
      expect(ingestHere(file.job())).toEqual({ error: problem.message, full: [reported, 77] });
    }
    full.mockImplementation(() => {
      // eslint-disable-next-line @typescript-eslint/only-throw-error -- anything may be thrown
      throw "no error at all";
    });
    expect(ingestHere(file.job())).toEqual({ error: "no error at all" });
  });

  it("is reported to another thread without the builder, which cannot be sent", () => {
    const file = new File(turn(1));
    file.read();
    file.append(...turn(2));
    expect(Object.keys(ingestJob(file.job(), new SegmentBuilder()))).toEqual(["done"]);
  });
});

describe("a file that grew", () => {
  const grown = (): File => {
    const file = new File(turn(1));
    file.read();
    file.append(...turn(2));
    return file;
  };

  it("is read from the cursor on, and the result has the growth and the drift of the whole file", () => {
    const file = grown();
    const done = file.read();
    expect(done).toMatchObject({ entries: 2, lines: 4, whole: false, page: file.base });
    expect(done.growth).toMatchObject({ void: null });
    expect(done.growth?.builder.summary.session_id).toBe(done.session_id);
    expect(done.drift).toMatchObject([{ versions: { "2.1.100": 4 } }, { versions: { "2.1.100": 4 } }]);
    expect(words(file.base)).toHaveLength(4);
  });

  it("is read from its start if any part of the saved state is missing", () => {
    for (const missing of [
      { cursor: null },
      { fingerprint: null },
      { saved: null },
      { saved: { head: new Uint8Array([0]), pieces: [] } },
    ]) {
      const file = grown();
      const done = file.read({ ...missing, resting: null });
      expect(done).toMatchObject({ entries: 4, lines: 4, whole: true, growth: null });
      expect(done.page).toBe(file.base);
      expect(done.drift[0]).toMatchObject({ versions: { "2.1.100": 4 } });
    }
    const file = grown();
    removePage(file.base);
    expect(file.read({ resting: null })).toMatchObject({ entries: 4, whole: true, page: file.base });
  });

  it("is read from its start if its page and the index are at different lines", () => {
    const file = grown();
    const before = file.last;
    file.read();
    file.last = before;
    file.append(...turn(3));
    expect(file.read({ resting: null })).toMatchObject({ entries: 6, whole: true, page: file.base });
    expect(words(file.base)).toHaveLength(6);
  });

  it("is read from its start if it was replaced; its page is extended only if the content agrees", () => {
    const file = new File(turn(1));
    file.read();
    const stored = readFileSync(file.path, "utf8");
    rmSync(file.path);
    writeFileSync(`${file.path}.else`, "");
    file.write([stored, ...turn(2)]);
    utimesSync(file.path, 5, 5);
    expect(file.read()).toMatchObject({ entries: 4, whole: true, page: file.base });
    file.write([...turn(3), ...turn(4), ...turn(5)]);
    expect(file.read()).toMatchObject({ entries: 6, whole: true, page: `${file.base}.g2` });
    expect(words(file.base)).toHaveLength(4);
    expect(words(`${file.base}.g2`)).toHaveLength(6);
  });

  it("under another path continues its page if the content is the same, and gets its own page otherwise", () => {
    const file = grown();
    const other = `${file.base}-2`;
    const moved = join(file.dir, "moved.jsonl");
    // A copy: another inode with the same content.
    writeFileSync(moved, readFileSync(file.path));
    file.path = moved;
    expect(file.read({ otherwise: other })).toMatchObject({ entries: 2, whole: false, page: file.base });
    file.write(turn(7));
    expect(file.read({ otherwise: other })).toMatchObject({ entries: 2, whole: true, page: other });
    expect(words(file.base)).toHaveLength(4);
  });

  it("is read from its start if the index is damaged, but not if the reader throws", () => {
    for (const [error, message] of [
      [new TypeError("of this reader"), "of this reader"],
      [new DamagedIndex("lost"), null],
    ] as const) {
      const file = grown();
      const read = claudeCode.read.bind(claudeCode);
      vi.spyOn(claudeCode, "read").mockImplementation((ref, cursor, ctx) => {
        if (cursor !== null) throw error;
        return read(ref, cursor, ctx);
      });
      const { error: reported = null, done } = ingestHere(file.job());
      expect([reported, done?.entries]).toEqual(message === null ? [null, 4] : [message, undefined]);
      vi.restoreAllMocks();
    }
  });

  it("keeps the input of a tool call whose result is read later", () => {
    const file = new File([user("go", at(1)), assistant([tool("t1", "Bash", { command: "ls" })], {}, at(2))]);
    file.read();
    file.append(user([result("t1", "x")], at(3)));
    const { growth } = file.read();
    const { tools } = growth?.builder.finish({ versions: {}, unknownTypes: {}, unknownFields: {} }) ?? {};
    expect(tools).toMatchObject([{ name: "Bash", input: { command: "ls" } }]);
  });
});

describe("the tentative tail of a file", () => {
  const torn = lineOf(turn(2)[0] ?? "").trimEnd();

  it("is stored in the commit but not as lines of the page, and is read again", () => {
    const file = new File([...turn(1), torn]);
    const first = file.read();
    expect(first).toMatchObject({ entries: 3, lines: 2, problems: [], cursor: { line: 2 } });
    expect(first.tail).toMatchObject([{ line: 3, tentative: true }]);
    expect(readPage(file.base).state.commit.tail).toEqual(first.tail);
    expect(readPage(file.base).state.commit.line).toBe(2);
    expect(first.identities).toHaveLength(2);
    expect(first.drift).toMatchObject([{ versions: { "2.1.100": 3 } }, { versions: { "2.1.100": 2 } }]);
    file.append("\n", turn(2)[1] ?? "");
    const done = file.read();
    expect(done).toMatchObject({ entries: 2, lines: 4, tail: [], whole: false });
    expect(done.drift).toMatchObject([{ versions: { "2.1.100": 4 } }, { versions: { "2.1.100": 4 } }]);
    // What the tail had changed is reported, so that it can be undone.
    expect(done.growth?.void).toMatchObject({ turns: 2, newTurns: 1 });
    // Drift is counted by the read that saw the complete line.
    expect(done.growth?.void?.draft.drift).toEqual({ versions: {}, unknownTypes: {}, unknownFields: {} });
    expect(words(file.base)).toHaveLength(4);
  });

  it("begins at a slash command and is read again with the lines that follow", () => {
    const command = user("<command-name>/mine</command-name><command-message>mine</command-message>", at(20));
    const file = new File([...turn(1), command]);
    const first = file.read();
    expect(first.tail.map(({ line }) => line)).toEqual([3]);
    file.append(turn(3)[1] ?? "");
    expect(file.read()).toMatchObject({ entries: 2, lines: 4 });
  });

  /** Until the test ends, the reader marks this line as tentative, but none after it. */
  const markTentative = (line: number): void => {
    vi.restoreAllMocks();
    const read = claudeCode.read.bind(claudeCode);
    vi.spyOn(claudeCode, "read").mockImplementation((ref, cursor, ctx) => {
      const reading = read(ref, cursor, ctx);
      return {
        *[Symbol.iterator]() {
          for (const entry of reading) yield entry.line === line ? { ...entry, tentative: true } : entry;
        },
        cursor: () => reading.cursor(),
        drift: () => reading.drift(),
      };
    });
  };

  it("includes certain lines after a tentative line", () => {
    const file = new File([...turn(1), ...turn(2)]);
    markTentative(3);
    expect(file.read().tail.map(({ line }) => line)).toEqual([3, 4]);
  });

  it("leads to a new page if the existing page already contains its lines", () => {
    const file = new File([...turn(1), ...turn(2)]);
    file.read();
    markTentative(4);
    expect(file.readAnew()).toMatchObject({ page: `${file.base}.g2`, entries: 4 });
  });

  it("is not compared with the page when the file is read from its start", () => {
    const file = new File([...turn(1), torn]);
    file.read();
    expect(file.readAnew()).toMatchObject({ entries: 3, lines: 2, page: file.base });
    file.append("\n");
    expect(file.readAnew()).toMatchObject({ entries: 3, lines: 3, tail: [], page: file.base });
    expect(words(file.base)).toEqual(["question 1", "answer 1", "question 2"]);
  });

  it("is not reported as a problem, but a malformed line before it is", () => {
    const file = new File([...turn(1), "{ torn }\n", ...turn(2), torn.slice(0, 40)]);
    expect(file.read().problems.map(({ code }) => code)).toEqual(["line_corrupt"]);
  });
});

describe("a page", () => {
  const CHANGES: typeof ENTRY_CHANGES = [...ENTRY_CHANGES, ["line", (entry) => ({ ...entry, line: entry.line + 1 })]];

  it("stays unchanged and is followed by a new generation if one record of the file differs in any field", () => {
    for (const [name, change] of CHANGES) {
      const file = new File([...turn(1), ...turn(2)]);
      file.read();
      file.rewrite((entry) => (entry.line === 4 ? change(entry) : entry));
      const left = readFileSync(`${file.base}.ledger.jsonl`);
      expect([name, file.readAnew()]).toMatchObject([name, { entries: 4, page: `${file.base}.g2` }]);
      expect(readFileSync(`${file.base}.ledger.jsonl`)).toEqual(left);
    }
  });

  it("is followed by a new generation if it contains more than the file", () => {
    const file = new File([...turn(1), ...turn(2)]);
    file.read();
    file.write(turn(1));
    expect(file.readAnew()).toMatchObject({ entries: 2, page: `${file.base}.g2` });
    // Existing generations are tried in order before a new one is started.
    file.write(turn(5));
    expect(file.readAnew({ page: file.base })).toMatchObject({ entries: 2, page: `${file.base}.g3` });
    file.append(...turn(6));
    expect(file.readAnew({ page: file.base })).toMatchObject({ entries: 4, page: `${file.base}.g3` });
  });

  it("that is damaged stays unchanged and is followed by a new generation, again and again", () => {
    const file = new File([...turn(1), ...turn(2)]);
    file.read();
    file.damage();
    const left = readFileSync(`${file.base}.ledger.jsonl`);
    // Even though reading could have continued at the cursor.
    file.append(...turn(3));
    expect(file.read({ resting: null })).toMatchObject({ entries: 6, page: `${file.base}.g2` });
    file.damage(`${file.base}.g2`);
    expect(file.readAnew({ page: file.base })).toMatchObject({ entries: 6, page: `${file.base}.g3` });
    expect(readFileSync(`${file.base}.ledger.jsonl`)).toEqual(left);
  });

  it("that cannot be opened for a reason other than damage results in an error", () => {
    const file = new File(turn(1));
    file.read();
    file.append(...turn(2));
    vi.spyOn(claudeCode, "sessionId").mockImplementationOnce(() => {
      throw new TypeError("of something else");
    });
    expect(ingestHere(file.job())).toEqual({ error: "of something else" });
  });

  it("of an older reader version is replaced if the file still has the same lines", () => {
    const file = new File([...turn(1), ...turn(2)]);
    file.read();
    file.rewrite((entry) => ({ ...entry, reason: "mistaken" }), readerVersion("claude-code") - 1);
    file.append(...turn(3));
    expect(file.readAnew()).toMatchObject({ entries: 6, lines: 6, whole: true, page: file.base });
    expect(words(file.base)).toHaveLength(6);
    expect(readFileSync(`${file.base}.ledger.jsonl`, "utf8")).not.toContain("mistaken");
    expect(existsSync(`${file.base}${ANEW}.ledger.jsonl`)).toBe(false);
  });

  it("of an older reader version stays if the file has other lines", () => {
    const lineChanges = CHANGES.filter(([name]) => /line|bytes|time/.test(name));
    for (const [name, change] of lineChanges) {
      const file = new File([...turn(1), ...turn(2)]);
      file.read();
      file.rewrite((entry) => (entry.line === 4 ? change(entry) : entry), readerVersion("claude-code") - 1);
      expect([name, file.readAnew()]).toMatchObject([name, { entries: 4, page: `${file.base}.g2` }]);
      expect(existsSync(`${file.base}${ANEW}.ledger.jsonl`)).toBe(false);
    }
    const file = new File([...turn(1), ...turn(2)]);
    file.read();
    file.rewrite((entry) => entry, readerVersion("claude-code") - 1);
    file.write(turn(1));
    expect(file.readAnew()).toMatchObject({ entries: 2, page: `${file.base}.g2` });
  });

  it("of an older reader version is compared like any other if the file has been read by the current version", () => {
    const file = new File([...turn(1), ...turn(2)]);
    file.read();
    file.rewrite((entry) => ({ ...entry, reason: "mistaken" }), readerVersion("claude-code") - 1);
    file.write([...turn(1), ...turn(2), ...turn(3)]);
    expect(file.read({ fingerprint: null, resting: null })).toMatchObject({ entries: 6, page: `${file.base}.g2` });
  });

  it("has a head with source, path, key, container and session id", () => {
    const ref: SourceRef = { source: "goose", path: "/x/s.db", size: 1, mtimeMs: 1, container: "sqlite" };
    const same = { source: "goose", path: "/x/s.db", container: "sqlite", session_id: "s" };
    expect(headOf(ref, "s")).toEqual({ ...same, key: "" });
    expect(headOf({ ...ref, key: "k" }, "s")).toEqual({ ...same, key: "k" });
  });
});

describe("a store that is compared row by row", () => {
  type Message = { id: string; type: string; content: string; timestamp: string };
  const message = (n: number, content: string, more: Partial<Message> = {}): Message => ({
    id: `00000000-0000-4000-8000-00000000000${n}`,
    type: n % 2 === 1 ? "user" : "gemini",
    content,
    timestamp: `2026-11-15T11:31:5${n}.000Z`,
    ...more,
  });
  const chat = (messages: readonly Message[]): Line[] => {
    const sessionId = "dffa2bd5-0991-4422-98a3-79c56a47194c";
    const [startTime, lastUpdated] = ["2026-11-15T11:31:50.223Z", "2026-11-15T11:32:05.200Z"];
    return [{ sessionId, projectHash: "3".repeat(64), startTime, lastUpdated, messages }];
  };
  const [first, second] = [message(1, "first"), message(2, "an answer")];
  const store = (): File => {
    const name = join("tmp", "3".repeat(64), "chats", "session-2026-11-15T11-31-dffa2bd5.json");
    const file = new File(chat([first, second]), name, { source: "gemini", container: "json" });
    file.readAnew();
    return file;
  };

  it("has a changed row written to its page again, with the new rows", () => {
    const file = store();
    const before = file.last?.lines ?? 0;
    file.write(chat([message(1, "first, better"), second, message(3, "second")]));
    expect(file.read()).toMatchObject({ entries: before + 1, page: file.base, whole: true });
    expect(words(file.base)).toContain("first, better");
    expect(file.last?.fingerprint).toBeNull();
  });

  it("keeps the page of an older reader version", () => {
    const file = store();
    file.rewrite(
      (entry) => (entry.class === "trigger" ? { ...entry, reason: "mistaken" } : entry),
      readerVersion("gemini") - 1,
    );
    expect(file.readAnew().page).toBe(file.base);
    expect(readFileSync(`${file.base}.ledger.jsonl`, "utf8")).toContain("mistaken");
  });

  it("gets a new page if a row was replaced by another row, and the old page stays unchanged", () => {
    // One changed row is too large to be buffered in memory.
    for (const [row, times] of [
      [message(2, "an answer", { id: "00000000-0000-4000-8000-000000000009" }), 80_000],
      [message(2, "x", { type: "info" }), 1],
    ] as const) {
      const file = store();
      const left = (): string[] =>
        [".jsonl", ".ledger.jsonl"].map((name) => readFileSync(`${file.base}${name}`, "utf8"));
      const before = left();
      file.write(chat([message(1, "first, better ".repeat(times)), row]));
      expect(file.read().page).toBe(`${file.base}.g2`);
      expect(left()).toEqual(before);
    }
  });
});

describe("unitState", () => {
  const REF: SourceRef = { source: "claude-code", path: "/x", size: 0, mtimeMs: 0, container: "jsonl" };
  const links = (children: string[], meta: object): string[] => {
    const builder = new DraftBuilder(REF, "s", { ledger: false, toolDetail: true });
    const { summary } = builder;
    const childLinks = children.map((id) => ({ child: { source: "a", session_id: id } }));
    Object.defineProperty(builder, "summary", {
      value: { ...summary, children: childLinks, meta: { ...summary.meta, ...meta } },
    });
    return unitState(claudeCode, REF, builder, []).links;
  };

  it("links children, parent, and the sessions that it was forked or copied from, without duplicates", () => {
    const of = (source: string, session_id: string): object => ({ source, session_id });
    expect(links([], {})).toEqual([]);
    expect(links(["1", "2", "1"], {})).toEqual(["a/1", "a/2"]);
    expect(links([], { parent: of("b", "3") })).toEqual(["b/3"]);
    expect(links([], { forked_from: "4" })).toEqual(["claude-code/4"]);
    expect(links([], { copy_of: of("c", "5") })).toEqual(["c/5"]);
    expect(links(["1"], { parent: of("a", "1"), forked_from: "4" })).toEqual(["a/1", "claude-code/4"]);
  });

  it("returns no identities if the source has no global identities", () => {
    const builder = new DraftBuilder(REF, "s", { ledger: false, toolDetail: true });
    const { globalIdentities: _, ...capabilities } = claudeCode.capabilities;
    expect(unitState({ ...claudeCode, capabilities }, REF, builder, []).identities).toEqual([]);
  });
});
