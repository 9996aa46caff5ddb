import { DaybookError } from "../../errors.ts";
import { openPlain, type ReadMeter } from "../../io/bytes.ts";
import { readLines, type LineStart } from "../../io/lines.ts";
import type { SourceRef } from "../contract.ts";
import { runKey } from "./identity.ts";

/** Other `# ` lines are headings inside replies or output of commands; only the complete sentence begins a run. */
const HEADER = /^\uFEFF?# aider chat started at (\d{4})-(\d\d)-(\d\d) (\d\d):(\d\d):(\d\d)\s*$/;
const STAMP = /^(.*) @(\d+):(\d+)-(\d+)$/;
const HEAD = 4096;

/** One run inside a history file. Runs cover the file without gaps. */
export interface Run {
  key: string;
  /** The header line; null for text before the first header. */
  header: string | null;
  /** Number of lines before the run, and the offset of its first byte. */
  from: LineStart;
  /** Offset after its last byte. */
  end: number;
}

export function isHeader(text: string): boolean {
  return HEADER.test(text);
}

/** Epoch ms of a header. It has no zone: this machine's is assumed, as nothing better is known. */
export function headerTime(text: string): number | null {
  const found = HEADER.exec(text);
  if (!found) return null;
  const [year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0] = found.slice(1).map(Number);
  const time = new Date(year, month - 1, day, hour, minute, second).getTime();
  return Number.isNaN(time) ? null : time;
}

/** All runs of a file, in order. Blank lines at the beginning belong to the first run. */
export function scanRuns(path: string, meter?: ReadMeter): Run[] {
  const runs: Run[] = [];
  let index = 0;
  let last = 0;
  const stream = openPlain(path, 0, meter);
  try {
    for (const raw of readLines(stream, { line: 0, offset: 0 })) {
      last = raw.offset + raw.bytes + (raw.terminated ? 1 : 0);
      const text = raw.text ?? "";
      const current = runs.at(-1);
      if (isHeader(text)) {
        index++;
        const header = text.replace(/^\uFEFF/, "").trimEnd();
        if (current) current.end = raw.offset;
        const from = current ? { line: raw.line - 1, offset: raw.offset } : { line: 0, offset: 0 };
        runs.push({ key: runKey(index), header, from, end: last });
      } else if (!current && text.trim() !== "") {
        runs.push({ key: runKey(0), header: null, from: { line: 0, offset: 0 }, end: last });
      }
    }
  } finally {
    stream.close();
  }
  const final = runs.at(-1);
  if (final) final.end = last;
  return runs;
}

/** Header and byte range: changes when the run grows, and lets the reader find the run without scanning the file. */
export function stampOf(run: Run): string {
  return `${run.header ?? "(no header)"} @${run.from.line}:${run.from.offset}-${run.end}`;
}

/** The run a ref names, and the start time of the next run (null if there is none). */
export function locateRun(ref: SourceRef, meter?: ReadMeter): { run: Run; until: number | null } {
  try {
    const run = stamped(ref, meter) ?? scanRuns(ref.path, meter).find((one) => one.key === (ref.key ?? runKey(1)));
    if (run) return { run, until: nextStart(ref.path, run, meter) };
  } catch (cause) {
    throw unreadable(ref, cause);
  }
  throw unreadable(ref, undefined);
}

function unreadable(ref: SourceRef, cause: unknown): DaybookError {
  return new DaybookError(`cannot open ${ref.path}`, {
    code: "unreadable",
    op: "read session",
    path: ref.path,
    hint: "check that the file exists, that you may read it, and that it still holds this run",
    cause,
  });
}

/** Uses the stamp only if the header is still at the position it names. */
function stamped(ref: SourceRef, meter?: ReadMeter): Run | null {
  const found = STAMP.exec(ref.stamp ?? "");
  if (!found || ref.key === undefined) return null;
  const [, header = "", line, offset, end] = found;
  const from = { line: Number(line), offset: Number(offset) };
  const run: Run = { key: ref.key, header, from, end: Number(end) };
  if (ref.key === runKey(0)) return { ...run, header: null };
  const stream = openPlain(ref.path, from.offset, meter);
  try {
    const head = Buffer.alloc(HEAD);
    const text = head.toString("utf8", 0, stream.read(head, 0));
    return text
      .replace(/^\uFEFF/, "")
      .trimStart()
      .startsWith(header)
      ? run
      : null;
  } finally {
    stream.close();
  }
}

function nextStart(path: string, run: Run, meter?: ReadMeter): number | null {
  const stream = openPlain(path, run.end, meter);
  try {
    for (const raw of readLines(stream, { line: 0, offset: run.end })) {
      const time = headerTime(raw.text ?? "");
      if (time !== null) return time;
    }
    return null;
  } finally {
    stream.close();
  }
}
