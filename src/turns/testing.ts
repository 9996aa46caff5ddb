import { isDeepStrictEqual } from "node:util";
import type {
  RecordBody,
  SessionMetaBody,
  Tokens,
  ToolFinishedBody,
  ToolStartedBody,
  UsageBody,
  UserBody,
} from "../record/record.ts";
import { noTokens } from "../record/tokens.ts";
import type { Drift, Entry, EntryClass, SourceRef } from "../agents/contract.ts";
import { assemble, type Assembly } from "./assemble.ts";
import { DraftBuilder, type StoredBuilder, type BuildOptions } from "./builder.ts";
import { withInherited } from "./inherited.ts";
import type { AllStoredSlices, ListName } from "./lists.ts";
import type { FileDraft } from "./model.ts";
import type { DraftLoader, RecordIdentity } from "./parts.ts";
import type { Session } from "./session.ts";
import type { Slice } from "./slices.ts";

/** Helpers for the tests of this directory: entries as a source would yield them, one per line. */

export const REF: SourceRef = { source: "toy", path: "/store/session.jsonl", size: 0, mtimeMs: 0, container: "jsonl" };
export const NO_DRIFT: Drift = { versions: {}, unknownTypes: {}, unknownFields: {} };
export const OPTIONS: BuildOptions = { ledger: false, toolDetail: true };

/** An entry without its place in the file. */
export type UnplacedEntry = Omit<Entry, "line" | "offset" | "bytes" | "position"> & Partial<Pick<Entry, "position">>;

export function unplaced(
  kind: EntryClass,
  records: readonly RecordBody[],
  more: Partial<UnplacedEntry> = {},
): UnplacedEntry {
  return { class: kind, reason: `toy.${kind}`, native: kind, time: null, records, tentative: false, ...more };
}

export function ask(text: string, more: Partial<UnplacedEntry> = {}, body: Partial<UserBody> = {}): UnplacedEntry {
  return unplaced("trigger", [{ type: "user", author: "human", text, kind: "prompt", ...body }], more);
}

export function say(text: string, more: Partial<UnplacedEntry> = {}): UnplacedEntry {
  return unplaced("reaction", [{ type: "assistant_finished", text }], more);
}

/** The record that ends a turn normally. */
export function done(more: Partial<UnplacedEntry> = {}, duration: number | null = null): UnplacedEntry {
  return unplaced(
    "reaction",
    [{ type: "assistant_finished", text: "", turn_ended: true, duration_ms: duration }],
    more,
  );
}

export function start(
  call: string,
  more: Partial<UnplacedEntry> = {},
  body: Partial<ToolStartedBody> = {},
): UnplacedEntry {
  return unplaced("reaction", [{ type: "tool_started", call_id: call, name: "Bash", input: null, ...body }], more);
}

export function finish(
  call: string,
  body: Partial<ToolFinishedBody> = {},
  more: Partial<UnplacedEntry> = {},
): UnplacedEntry {
  return unplaced("reaction", [finished(call, body)], more);
}

export function finished(call: string, body: Partial<ToolFinishedBody> = {}): ToolFinishedBody {
  return { type: "tool_finished", call_id: call, status: "ok", exit_code: null, duration_ms: null, ...body };
}

export function spent(id: string, tokens: Partial<Tokens>, body: Partial<UsageBody> = {}): UsageBody {
  return { type: "usage", response_id: id, model: "m", verdict: "counted", ...noTokens(), ...tokens, ...body };
}

/** Entries with line numbers and offsets, as if read from a file. */
export function placed(story: readonly UnplacedEntry[]): Entry[] {
  return story.map((entry, i) => ({ line: i + 1, offset: i * 10, bytes: 10, position: i + 1, ...entry }));
}

export function build(story: readonly UnplacedEntry[], options: Partial<BuildOptions> = {}): FileDraft {
  const builder = new DraftBuilder(REF, "s", { ...OPTIONS, ...options });
  for (const entry of placed(story)) builder.push(entry);
  return builder.finish(NO_DRIFT);
}

