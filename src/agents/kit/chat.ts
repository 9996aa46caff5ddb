/**
 * The chat kit: for stores that are a list of messages. A source says what each record is, in small functions and tables
 * with literal rule names; the kit keeps open calls, resumes, recognises copies and repeats, counts drift, and leaves out
 * texts that nobody asked for. Rules that do not fit a table are code.
 */
import type { RecordBody, SessionKind, SourceId, Tokens, UsageBody } from "../../record/record.ts";
import {
  BESIDE,
  type Cursor,
  type EntryClass,
  type LineStartCursor,
  type ReadContext,
  type Reading,
  type SourceRef,
} from "../contract.ts";
import { Beside } from "./bundle.ts";
import type { DriftCounter } from "./drift.ts";
import type { Lines, LineProblem } from "./json-lines.ts";
import type { Native } from "./native.ts";
import { CommandTemplates, type PromptDirectory } from "./prompts.ts";
import { readByRules, type RecordBeside, type RuleOwner, type RuleTable, type TemplateContext } from "./reading.ts";
import { Say, type ChatTools, type OpenCall } from "./say.ts";
import { Recent, RecentMap } from "./state.ts";
import { verdict } from "./verdict.ts";

/** What every reader of this kind remembers; a source adds its own fields. */
export interface ChatState {
  kind: SessionKind;
  /** The version stated last: records without one are counted under it. */
  version: string;
  /** A trigger of this session itself was read: nothing after it is inherited. */
  own: boolean;
  calls: RecentMap<OpenCall>;
  /** Names of the newest records, to notice one that is written again. */
  ids: Recent;
}

/** Results follow their call closely, and repeats their original. */
const LIMITS = { calls: 256, ids: 512 };

export function freshChat(kind: SessionKind = "root"): ChatState {
  const [calls, ids] = [new RecentMap<OpenCall>(LIMITS.calls), new Recent(LIMITS.ids)];
  return { kind, version: "unknown", own: false, calls, ids };
}

/** What a rule may look at. */
export interface Scene<State> extends TemplateContext<State> {
  record: Native;
  native: string;
  time: number | null;
  /** The files beside the log. */
  beside: Beside;
  /** Equal in every copy of the record; made of session and line if the agent gives it no name. */
  identity: string;
}

/** What a record is: the name of a rule, and what the record says under it. */
export interface Rule<State, Reason extends string> {
  rule: Reason;
  /** The end of the file was reached before this was certain. */
  open?: boolean;
  says?(say: Say, scene: Scene<State>): void;
}

/** A rule, or a function that looks at the record and returns the rule. It must not change any state: `says` does. */
export type Judge<State, Reason extends string> = Rule<State, Reason> | ((scene: Scene<State>) => Rule<State, Reason>);

/** The rules of a reader by the class they give, without the prefix they share: names in one text, or in several. */
export type RuleNames = Readonly<Partial<Record<EntryClass, string | readonly string[]>>>;

type Words<Text> = Text extends `${infer First} ${infer Rest}` ? First | Words<Rest> : Text;
type EachOf<Names> = Names extends readonly (infer One)[] ? Words<One> : Words<Names>;

/** The whole names of the rules. */
export type ReasonOf<
  Prefix extends string,
  Named extends RuleNames,
> = `${Prefix}.${EachOf<Named[keyof Named]> & string}`;

/** The class that each rule gives. */
function classesOf(prefix: string, named: RuleNames): ReadonlyMap<string, EntryClass> {
  const rules = Object.entries(named).flatMap(([cls, names]) =>
    [names].flat().flatMap((text) => text.split(" ").map((name) => [`${prefix}.${name}`, cls as EntryClass] as const)),
  );
  return new Map(rules);
}

/** The same rule for several types of which it says nothing. */
export function quiet<Reason extends string>(types: string, rule: Reason): Record<string, { rule: Reason }> {
  return Object.fromEntries(types.split(" ").map((type) => [type, { rule }]));
}

/** A file beside the log that is a record of its own: the state of the session, its totals. */
export interface BesideFile<State, Reason extends string> {
  /** Its path, relative to the log's directory. */
  file(path: string): string;
  rule: Reason;
  time?(document: Native): number | null;
  /** Called with every change of the session: what is said must hold for all of it. */
  says?(say: Say, document: Native, scene: Pick<Scene<State>, "state" | "path" | "beside">): void;
}

