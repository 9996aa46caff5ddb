import { DaybookError } from "../../base/errors.ts";
import type { RemoteRows } from "../../answers/daybook.ts";

/** Path of a team's server, relative to its address. */
export const ROWS_PATH = "/api/team/rows";
export const ROWS_TYPE = "application/x-ndjson";

/** Raised whenever an older reader would misinterpret the rows. */
export const ROWS_VERSION = 2;

/** Minimum number of characters sent at once. */
const PIECE = 64 * 1024;
/** Rows, and characters of them, passed on at once. */
const AT_ONCE = 2000;
const MUCH_AT_ONCE = 4 * 1024 * 1024;

type Listed<List extends Exclude<keyof RemoteRows, "state" | "lowest" | "removed" | "textCounts" | "sessions">> =
  ReturnType<RemoteRows[List]> extends AsyncIterable<readonly (infer Row)[]> ? Row : never;

/** One row per line, keyed by its kind. */
interface RowOf {
  head: {
    version: number;
    state: string;
    lowest: Awaited<ReturnType<RemoteRows["lowest"]>>;
    removed: Awaited<ReturnType<RemoteRows["removed"]>>;
    texts?: Awaited<ReturnType<RemoteRows["textCounts"]>>;
  };
  sum: Listed<"sums">;
  session: Awaited<ReturnType<RemoteRows["sessions"]>>[number];
  turn: Listed<"turns">;
  time: Listed<"times">;
  call: Listed<"calls">;
  facts: Listed<"facts">;
  response: Listed<"responses">;
  text: Listed<"texts">;
  asked: Listed<"asked">;
}

type Kind = keyof RowOf;
/** With the length of the line. */
type Line = [kind: Kind | "end", value: unknown, length: number];

/** The order of the lines, in which an index is built from them. */
const KINDS = [
  "head",
  "sum",
  "session",
  "turn",
  "time",
  "call",
  "facts",
  "response",
  "text",
  "asked",
] as const satisfies readonly Kind[];

/** Rows as sent by a server, in pieces of several lines; the last line proves that nothing is missing. */
export async function* rowPieces(rows: RemoteRows, onlyHead = false): AsyncGenerator<string, void, undefined> {
  let piece = "";
  for await (const [kind, some] of onlyHead ? [await headOf(rows, true)] : listsOf(rows))
    for (const row of some) {
      piece += `${JSON.stringify({ [kind]: row })}\n`;
      if (piece.length < PIECE) continue;
      yield piece;
      piece = "";
    }
  yield `${piece}${JSON.stringify({ end: true })}\n`;
}

async function* listsOf(rows: RemoteRows): AsyncGenerator<[Kind, readonly unknown[]], void, undefined> {
  yield headOf(rows, false);
  for await (const some of rows.sums()) yield ["sum", some];
  yield ["session", await rows.sessions()];
  for await (const some of rows.turns()) yield ["turn", some];
  for await (const some of rows.times()) yield ["time", some];
  for await (const some of rows.calls()) yield ["call", some];
  for await (const some of rows.facts()) yield ["facts", some];
  for await (const some of rows.responses()) yield ["response", some];
  for await (const some of rows.texts()) yield ["text", some];
  for await (const some of rows.asked()) yield ["asked", some];
}

async function headOf(rows: RemoteRows, isAlone: boolean): Promise<[Kind, readonly unknown[]]> {
  const [state, lowest, removed] = [await rows.state(), await rows.lowest(), await rows.removed()];
  const texts = isAlone ? null : await rows.textCounts();
  const head = { version: ROWS_VERSION, state, lowest, removed, ...(texts ? { texts } : {}) };
  return ["head", [head satisfies RowOf["head"]]];
}

/** The receiving side. Each list is read once, in the order in which they are sent. */
export class ReceivedRows implements RemoteRows {
  readonly #lines: AsyncIterator<string>;
  /** The name of the server. */
  readonly #name: string;
  /** A line that was read ahead and belongs to another list. */
  #next: Line | null = null;
  #state: string | null = null;
  #lowest: RowOf["head"]["lowest"] = null;
  #removed: RowOf["head"]["removed"] = null;
  #texts: NonNullable<RowOf["head"]["texts"]> | null = null;