const LISTS = ["turns", "tools", "usage", "questions", "contexts"] as const satisfies ListName[];

/** Full slices as an index stores them, as text. */
class BuilderStore {
  readonly #slices = new Map<string, { items: string; names: (string | null)[] }>();

  /** Saves a builder and returns the state from which another process would continue. */
  save(builder: DraftBuilder): StoredBuilder {
    for (const name of LISTS) {
      for (const { n, items, names } of builder.lists[name].changedSlices() as Iterable<Slice<unknown>>)
        this.#slices.set(`${name} ${n}`, { items: JSON.stringify(items), names });
    }
    const saved = JSON.parse(JSON.stringify(builder.save())) as StoredBuilder["saved"];
    const slices = Object.fromEntries(LISTS.map((name) => [name, this.#storedSlices(name)]));
    return { saved, slices: slices as unknown as AllStoredSlices };
  }

  #storedSlices(list: ListName): { load(n: number): unknown[]; slicesWith(name: string): number[] } {
    return {
      load: (n) => JSON.parse(this.#slices.get(`${list} ${n}`)?.items ?? "null") as unknown[],
      slicesWith: (name) =>
        [...this.#slices].flatMap(([key, { names }]) =>
          key.startsWith(`${list} `) && names.includes(name) ? Number(key.split(" ")[1]) : [],
        ),
    };
  }
}

/** A builder that received all entries, saved and restored before the entries at the indexes `restarts`. */
export function builderOf(
  entries: readonly Entry[],
  restarts: readonly number[] = [],
  ref: SourceRef = REF,
): DraftBuilder {
  const stored = new BuilderStore();
  let builder = new DraftBuilder(ref, "s", OPTIONS);
  for (const [i, entry] of entries.entries()) {
    if (restarts.includes(i)) builder = restored(builder, stored, ref);
    builder.push(entry);
  }
  return builder;
}

export function restored(
  builder: DraftBuilder,
  stored: BuilderStore = new BuilderStore(),
  ref: SourceRef = REF,
): DraftBuilder {
  return new DraftBuilder(ref, "another", OPTIONS, stored.save(builder));
}

/**
 * Saves a builder before the entry at `cut`, continues it to the end, and returns the differences between the changes
 * it reports and those found by reading the file whole, up to the cut and to its end.
 */
export function changesMissed(entries: readonly Entry[], cut: number): unknown[] {
  const builder = restored(builderOf(entries.slice(0, cut)));
  for (const entry of entries.slice(cut)) builder.push(entry);
  const { draft, calls, turns, newTurns, states } = builder.changes(NO_DRIFT);
  const [old, now] = [entries.slice(0, cut), entries].map((list) => builderOf(list).finish(NO_DRIFT)) as [
    FileDraft,
    FileDraft,
  ];
  const differences: unknown[] = [];
  const compare = (what: unknown, actual: unknown, expected: unknown): void => {
    if (!isDeepStrictEqual(actual, expected)) differences.push({ what, actual, expected });
  };
  const lists = { turns: [], tools: [], usage: [], questions: [], contexts: [] };
  compare("head", { ...draft, ...lists }, { ...now, ...lists });
  compare("turns", [turns, newTurns], [now.turns.length, now.turns.length - old.turns.length]);
  compare("states", states, now.statements.length > old.statements.length);
  compare("questions", draft.questions, now.questions.slice(old.questions.length));
  compare(
    "calls",
    draft.tools,
    calls.map((n) => now.tools[n]),
  );
  const [reportedTurns, reportedResponses] = [
    new Map(draft.turns.map((turn) => [turn.index, turn])),
    new Map(draft.usage.map((event) => [event.response_id, event])),
  ];
  // Reported elements must be correct; elements that are not reported must be unchanged.
  for (const [i, turn] of now.turns.entries()) compare(["turn", i], reportedTurns.get(i) ?? old.turns[i], turn);
  for (const [i, call] of now.tools.entries()) if (!calls.includes(i)) compare(["call", i], old.tools[i], call);
  const before = new Map(old.usage.map((event) => [event.response_id, event]));
  for (const event of now.usage) {
    const { response_id: id } = event;
    compare(["response", id], reportedResponses.get(id) ?? before.get(id), event);
  }
  compare(
    "turns that do not exist",
    [...reportedTurns.keys()].filter((i) => !now.turns[i]),
    [],
  );
  return differences;
}

/** One file of a test store. */
export interface File {
  path: string;
  story: readonly UnplacedEntry[];
  session?: string;
  source?: string;
  size?: number;
  /** Files with the same text are byte-identical copies. */
  text?: string;
  /** Thrown when the file is read again. */
  error?: Error;
}

/** A store that can read its files again, as the book and the native files do. */
export class Store implements DraftLoader {
  readonly #files: ReadonlyMap<string, { file: File; entries: Entry[] }>;
  readonly #global: boolean;
  /** Paths that were read again, and those whose identities were requested. */
  readonly reread: string[] = [];
  readonly identitiesRead: string[] = [];

  constructor(files: readonly File[], global = true) {
    this.#files = new Map(files.map((file) => [file.path, { file, entries: placed(file.story) }]));
    this.#global = global;
  }

  assembled(): Assembly {
    return assemble(
      [...this.#files.keys()].map((path) => this.#read(path, null)),
      this,
    );
  }

  #read(path: string, inherited: ReadonlySet<string> | null): FileDraft {
    const known = this.#files.get(path);
    if (!known) throw new Error(`no ${path}`);
    const { source = "toy", size = 0, session = path } = known.file;
    const builder = new DraftBuilder({ ...REF, source, path, size }, session, OPTIONS);
    for (const entry of inherited ? withInherited(known.entries, inherited) : known.entries) builder.push(entry);
    return { ...builder.finish(NO_DRIFT), inherited_from: inherited };
  }

  identities({ path }: FileDraft): RecordIdentity[] {
    this.identitiesRead.push(path);
    const error = this.#files.get(path)?.file.error;
    if (error) throw error;
    return (this.#files.get(path)?.entries ?? []).map(({ identity = null, time }) => ({ identity, time }));
  }

  readInherited({ path }: FileDraft, inherited: ReadonlySet<string>): FileDraft {
    this.reread.push(path);
    return this.#read(path, inherited);
  }

  sameBytes(a: FileDraft, b: FileDraft): boolean {
    const [one, two] = [a, b].map(({ path }) => this.#files.get(path)?.file.text);
    return one !== undefined && one === two;
  }

  hasUniqueIdentities(): boolean {
    return this.#global;
  }
}

export const META: SessionMetaBody = {
  type: "session_meta",
  source: "toy",
  kind: "root",
  cwd: null,
  started_at: null,
  agent_version: null,
};

export function header(body: Partial<SessionMetaBody> = {}, more: Partial<UnplacedEntry> = {}): UnplacedEntry {
  return unplaced("session", [{ ...META, ...body }], more);
}

/** A prompt whose identity is its text, so that copies of it are recognised in other files. */
export function known(text: string, time: number | null = null, more: Partial<UnplacedEntry> = {}): UnplacedEntry {
  return ask(text, { identity: text, time, ...more });
}

export function use(id: string, tokens: number, more: Partial<UnplacedEntry> = {}): UnplacedEntry {
  return unplaced("reaction", [spent(id, { output_tokens: tokens })], more);
}

export function sessionsOf(files: readonly File[], global?: boolean): Session[] {
  return new Store(files, global).assembled().sessions;
}

export function texts(session: Session | undefined): string[] {
  return session?.turns.map(({ draft }) => draft.trigger.text) ?? [];
}

export function find({ sessions }: Assembly, id: string): Session {
  const session = sessions.find((one) => one.session_id === id);
  if (!session) throw new Error(`no session ${id}`);
  return session;
}
