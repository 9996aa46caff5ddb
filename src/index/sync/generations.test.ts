import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import type { Entry, SourceRef } from "../../agents/contract.ts";
import { PageWriter } from "../../book/pages/page.ts";
import { readPage } from "../../book/pages/page-reader.ts";
import { ownLines, readRemainder, writeRemainder } from "./generations.ts";
import { headOf } from "./ingest.ts";

/** Pages are hand-written here: the remainder depends only on classes, identities and times. */
const dir = mkdtempSync(join(tmpdir(), "daybook-rest-"));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

const REF: SourceRef = { source: "codex", path: "/x/a.jsonl", size: 1, mtimeMs: 1, container: "jsonl" };
const answer = (text: string): Entry["records"][number] => ({ type: "assistant_finished", text, turn_ended: false });
const META = { type: "session_meta", cwd: "/w" } as unknown as Entry["records"][number];
const CONTEXT = { type: "context", model: "m" } as unknown as Entry["records"][number];
const USAGE = { type: "usage", response_id: "r", verdict: "counted" } as unknown as Entry["records"][number];
const TOTAL = { type: "usage_total", counter: "x" } as unknown as Entry["records"][number];

let serial = 0;

function entry(line: number, identity: string | null, more: Partial<Entry> = {}): Entry {
  return {
    line,
    offset: line * 10,
    bytes: 9,
    position: line,
    time: line * 1000,
    reason: "r",
    native: "n",
    class: "reaction",
    records: [answer(`text ${line}`)],
    tentative: false,
    ...(identity === null ? {} : { identity }),
    ...more,
  };
}

const prompt = (line: number, identity: string, more: Partial<Entry> = {}): Entry =>
  entry(line, identity, { class: "trigger", ...more });

function page(...entries: Entry[]): string {
  const base = join(dir, `page-${++serial}`);
  const writer = new PageWriter(base, headOf(REF, "s"), false);
  for (const one of entries) writer.add(one);
  writer.commit({ line: entries.at(-1)?.line ?? 0, offset: 0 });
  writer.close();
  return base;
}

/** The remainder of the first page; null when nothing is left. */
function remainder(older: readonly Entry[], ...newer: Entry[][]): Entry[] | null {
  const base = page(...older);
  const path = writeRemainder(
    base,
    newer.map((one) => page(...one)),
    REF,
    "s",
  );
  expect(readRemainder(base)).toBe(path);
  return path === null ? null : [...readPage(path).entries()];
}

/** Line numbers; `!` marks the entries that the newer pages lack. */
const summary = (entries: readonly Entry[] | null): string =>
  (entries ?? []).map(({ line, class: kind }) => `${line}${kind === "inherited" ? "" : "!"}`).join(" ");

describe("the remainder of a page that newer pages replaced", () => {
  it("is what none of the newer pages contains", () => {
    const older = [prompt(1, "a"), entry(2, "b"), prompt(3, "c"), entry(4, "d"), prompt(5, "e")];
    expect(summary(remainder(older, [prompt(1, "a"), entry(2, "b")], [prompt(5, "e")]))).toBe("1 2 3! 4! 5");
    expect(remainder(older, older)).toBeNull();
    expect(summary(remainder(older))).toBe("1! 2! 3! 4! 5!");
  });

  it("includes an identity of a newer page if it has another time", () => {
    expect(summary(remainder([prompt(1, "a"), prompt(2, "a")], [prompt(1, "a")]))).toBe("1 2!");
    expect(summary(remainder([prompt(1, "a")], [prompt(1, "b")]))).toBe("1!");
    const untimed = [prompt(1, "a", { time: null }), prompt(2, "b")];
    expect(summary(remainder(untimed, [prompt(7, "a", { time: null })]))).toBe("1 2!");
  });

  it("includes records without an identity if their prompt remains, and none before the first prompt", () => {
    const older = [entry(1, null), prompt(2, "a"), entry(3, null), prompt(4, "b"), entry(5, "known"), entry(6, null)];
    expect(summary(remainder(older, [prompt(2, "a"), entry(5, "known")]))).toBe("1 2 3 4! 5 6!");
    expect(summary(remainder(older, [prompt(4, "b")]))).toBe("1 2! 3! 4 5! 6");
    // Without an identity a record cannot be recognised.
    expect(summary(remainder([prompt(2, "a"), entry(3, null)], [entry(3, null)]))).toBe("2! 3!");
  });

  it("keeps of known records only metadata, context and usage, the latter as inherited", () => {
    const records = [META, answer("x"), CONTEXT, USAGE, TOTAL];
    const [known, own] = remainder([prompt(1, "a", { records }), prompt(2, "b", { records })], [prompt(1, "a")]) ?? [];
    expect(known).toEqual(
      prompt(1, "a", {
        class: "inherited",
        reason: "book.rewritten.known",
        records: [META, CONTEXT, { ...USAGE, verdict: "inherited" } as never],
      }),
    );
    // A total covers the whole file, but the remainder does not.
    expect(own).toEqual(prompt(2, "b", { records: [META, answer("x"), CONTEXT, USAGE] }));
  });

  it("is null if only headers remain", () => {
    const headers = (["session", "setup"] as const).map((kind, n) => entry(n + 1, `h${n}`, { class: kind }));
    expect(remainder(headers, [])).toBeNull();
    expect(remainder([], [prompt(1, "a")])).toBeNull();
    expect(summary(remainder([...headers, prompt(3, "a")], []))).toBe("1! 2! 3!");
    expect([...ownLines(page(...headers, prompt(3, "a"), entry(4, "b", { class: "inherited" })))]).toEqual([3]);
  });

  it("is null if it was never written", () => {
    expect(readRemainder(page(prompt(1, "a")))).toBeNull();
  });

  it("is rewritten only if it changed", () => {
    const base = page(prompt(1, "a"), prompt(2, "b"), entry(3, null));
    const [unrelated, overlapping] = [page(prompt(9, "z")), page(prompt(1, "a"))];
    const write = (newer: string): [string, bigint] => {
      const path = writeRemainder(base, [newer], REF, "s") ?? "";
      return [summary([...readPage(path).entries()]), statSync(`${path}.jsonl`, { bigint: true }).ctimeNs];
    };
    const first = write(unrelated);
    expect(first[0]).toBe("1! 2! 3!");
    expect(write(unrelated)).toEqual(first);
    const second = write(overlapping);
    expect(second[0]).toBe("1 2! 3!");
    expect(write(overlapping)).toEqual(second);
    const { head, commit } = readPage(`${base}.own`).state;
    expect([head?.session_id, head?.path, commit.line]).toEqual(["s", REF.path, 3]);
    expect(write(unrelated)[0]).toBe("1! 2! 3!");
  });
});