  constructor(lines: AsyncIterator<string>, name: string) {
    this.#lines = lines;
    this.#name = name;
  }

  async state(): Promise<string> {
    if (this.#state !== null) return this.#state;
    const [kind, value] = (this.#next ??= await this.#line());
    const { version, state, lowest, removed, texts } = (kind === "head" ? (value ?? {}) : {}) as Partial<RowOf["head"]>;
    if (version !== ROWS_VERSION || typeof state !== "string") throw this.#foreign(version);
    this.#next = null;
    this.#lowest = lowest ?? null;
    this.#removed = removed ?? null;
    this.#texts = texts ?? null;
    return (this.#state = state);
  }

  async lowest(): Promise<RowOf["head"]["lowest"]> {
    await this.state();
    return this.#lowest;
  }

  async removed(): Promise<RowOf["head"]["removed"]> {
    await this.state();
    return this.#removed;
  }

  async textCounts(): Promise<NonNullable<RowOf["head"]["texts"]> | null> {
    await this.state();
    return this.#texts;
  }

  async *sums(): AsyncGenerator<readonly RowOf["sum"][], void, undefined> {
    await this.state();
    yield* this.#rows("sum");
  }

  async sessions(): Promise<readonly RowOf["session"][]> {
    await this.state();
    const all: RowOf["session"][] = [];
    for await (const some of this.#rows("session")) all.push(...some);
    return all;
  }

  turns(): AsyncIterable<readonly RowOf["turn"][]> {
    return this.#rows("turn");
  }

  times(): AsyncIterable<readonly RowOf["time"][]> {
    return this.#rows("time");
  }

  calls(): AsyncIterable<readonly RowOf["call"][]> {
    return this.#rows("call");
  }

  facts(): AsyncIterable<readonly RowOf["facts"][]> {
    return this.#rows("facts");
  }

  responses(): AsyncIterable<readonly RowOf["response"][]> {
    return this.#rows("response");
  }

  texts(): AsyncIterable<readonly RowOf["text"][]> {
    return this.#rows("text");
  }

  asked(): AsyncIterable<readonly RowOf["asked"][]> {
    return this.#rows("asked");
  }

  async *#rows<K extends Kind>(kind: K): AsyncGenerator<readonly RowOf[K][], void, undefined> {
    let some: RowOf[K][] = [];
    let length = 0;
    for (;;) {
      const [found, value, size] = (this.#next ??= await this.#line());
      if (found !== kind) {
        // A list that is skipped would be missing silently.
        if (found !== "end" && KINDS.indexOf(found) < KINDS.indexOf(kind))
          throw this.#broken(`a ${found} out of order`);
        break;
      }
      this.#next = null;
      some.push(value as RowOf[K]);
      length += size;
      if (some.length < AT_ONCE && length < MUCH_AT_ONCE) continue;
      yield some;
      [some, length] = [[], 0];
    }
    if (some.length > 0) yield some;
  }

  async #line(): Promise<Line> {
    const line = await this.#lines.next();
    if (line.done === true) throw this.#broken("the end is missing");
    const value = parsed(line.value);
    const kind = [...KINDS, "end" as const].find((name) => Object.hasOwn(value, name));
    if (kind === undefined) throw this.#broken("a line is not a row");
    return [kind, value[kind], line.value.length];
  }

  #foreign(version: unknown): DaybookError {
    const said = typeof version === "number" ? `sends rows of version ${version}` : "does not state its version";
    return new DaybookError(`${this.#name} ${said}; this Daybook reads version ${ROWS_VERSION}`, {
      code: "refused",
      op: "read",
      hint: "update the server's Daybook or this one",
    });
  }

  #broken(why: string): DaybookError {
    return new DaybookError(`${this.#name} sent incomplete data: ${why}`, {
      code: "unreachable",
      op: "read",
      hint: "try again",
    });
  }
}

/** Empty if it is not JSON: handled like any other line that is not a row. */
function parsed(line: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(line);
    if (typeof value === "object" && value !== null) return value as Record<string, unknown>;
  } catch {
    // Reported by the caller, which finds no row in it.
  }
  return {};
}