/** Usage as a record states it. */
export interface StatedUsage {
  tokens: Tokens | null;
  model: string | null;
  /** The response, if the record names it; otherwise the record's own name. */
  response?: string | null;
}

export interface Chat<State extends ChatState, Reason extends string> {
  /** First part of the rule names. */
  prefix: string;
  freshState(path: string): State;
  /** How records are found, if not every line is one. */
  open?(ref: SourceRef, from: LineStartCursor | null, ctx: ReadContext): Lines;
  /** The session id from the path. */
  sessionId(path: string): string;
  /** Name of the record's type, for `rules`, drift and `explain`; `session_meta` if it is a header with the session id. */
  native(record: Native): string;
  time(record: Native): number | null;
  /** Equal in every copy of the record; null if the agent names none, and for headers. */
  identity?(record: Native): string | null;
  /** The version that wrote the record, if it states one. */
  version?(record: Native): string | null;
  /** The fields that are known, by native type or by the part of it before `/`. All others are reported as drift. */
  fields?: ReadonlyMap<string, ReadonlySet<string>>;
  /** Objects inside a record whose fields are in `fields` as well, by their path there (`message.`). */
  inner?: (record: Native) => Readonly<Record<string, Native | null>>;
  /** What the rules make of a record: the name of every rule, by its class. */
  classes: RuleNames;
  /** The rules by native type. */
  rules: Readonly<Record<string, Judge<State, Reason>>>;
  /** The rule for types that are not in `rules`. */
  unknown: Reason | ((record: Native) => Reason);
  tools?: ChatTools;
  /** The usage a record states, once per response. */
  usage?(record: Native, state: State, beside: Beside): StatedUsage | readonly StatedUsage[] | null;
  /** The rule for a record whose name was read before, or a function that decides. Absent: names may repeat. */
  repeated?: Reason | ((record: Native, state: State) => Reason | null);
  /** The rule for records copied from another file. Absent: this agent copies nothing. */
  inherited?: Reason;
  /** Directories with the human's own commands, which the agent stores as the text they expand to. */
  commands?(path: string): readonly PromptDirectory[];
  /** Files beside the log, read as records behind its last line. Discovery must name them too, for the stamp. */
  beside?: readonly BesideFile<State, Reason>[];
  /** Which turn owns a record, if not the last one: see `windows.ts`. */
  owner?: RuleOwner<State>;
}

export function readChat<State extends ChatState, Reason extends string>(
  chat: Chat<State, Reason>,
  ref: SourceRef,
  cursor: Cursor | null,
  ctx: ReadContext,
): Reading {
  return readByRules(tableOf(chat, ref.source, new Beside(ref.path, ctx.meter)), ref, cursor, ctx);
}

/** All rule names of a reader, sorted: its own, and those of lines that hold no record. */
export function reasonsOf(prefix: string, classes: RuleNames): string[] {
  return [...classesOf(prefix, classes).keys(), ...PROBLEMS.map((problem) => `${prefix}.line.${problem}`)].sort();
}

const PROBLEMS: readonly LineProblem[] = [
  "blank",
  "not_json",
  "not_object",
  "nul_bytes",
  "too_deep",
  "too_large",
  "torn",
];

