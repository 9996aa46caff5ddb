import { existsSync, readdirSync } from "node:fs";
import { cannotOpen } from "../kit/cannot-open.ts";
import { basename, dirname, join } from "node:path";
import { readWhole, type ReadMeter } from "../../io/bytes.ts";
import { isDeeper } from "../../io/json.ts";
import { time } from "./native.ts";
import { list, obj, str, type Native } from "../kit/native.ts";
import { rowOf, type NativeRow, type SessionStore } from "./rows.ts";

/**
 * The stores before SQLite: one JSON file per session, message and part.
 * `storage/session/<project>/<id>.json` (about 0.6 to 1.1), `project/<name>/storage/session/info/<id>.json` (before), and
 * the single file that `opencode export` writes.
 */
export function openFiles(path: string, meter?: ReadMeter): SessionStore {
  let session: NativeRow;
  try {
    session = readRow(path, meter);
  } catch (cause) {
    throw cannotOpen(path, cause);
  }
  const exported = exportedSession(session.tooDeep ? wholeDocument(path) : session.data);
  return exported ?? new FileStore(path, session, meter);
}

/** Where the messages and parts of a session file are stored. */
export interface Layout {
  messages: string;
  /** Directories that may hold a message's parts. */
  parts(message: string): string[];
}

export function layoutOf(path: string): Layout {
  const id = basename(path, ".json");
  const above = dirname(path);
  if (basename(above) === "info") {
    const root = dirname(above);
    return { messages: join(root, "message", id), parts: (message) => [join(root, "part", id, message)] };
  }
  const root = dirname(dirname(above));
  return {
    messages: join(root, "message", id),
    parts: (message) => [join(root, "part", message), join(root, "part", id, message)],
  };
}

class FileStore implements SessionStore {
  readonly flavour = "v1";
  readonly session: NativeRow;
  readonly #layout: Layout;
  readonly #messages: NativeRow[];
  readonly #meter: ReadMeter | undefined;

  constructor(path: string, session: NativeRow, meter?: ReadMeter) {
    this.session = session;
    this.#meter = meter;
    this.#layout = layoutOf(path);
    this.#messages = readAll(this.#layout.messages, meter).toSorted(byCreation);
  }

  get messages(): number {
    return this.#messages.length;
  }

  message(index: number): NativeRow {
    return this.#messages[index] ?? { id: "", time: null, bytes: 0, data: null };
  }

  parts(index: number): readonly NativeRow[] {
    const directory = this.#directory(index);
    return directory === null ? [] : readAll(directory, this.#meter);
  }

  partCount(index: number): number {
    const directory = this.#directory(index);
    return directory === null ? 0 : jsonNames(directory).length;
  }

  close(): void {}

  #directory(index: number): string | null {
    return this.#layout.parts(this.message(index).id).find((directory) => existsSync(directory)) ?? null;
  }
}

function byCreation(a: NativeRow, b: NativeRow): number {
  return (a.time ?? 0) - (b.time ?? 0) || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0);
}

function jsonNames(directory: string): string[] {
  try {
    return readdirSync(directory)
      .filter((name) => name.endsWith(".json"))
      .sort();
  } catch {
    return [];
  }
}

function readAll(directory: string, meter: ReadMeter | undefined): NativeRow[] {
  return jsonNames(directory).map((name) => {
    try {
      return readRow(join(directory, name), meter);
    } catch {
      return { id: basename(name, ".json"), time: null, bytes: 0, data: null };
    }
  });
}

function readRow(path: string, meter: ReadMeter | undefined): NativeRow {
  const bytes = readWhole(path, meter);
  const row = rowOf(basename(path, ".json"), null, bytes.toString("utf8"), bytes.length);
  row.time = createdOf(row.data);
  return row;
}

function createdOf(data: Native | null): number | null {
  const times = obj(data?.["time"]) ?? obj(obj(data?.["metadata"])?.["time"]);
  return time(times?.["created"]);
}

/** `opencode export`: `{info, messages: [{info, parts}]}`. Its nodes count as rows, in the order of the file. */
function exportedSession(document: Native | null): SessionStore | null {
  const info = obj(document?.["info"]);
  if (!info || !Array.isArray(document?.["messages"])) return null;
  const nodes = list(document["messages"]).map((value) => {
    const node = obj(value);
    return { message: nodeRow(obj(node?.["info"]) ?? node), parts: list(node?.["parts"]).map((p) => nodeRow(obj(p))) };
  });
  return {
    flavour: "v1",
    session: nodeRow(info),
    messages: nodes.length,
    message: (index) => nodes[index]?.message ?? nodeRow(null),
    parts: (index) => nodes[index]?.parts ?? [],
    partCount: (index) => nodes[index]?.parts.length ?? 0,
    close() {},
  };
}

/** Parses without a depth limit: one node that is too deep must not prevent reading the others. */
function wholeDocument(path: string): Native | null {
  return obj(JSON.parse(readWhole(path).toString("utf8")));
}

function nodeRow(data: Native | null): NativeRow {
  if (isDeeper(data))
    return { id: str(data?.["id"]) ?? "", time: createdOf(data), bytes: 0, data: null, tooDeep: true };
  const bytes = data ? Buffer.byteLength(JSON.stringify(data)) : 0;
  return { id: str(data?.["id"]) ?? "", time: createdOf(data), bytes, data };
}
