import { createHash } from "node:crypto";
import { closeSync, existsSync, mkdirSync, openSync, readdirSync, rmdirSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { Exported } from "../answers/daybook.ts";
import { DaybookError } from "../base/errors.ts";
import { isUnwritable, UnwritableError, writeAll } from "../base/io/disk.ts";
import type { Zone } from "../base/time/zone.ts";
import { isObject } from "../base/io/json.ts";
import type { SessionView } from "../views/session-view.ts";
import type { CountedResponse } from "../views/response.ts";
import { moveOver } from "../base/io/move-over.ts";

/** What every format is given. */
export interface ExportOptions {
  target: Target;
  /** The time zone of days. */
  zone: Zone;
  /** Hides secrets in a value to be written, unless --no-redact was given. */
  hide: <T>(value: T) => T;
  /** The output is printed, not written to a directory. */
  isPrinted?: boolean | undefined;
  /** For table formats: only these tables. */
  tables?: readonly string[] | undefined;
  /** For formats that contain only numbers and names by default: include the conversation content. */
  content?: boolean | undefined;
  /** Sends messages to another program instead of a file, one at a time. */
  send?: SendSpans | undefined;
}

/** Sends a message that contains this many spans. */
export type SendSpans = (message: string, spans: number) => Promise<void>;

/** A running export. */
interface Exporter {
  /** Called with all sessions to come: existing files are detected before anything is written. */
  begin?: (sessions: readonly Exported[]) => void;
  /** Takes a session, or throws and leaves no trace of it. */
  add: (session: Exported) => void | Promise<void>;
  end?: () => void | Promise<void>;
}

/** An export format. */
export interface ExportFormat {
  /** What the format is made from. */
  needs: "rows" | "records";
  /**
   * What can be printed without a directory: `all` sessions one after the other, `one` session, one `table`, or
   * `nothing`.
   */
  printed: { most: "all" | "one" | "table" | "nothing"; as: "json" | "document" };
  /** The name of the only file; absent for formats with several files. */
  file?: string;
  tables?: readonly string[];
  /** Conversation content is written only on request. */
  hasContent?: boolean;
  /** Consists of messages for a collector. */
  isSendable?: boolean;
  begin: (options: ExportOptions) => Exporter;
}

/** Where an export goes: a directory, one file, or stdout. */
export interface Target {
  /** Throws if one of these files exists and must not be replaced. */
  claim: (names: Iterable<string>) => void;
  open: (name: string) => Writer;
  /** Marks files of an earlier export in a directory, which are replaced as a whole. */
  replace: (dir: string, names: RegExp) => void;
}

export interface Writer {
  write: (piece: string | Uint8Array) => void;
  /** Writes the buffer to disk. */
  flush: () => void;
  close: () => void;
  /** Removes it as if it had never been opened. */
  discard: () => void;
}

/** Pieces are buffered up to this many bytes. */
const CHUNK = 256 * 1024;

/** Files are written under temporary names and renamed when all are complete. */
export class Files implements Target {
  readonly #pathOf: (name: string) => string;
  readonly #replaces: boolean;
  /** Path → temporary path. */
  readonly #made = new Map<string, string>();
  readonly #stale = new Set<string>();
  /** Directories created by this export. */
  readonly #dirs: string[] = [];

  constructor(pathOf: (name: string) => string, { force }: { force: boolean }) {
    this.#pathOf = pathOf;
    this.#replaces = force;
  }

  get count(): number {
    return this.#made.size;
  }

  claim(names: Iterable<string>): void {
    if (this.#replaces) return;
    for (const name of names) mustBeFree(this.#pathOf(name));
  }

  replace(dir: string, names: RegExp): void {
    const path = this.#pathOf(dir);
    for (const name of existsSync(path) ? readdirSync(path).toSorted() : []) {
      if (!names.test(name)) continue;
      if (!this.#replaces) mustBeFree(join(path, name));
      this.#stale.add(join(path, name));
    }
  }

  open(name: string): Writer {
    const path = this.#pathOf(name);
    if (!this.#replaces) mustBeFree(path);
    const aside = join(dirname(path), `.${basename(path)}.daybook-new`);
    const file = new FileWriter(aside, {
      made: (dir) => this.#dirs.push(dir),
      discarded: () => this.#made.delete(path),
    });
    this.#made.set(path, aside);
    return file;
  }

  /** Renames all files, each replacing an existing one atomically. */
  commit(): void {
    for (const [path, aside] of this.#made) moveOver(aside, path);
    for (const path of this.#stale) if (!this.#made.has(path)) rmSync(path, { force: true });
  }

  abort(): void {
    for (const aside of this.#made.values()) rmSync(aside, { force: true });
    this.#made.clear();
    // Nested directories come later in the list.
    for (const dir of this.#dirs.splice(0).toReversed()) removeEmpty(dir);
  }
}

/** Keeps the file open only while writing: there may be more files than a process may have open. */
class FileWriter implements Writer {
  readonly #path: string;
  readonly #discarded: () => void;
  #pieces: Buffer[] = [];
  #bytes = 0;

  constructor(path: string, { made, discarded }: { made: (dir: string) => void; discarded: () => void }) {
    this.#path = path;
    this.#discarded = discarded;
    try {
      const first = mkdirSync(dirname(path), { recursive: true });
      if (first !== undefined) made(first);
      closeSync(openSync(path, "w"));
    } catch (error) {
      throw isUnwritable(error) ? new UnwritableError(dirname(path), error) : error;
    }
  }

  write(piece: string | Uint8Array): void {
    const bytes =
      typeof piece === "string"
        ? Buffer.from(piece, "utf8")
        : Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength);
    this.#pieces.push(bytes);
    this.#bytes += bytes.length;
    if (this.#bytes >= CHUNK) this.flush();
  }

  close(): void {
    this.flush();
  }

  discard(): void {
    rmSync(this.#path, { force: true });
    this.#discarded();
  }

  flush(): void {
    if (this.#bytes === 0) return;
    const fd = openSync(this.#path, "a");
    try {
      writeAll(fd, Buffer.concat(this.#pieces), this.#path);
    } finally {
      closeSync(fd);
    }
    this.#pieces = [];
    this.#bytes = 0;
  }
}

/** Removes empty directories only: files of others stay. */
function removeEmpty(dir: string): void {
  for (const entry of readdirSync(dir, { withFileTypes: true }))
    if (entry.isDirectory()) removeEmpty(join(dir, entry.name));
  if (readdirSync(dir).length === 0) rmdirSync(dir);
}

const nothing = (): void => undefined;

/** Prints all files one after the other. */
export function printTarget(print: (text: string) => void): Target {
  const write = (piece: string | Uint8Array): void => {
    print(typeof piece === "string" ? piece : Buffer.from(piece).toString("utf8"));
  };
  return {
    claim: nothing,
    replace: nothing,
    open: () => ({ write, flush: nothing, close: nothing, discard: nothing }),
  };
}

function mustBeFree(path: string): void {
  if (!existsSync(path)) return;
  throw new DaybookError(`${path} already exists`, {
    code: "usage",
    op: "export",
    path,
    hint: "--force replaces it; nothing was written",
  });
}

/** Writes one file completely, or not at all. */
export async function writeWhole(
  target: Target,
  name: string,
  work: (writer: Writer) => void | Promise<void>,
): Promise<void> {
  const writer = target.open(name);
  try {
    await work(writer);
  } catch (error) {
    writer.discard();
    throw error;
  }
  writer.close();
}

/** Most file systems allow names of 255 bytes. */
const LONGEST_NAME = 120;

/** Ids that Windows would take for a device. */
const DEVICE = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i;

/**
 * Ids come from session files: they must not escape the directory or be too long for a file name. A name that was
 * changed gets a hash, so that no session overwrites another.
 */
function fileName(id: string): string {
  const name = id.replace(/[^A-Za-z0-9._-]/g, "_").replace(/^\.+/, "_");
  if (name === id && name.length <= LONGEST_NAME && !DEVICE.test(name)) return name;
  return `${name.slice(0, LONGEST_NAME)}-${createHash("sha256").update(id).digest("hex").slice(0, 12)}`;
}

/** The path of a session's file within the export directory. */
export function sessionFile(
  { source, session_id }: Pick<SessionView, "source" | "session_id">,
  ending: string,
): string {
  return `${source}/${fileName(session_id)}.${ending}`;
}

/** The formats require an object; agents may record any value. */
export function jsonObject(input: unknown): object {
  if (isObject(input)) return input;
  return input === null || input === undefined ? {} : { input };
}

/** These formats count cache reads and writes as part of the prompt. */
export function promptTokens(response: CountedResponse): number {
  return response.input_tokens + response.cached_input_tokens + response.cache_write_tokens;
}

/**
 * JSON that strict parsers accept. A truncated text may end in half of a surrogate pair, whose escape strict parsers
 * reject: it is replaced by U+FFFD.
 */
export function unicodeJson(value: unknown): string {
  const json = JSON.stringify(value) ?? "null";
  if (!json.includes(String.raw`\ud`)) return json;
  // Matches whole escapes, so that an escaped backslash is not taken for the beginning of another escape.
  return json.replaceAll(/\\(?:(ud[89a-f][0-9a-f]{2})|.)/g, (escape, half?: string) =>
    half === undefined ? escape : "\ufffd",
  );
}