function tableOf<State extends ChatState, Reason extends string>(
  chat: Chat<State, Reason>,
  source: SourceId,
  beside: Beside,
): RuleTable<State, Reason> {
  const classes = classesOf(chat.prefix, chat.classes);
  const identityOf = (record: Native): string | null => chat.identity?.(record) ?? null;
  const usageOf = (record: Native, state: State, name: string, verdict: UsageBody["verdict"]): UsageBody[] =>
    [chat.usage?.(record, state, beside) ?? []]
      .flat()
      .flatMap(({ tokens, model, response }) =>
        tokens ? [{ type: "usage", response_id: response ?? name, model, verdict, ...tokens }] : [],
      );
  return {
    prefix: chat.prefix,
    freshState: (path) => chat.freshState(path),
    ...(chat.open ? { open: chat.open.bind(chat) } : {}),
    sessionId: (path) => chat.sessionId(path),
    templates: (path) => new CommandTemplates([], chat.commands?.(path) ?? []),
    facts: (record) => ({ native: chat.native(record), time: chat.time(record), identity: identityOf(record) }),
    classify(record, ctx, { native, time, name }) {
      const scene: Scene<State> = { ...ctx, record, native, time, identity: name, beside };
      const found = judged(chat, scene);
      const cls = classes.get(found.rule) ?? "unknown";
      const { kind, calls } = ctx.state;
      const say = new Say({ source, kind, full: ctx.full, tools: chat.tools ?? {}, calls });
      const apply = (): RecordBody[] => {
        if (cls === "unknown") say.record({ type: "unknown", native_type: native });
        found.says?.(say, scene);
        say.record(...usageOf(record, ctx.state, name, "counted"));
        return say.records;
      };
      return { ...verdict(cls, found.rule, apply, found.open ?? false), given: () => say.given() };
    },
    noteDrift(counter, record, native, state, checkFields) {
      state.version = chat.version?.(record) ?? state.version;
      counter.countVersion(state.version);
      if (checkFields) checkRecord(chat, counter, record, native, state.version);
      return state.version;
    },
    repeated(record, state) {
      const { repeated } = chat;
      if (typeof repeated === "function") return repeated(record, state);
      const name = repeated === undefined ? null : identityOf(record);
      return repeated !== undefined && name !== null && !state.ids.add(name) ? repeated : null;
    },
    header: () => [],
    ...(chat.owner ? { owner: chat.owner } : {}),
    beside: (path, state, full) => besideRecords(chat, classes, source, beside, path, state, full),
    ...(chat.inherited === undefined ? {} : { inherited: chat.inherited }),
    copied: (record, _header, state, name) => usageOf(record, state, name, "inherited"),
    again: (record, state, name) => usageOf(record, state, name, "duplicate"),
  };
}

function besideRecords<State extends ChatState, Reason extends string>(
  chat: Chat<State, Reason>,
  classes: ReadonlyMap<string, EntryClass>,
  source: SourceId,
  beside: Beside,
  path: string,
  state: State,
  full: boolean,
): RecordBeside<Reason>[] {
  return (chat.beside ?? []).flatMap((one): RecordBeside<Reason>[] => {
    const file = one.file(path);
    const [record] = beside.records(file);
    if (!record) return [];
    const { value, problem, bytes } = record;
    const facts = { native: BESIDE + file, bytes };
    if (!value) {
      const reason = `${chat.prefix}.line.${problem ?? "not_json"}` as const;
      const hint = "the file may be half written; it is read again when it changes";
      const body = { type: "unreadable", reason: problem ?? "not_json", bytes, hint } as const;
      return [{ ...facts, class: "corrupt", reason, time: null, apply: () => [body] }];
    }
    const say = new Say({ source, kind: state.kind, full, tools: chat.tools ?? {}, calls: state.calls });
    const apply = (): RecordBody[] => {
      one.says?.(say, value, { state, path, beside });
      return say.records;
    };
    return [
      { ...facts, class: classes.get(one.rule) ?? "unknown", reason: one.rule, time: one.time?.(value) ?? null, apply },
    ];
  });
}

/** An unknown type is reported as such, not field by field. */
function checkRecord<State extends ChatState, Reason extends string>(
  { fields, inner }: Chat<State, Reason>,
  counter: DriftCounter,
  record: Native,
  native: string,
  version: string,
): void {
  const known = fields?.get(native) ?? fields?.get(native.split("/", 1)[0] ?? "");
  if (!known) return;
  counter.countUnknownFields(version, native, record, known);
  for (const [path, object] of Object.entries(inner?.(record) ?? {}))
    if (object) counter.countUnknownFields(version, native, object, fields?.get(path), path);
}

function judged<State extends ChatState, Reason extends string>(
  { rules, unknown }: Chat<State, Reason>,
  scene: Scene<State>,
): Rule<State, Reason> {
  // Own keys only: a type may be called `constructor`.
  const found = Object.hasOwn(rules, scene.native) ? rules[scene.native] : undefined;
  if (found !== undefined) return typeof found === "function" ? found(scene) : found;
  return { rule: typeof unknown === "function" ? unknown(scene.record) : unknown };
}
