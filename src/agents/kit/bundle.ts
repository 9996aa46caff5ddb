/** Sessions made of several files: a log with files beside it, or a directory of files that are read as one. */
import { basename, dirname, join } from "node:path";
import { readWhole, type ReadMeter } from "../../base/io/bytes.ts";
import { isDeeper, parseJson, TooDeep } from "../../base/io/json.ts";
import { BESIDE, type LineStartCursor, type NativeRecord } from "../contract.ts";
import type { JsonLine, LineProblem, Lines } from "./json-lines.ts";
import { obj, type Native } from "./native.ts";

/** The files beside a log, each read at most once in a pass. Paths are relative to the log's directory. */
export class Beside {
  readonly #directory: string;
  readonly #meter: ReadMeter | undefined;
  readonly #read = new Map<string, PlacedRecord[]>();

  constructor(path: string, meter?: ReadMeter) {
    this.#directory = dirname(path);
    this.#meter = meter;
  }

  /** The object in a JSON file; null if there is no such file, or no object in it. */
  json(file: string): Native | null {
    const [first] = this.records(file);
    return first?.value ?? null;
  }

  /** The objects in a file of JSON lines; none if there is no such file. */
  lines(file: string): Native[] {
    return this.records(file).flatMap(({ value }) => (value ? [value] : []));
  }

  records(file: string): readonly PlacedRecord[] {
    let found = this.#read.get(file);
    if (!found) this.#read.set(file, (found = placedIn(join(this.#directory, file), file, this.#meter)));
    return found;
  }
}

/** A record with its place, for stores whose records are not the lines of one file. */
export interface PlacedRecord {
  /** Null if the record cannot be read. */
  value: Native | null;
  problem: LineProblem | null;
  bytes: number;
  /** File and line, or table and key: shown with the record by `explain`. */
  place: string;
}

/** The records of a file: its lines, or the one document it holds. None if it cannot be opened. */
export function placedIn(path: string, name: string = basename(path), meter?: ReadMeter): PlacedRecord[] {
  let text: string;
  try {
    text = readWhole(path, meter)
      .toString("utf8")
      .replace(/^\uFEFF/, "");
  } catch {
    return [];
  }
  if (!/\.jsonl$/i.test(path)) return [placed(text, name)];
  const lines = text.split("\n").map((line, i) => placed(line, `${name}:${i + 1}`));
  return lines.filter(({ problem }) => problem !== "blank");
}

/** The record in a text. */
export function placed(text: string, place: string): PlacedRecord {
  const bytes = Buffer.byteLength(text);
  if (text.trim() === "") return { value: null, problem: "blank", bytes, place };
  try {
    const value = obj(parseJson(text));
    return { value, problem: value ? null : "not_object", bytes, place };
  } catch (error) {
    return { value: null, problem: error instanceof TooDeep ? "too_deep" : "not_json", bytes, place };
  }
}

/** The record of a value that was parsed with others: a row of a table, an item of a document. */
export function placedValue(value: unknown, place: string): PlacedRecord {
  // Such a value cannot be serialised to measure its size.
  if (isDeeper(value)) return { value: null, problem: "too_deep", bytes: 0, place };
  const bytes = Buffer.byteLength(JSON.stringify(value) ?? "");
  const object = obj(value);
  return { value: object, problem: object ? null : "not_object", bytes, place };
}

/** Records read as if they were the lines of one file. A cursor counts them only: they have no offsets. */
export class RecordLines implements Lines {
  readonly #lines: JsonLine[];
  #at: number;

  constructor(records: readonly PlacedRecord[], from: LineStartCursor | null) {
    this.#at = from?.line ?? 0;
    this.#lines = records.map(({ value, problem, bytes }, i) => {
      const place = { line: i + 1, offset: 0, bytes, terminated: true };
      return { ...place, value, problem, blemish: null, skimmed: null, memo: null };
    });
  }

  get position(): LineStartCursor {
    return { line: this.#at, offset: 0 };
  }

  next(): JsonLine | null {
    const line = this.#lines[this.#at];
    if (line === undefined) return null;
    this.#at++;
    return line;
  }

  peek(k = 0): JsonLine | null {
    return this.#lines[this.#at + k] ?? null;
  }

  close(): void {
    this.#lines.length = 0;
  }
}

/** `Source.recordAt` for a store read by `RecordLines`. */
export function recordIn(records: readonly PlacedRecord[], line: number): NativeRecord | null {
  const found = records[line - 1];
  return found ? { text: `${found.place}\n${JSON.stringify(found.value)}`, bytes: found.bytes } : null;
}

/** `Source.recordAt` for a log with files beside it. */
export function recordBeside(path: string, native: string): NativeRecord | null {
  const file = native.slice(BESIDE.length);
  const [record] = native.startsWith(BESIDE) ? placedIn(join(dirname(path), file), file) : [];
  return record ? { text: `${file}:1\n${JSON.stringify(record.value)}`, bytes: record.bytes } : null;
}
