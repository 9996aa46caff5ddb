import { DaybookError } from "../../errors.ts";
import type { GivenRows } from "../../daybook.ts";

/** Path of a team's server, behind its address. */
export const ROWS_PATH = "/api/team/rows";
export const ROWS_TYPE = "application/x-ndjson";

/** Raised whenever a reader of before would take rows for something else. */
export const ROWS_VERSION = 1;

/** Characters that are sent at once, at least. */
const PIECE = 64 * 1024;
/** Rows, and characters of them, that are handed on at once. */
const AT_ONCE = 2000;
const MUCH_AT_ONCE = 4 * 1024 * 1024;

type Listed<List extends Exclude<keyof GivenRows, "state" | "lowest" | "removed" | "sessions">> =
  ReturnType<GivenRows[List]> extends AsyncIterable<readonly (infer Row)[]> ? Row : never;

/** One row a line, named by what it is. */
interface RowOf {
  head: {
    version: number;
    state: string;
    lowest: Awaited<ReturnType<GivenRows["lowest"]>>;
    removed: Awaited<ReturnType<GivenRows["removed"]>>;
  };
  session: Awaited<ReturnType<GivenRows["sessions"]>>[number];
  turn: Listed<"turns">;
  time: Listed<"times">;
  call: Listed<"calls">;
  facts: Listed<"facts">;
  response: Listed<"responses">;
  text: Listed<"texts">;
  asked: Listed<"asked">;
}

type Kind = keyof RowOf;
/** With how long it is. */
type Line = [kind: Kind | "end", value: unknown, length: number];

/** They come in this order, in which an index is made of them. */
const KINDS = [
  ...["head", "session", "turn", "time", "call", "facts", "response", "text", "asked"],
] as const satisfies readonly Kind[];

/** Rows on their way from a server, some lines at a time; the last line says that nothing was cut off. */
export async function* rowPieces(rows: GivenRows, onlyHead = false): AsyncGenerator<string, void, undefined> {
  let piece = "";
  for await (const [kind, some] of onlyHead ? [await headOf(rows)] : listsOf(rows))
    for (const row of some) {
      piece += `${JSON.stringify({ [kind]: row })}\n`;
      if (piece.length < PIECE) continue;
      yield piece;
      piece = "";
    }
  yield `${piece}${JSON.stringify({ end: true })}\n`;
}

async function* listsOf(rows: GivenRows): AsyncGenerator<[Kind, readonly unknown[]], void, undefined> {
  yield headOf(rows);
  yield ["session", await rows.sessions()];
  for await (const some of rows.turns()) yield ["turn", some];
  for await (const some of rows.times()) yield ["time", some];
  for await (const some of rows.calls()) yield ["call", some];
  for await (const some of rows.facts()) yield ["facts", some];
  for await (const some of rows.responses()) yield ["response", some];
  for await (const some of rows.texts()) yield ["text", some];
  for await (const some of rows.asked()) yield ["asked", some];
}

async function headOf(rows: GivenRows): Promise<[Kind, readonly unknown[]]> {
  const [state, lowest, removed] = [await rows.state(), await rows.lowest(), await rows.removed()];
  return ["head", [{ version: ROWS_VERSION, state, lowest, removed } satisfies RowOf["head"]]];
}

/** The same where they arrive. Each list is read once, in the order in which they are sent. */
export class ReceivedRows implements GivenRows {
  readonly #lines: AsyncIterator<string>;
  /** Who sends them. */
  readonly #name: string;
  /** The next line, where it was looked at and belongs to another list. */
  #next: Line | null = null;
  #state: string | null = null;
  #lowest: RowOf["head"]["lowest"] = null;
  #removed: RowOf["head"]["removed"] = null;

  constructor(lines: AsyncIterator<string>, name: string) {
    this.#lines = lines;
    this.#name = name;
  }

  async state(): Promise<string> {
    if (this.#state !== null) return this.#state;
    const [kind, value] = (this.#next ??= await this.#line());
    const { version, state, lowest, removed } = (kind === "head" ? (value ?? {}) : {}) as Partial<RowOf["head"]>;
    if (version !== ROWS_VERSION || typeof state !== "string") throw this.#foreign(version);
    this.#next = null;
    this.#lowest = lowest ?? null;
    this.#removed = removed ?? null;
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
        // A list that was passed over would be missing in silence.
        if (found !== "end" && KINDS.indexOf(found) < KINDS.indexOf(kind)) throw this.#broken(`a ${found} too late`);
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
    if (line.done === true) throw this.#broken("it was cut off");
    const value = parsed(line.value);
    const kind = [...KINDS, "end" as const].find((name) => Object.hasOwn(value, name));
    if (kind === undefined) throw this.#broken("a line of it is no row");
    return [kind, value[kind], line.value.length];
  }

  #foreign(version: unknown): DaybookError {
    const said = typeof version === "number" ? `sends rows of version ${version}` : "does not say what it sends";
    return new DaybookError(`${this.#name} ${said}; this Daybook reads version ${ROWS_VERSION}`, {
      ...{ code: "refused", op: "read", hint: "the server's Daybook and this one must be of about the same age" },
    });
  }

  #broken(why: string): DaybookError {
    return new DaybookError(`what ${this.#name} sent is not whole: ${why}`, {
      ...{ code: "unreachable", op: "read", hint: "ask again" },
    });
  }
}

/** Empty where it is no JSON: as any other line that is no row. */
function parsed(line: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(line);
    if (typeof value === "object" && value !== null) return value as Record<string, unknown>;
  } catch {
    // Said by whoever looks for a row in it.
  }
  return {};
}
