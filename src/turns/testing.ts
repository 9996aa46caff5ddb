import { isDeepStrictEqual } from "node:util";
import type {
  RecordBody,
  SessionMetaBody,
  Tokens,
  ToolFinishedBody,
  ToolStartedBody,
  UsageBody,
  UserBody,
} from "../format/record.ts";
import { noTokens } from "../format/tokens.ts";
import type { Drift, Entry, EntryClass, SourceRef } from "../sources/contract.ts";
import { assemble, type Assembly } from "./assemble.ts";
import { DraftBuilder, type BuilderAtRest, type BuildOptions } from "./builder.ts";
import { withInherited } from "./inherited.ts";
import type { AllSleeping, ListName } from "./lists.ts";
import type { FileDraft } from "./model.ts";
import type { DraftLoader, IdentityAt } from "./parts.ts";
import type { Session } from "./session.ts";
import type { Slice } from "./slices.ts";

/** What the tests of this room make stories of: entries as a source would yield them, one per line. */

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

/** Lines as they would stand in a file. */
export function placed(story: readonly UnplacedEntry[]): Entry[] {
  return story.map((entry, i) => ({ line: i + 1, offset: i * 10, bytes: 10, position: i + 1, ...entry }));
}

export function build(story: readonly UnplacedEntry[], options: Partial<BuildOptions> = {}): FileDraft {
  const builder = new DraftBuilder(REF, "s", { ...OPTIONS, ...options });
  for (const entry of placed(story)) builder.push(entry);
  return builder.finish(NO_DRIFT);
}

const LISTS = ["turns", "tools", "usage", "questions", "contexts"] as const satisfies ListName[];

/** Full slices as an index holds them, as text. */
class StoredBuilders {
  readonly #slices = new Map<string, { items: string; names: (string | null)[] }>();

  /** Lays a builder down and wakes it, as another process would. */
  rest(builder: DraftBuilder): BuilderAtRest {
    for (const name of LISTS) {
      for (const { n, items, names } of builder.lists[name].renewed() as Iterable<Slice<unknown>>)
        this.#slices.set(`${name} ${n}`, { items: JSON.stringify(items), names });
    }
    const saved = JSON.parse(JSON.stringify(builder.save())) as BuilderAtRest["saved"];
    const sleeping = Object.fromEntries(LISTS.map((name) => [name, this.#sleeping(name)]));
    return { saved, sleeping: sleeping as unknown as AllSleeping };
  }

  #sleeping(list: ListName): { wake(n: number): unknown[]; holding(name: string): number[] } {
    return {
      wake: (n) => JSON.parse(this.#slices.get(`${list} ${n}`)?.items ?? "null") as unknown[],
      holding: (name) =>
        [...this.#slices].flatMap(([key, { names }]) =>
          key.startsWith(`${list} `) && names.includes(name) ? Number(key.split(" ")[1]) : [],
        ),
    };
  }
}

/** A builder that took the entries in one go, or rested before some of them. */
export function builderOf(
  entries: readonly Entry[],
  rests: readonly number[] = [],
  ref: SourceRef = REF,
): DraftBuilder {
  const stored = new StoredBuilders();
  let builder = new DraftBuilder(ref, "s", OPTIONS);
  for (const [i, entry] of entries.entries()) {
    if (rests.includes(i)) builder = woken(builder, stored, ref);
    builder.push(entry);
  }
  return builder;
}

export function woken(
  builder: DraftBuilder,
  stored: StoredBuilders = new StoredBuilders(),
  ref: SourceRef = REF,
): DraftBuilder {
  return new DraftBuilder(ref, "another", OPTIONS, stored.rest(builder));
}

/**
 * What a builder that rested before the entry at `cut` says wrongly of what became different, or leaves out: compared with
 * the file read whole, up to there and to its end.
 */
export function changesMissed(entries: readonly Entry[], cut: number): unknown[] {
  const builder = woken(builderOf(entries.slice(0, cut)));
  for (const entry of entries.slice(cut)) builder.push(entry);
  const { draft, calls, turns, newTurns, states } = builder.changes(NO_DRIFT);
  const [old, now] = [entries.slice(0, cut), entries].map((some) => builderOf(some).finish(NO_DRIFT)) as [
    FileDraft,
    FileDraft,
  ];
  const wrong: unknown[] = [];
  const same = (what: unknown, is: unknown, should: unknown): void => {
    if (!isDeepStrictEqual(is, should)) wrong.push({ what, is, should });
  };
  const lists = { turns: [], tools: [], usage: [], questions: [], contexts: [] };
  same("head", { ...draft, ...lists }, { ...now, ...lists });
  same("turns", [turns, newTurns], [now.turns.length, now.turns.length - old.turns.length]);
  same("states", states, now.statements.length > old.statements.length);
  same("questions", draft.questions, now.questions.slice(old.questions.length));
  same(
    "calls",
    draft.tools,
    calls.map((n) => now.tools[n]),
  );
  const [named, responses] = [
    new Map(draft.turns.map((turn) => [turn.index, turn])),
    new Map(draft.usage.map((event) => [event.response_id, event])),
  ];
  // What is stated is true; what is not stated is as it was.
  for (const [i, turn] of now.turns.entries()) same(["turn", i], named.get(i) ?? old.turns[i], turn);
  for (const [i, call] of now.tools.entries()) if (!calls.includes(i)) same(["call", i], old.tools[i], call);
  const before = new Map(old.usage.map((event) => [event.response_id, event]));
  for (const event of now.usage) {
    const { response_id: id } = event;
    same(["response", id], responses.get(id) ?? before.get(id), event);
  }
  same(
    "of nobody",
    [...named.keys()].filter((i) => !now.turns[i]),
    [],
  );
  return wrong;
}

/** One file of a store that is made up. */
export interface File {
  path: string;
  story: readonly UnplacedEntry[];
  session?: string;
  source?: string;
  size?: number;
  /** Files of one text are copies to the byte. */
  text?: string;
  /** What is thrown where it is read again. */
  error?: Error;
}

/** A store: reads its files again when it is asked, as the book and the native files do. */
export class Store implements DraftLoader {
  readonly #files: ReadonlyMap<string, { file: File; entries: Entry[] }>;
  readonly #global: boolean;
  /** Paths that were read again, and those whose names were asked for. */
  readonly again: string[] = [];
  readonly asked: string[] = [];

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

  identities({ path }: FileDraft): IdentityAt[] {
    this.asked.push(path);
    const error = this.#files.get(path)?.file.error;
    if (error) throw error;
    return (this.#files.get(path)?.entries ?? []).map(({ identity = null, time }) => ({ identity, time }));
  }

  readInherited({ path }: FileDraft, inherited: ReadonlySet<string>): FileDraft {
    this.again.push(path);
    return this.#read(path, inherited);
  }

  sameBytes(a: FileDraft, b: FileDraft): boolean {
    const [one, two] = [a, b].map(({ path }) => this.#files.get(path)?.file.text);
    return one !== undefined && one === two;
  }

  identifies(): boolean {
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

/** A prompt that is known everywhere by its words. */
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
