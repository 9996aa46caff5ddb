import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import type { Entry, SourceRef } from "../../sources/contract.ts";
import { PageWriter } from "../pages/page.ts";
import { readPage } from "../pages/page-reader.ts";
import { ownLines, readRemainder, writeRemainder } from "./generations.ts";
import { headOf } from "./ingest.ts";

/** Pages are hand-written here: the remainder depends only on classes, identities and times. */
const dir = mkdtempSync(join(tmpdir(), "daybook-rest-"));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

const REF: SourceRef = { source: "codex", path: "/x/a.jsonl", size: 1, mtimeMs: 1, container: "jsonl" };
const said = (text: string): Entry["records"][number] => ({ type: "assistant_finished", text, turn_ended: false });
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
    records: [said(`text ${line}`)],
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
function rest(older: readonly Entry[], ...newer: Entry[][]): Entry[] | null {
  const base = page(...older);
  const left = writeRemainder(
    base,
    newer.map((one) => page(...one)),
    REF,
    "s",
  );
  expect(readRemainder(base)).toBe(left);
  return left === null ? null : [...readPage(left).entries()];
}

const told = (entries: readonly Entry[] | null): string =>
  (entries ?? []).map(({ line, class: kind }) => `${line}${kind === "inherited" ? "" : "!"}`).join(" ");

describe("what is left of a page that was told anew", () => {
  it("is what the newer ones do not say, whichever of them says it", () => {
    const older = [prompt(1, "a"), entry(2, "b"), prompt(3, "c"), entry(4, "d"), prompt(5, "e")];
    expect(told(rest(older, [prompt(1, "a"), entry(2, "b")], [prompt(5, "e")]))).toBe("1 2 3! 4! 5");
    expect(rest(older, older)).toBeNull();
    expect(told(rest(older))).toBe("1! 2! 3! 4! 5!");
  });

  it("is the same words at another time", () => {
    expect(told(rest([prompt(1, "a"), prompt(2, "a")], [prompt(1, "a")]))).toBe("1 2!");
    expect(told(rest([prompt(1, "a")], [prompt(1, "b")]))).toBe("1!");
    const untimed = [prompt(1, "a", { time: null }), prompt(2, "b")];
    expect(told(rest(untimed, [prompt(7, "a", { time: null })]))).toBe("1 2!");
  });

  it("is of records without a name what their prompt is, and none before the first", () => {
    const older = [entry(1, null), prompt(2, "a"), entry(3, null), prompt(4, "b"), entry(5, "known"), entry(6, null)];
    expect(told(rest(older, [prompt(2, "a"), entry(5, "known")]))).toBe("1 2 3 4! 5 6!");
    expect(told(rest(older, [prompt(4, "b")]))).toBe("1 2! 3! 4 5! 6");
    // Without an identity a record cannot be recognised.
    expect(told(rest([prompt(2, "a"), entry(3, null)], [entry(3, null)]))).toBe("2! 3!");
  });

  it("tells what is known without its words: where it was done, and what was spent, which counts elsewhere", () => {
    const records = [META, said("x"), CONTEXT, USAGE, TOTAL];
    const [known, news] = rest([prompt(1, "a", { records }), prompt(2, "b", { records })], [prompt(1, "a")]) ?? [];
    expect(known).toEqual(
      prompt(1, "a", {
        class: "inherited",
        reason: "book.rewritten.known",
        records: [META, CONTEXT, { ...USAGE, verdict: "inherited" } as never],
      }),
    );
    // A total covers the whole file, but the remainder does not.
    expect(news).toEqual(prompt(2, "b", { records: [META, said("x"), CONTEXT, USAGE] }));
  });

  it("is nothing where only headers are", () => {
    const silent = (["session", "setup"] as const).map((kind, n) => entry(n + 1, `h${n}`, { class: kind }));
    expect(rest(silent, [])).toBeNull();
    expect(rest([], [prompt(1, "a")])).toBeNull();
    expect(told(rest([...silent, prompt(3, "a")], []))).toBe("1! 2! 3!");
    expect([...ownLines(page(...silent, prompt(3, "a"), entry(4, "b", { class: "inherited" })))]).toEqual([3]);
  });

  it("is nothing where it was never looked for", () => {
    expect(readRemainder(page(prompt(1, "a")))).toBeNull();
  });

  it("is left alone while it is so, and made anew where it is not", () => {
    const base = page(prompt(1, "a"), prompt(2, "b"), entry(3, null));
    const [none, both] = [page(prompt(9, "z")), page(prompt(1, "a"))];
    const made = (newer: string): [string, bigint] => {
      const left = writeRemainder(base, [newer], REF, "s") ?? "";
      return [told([...readPage(left).entries()]), statSync(`${left}.jsonl`, { bigint: true }).ctimeNs];
    };
    const first = made(none);
    expect(first[0]).toBe("1! 2! 3!");
    expect(made(none)).toEqual(first);
    const second = made(both);
    expect(second[0]).toBe("1 2! 3!");
    expect(made(both)).toEqual(second);
    const { head, commit } = readPage(`${base}.own`).state;
    expect([head?.session_id, head?.path, commit.line]).toEqual(["s", REF.path, 3]);
    expect(made(none)[0]).toBe("1! 2! 3!");
  });
});
