import type {
  AssistantFinishedBody,
  CancelledBody,
  UnreadableBody,
  ContextBody,
  FailedBody,
  RecordBody,
  SessionMetaBody,
  ToolFinishedBody,
  UserBody,
} from "../format/record.ts";
import { EarlyResults } from "../format/early.ts";
import {
  statedSessionId,
  type Diagnostic,
  type Drift,
  type Entry,
  type Reading,
  type SourceRef,
} from "../sources/contract.ts";
import { ChildLedger } from "./child-ledger.ts";
import { ContextLedger } from "./context-ledger.ts";
import { FileClock, type SavedClock } from "./file-clock.ts";
import { SessionFrame } from "./frame.ts";
import { SLICE, type AllSaved, type AllSleeping, type AllSlices, type ListName, type Lists } from "./lists.ts";
import type {
  ChildLink,
  ContextChange,
  DraftChanges,
  FileDraft,
  QuestionTrace,
  Rewind,
  SessionMeta,
  TouchedFileAt,
  TurnContext,
  TurnDraft,
} from "./model.ts";
import { askingCall, QuestionLedger } from "./questions.ts";
import { RecordCounter, type BuildLedger, type SavedCounter } from "./record-counter.ts";
import { Slices } from "./slices.ts";
import { responseList, Spending, type SavedSpending } from "./spending.ts";
import { ToolLedger } from "./tool-ledger.ts";
import { TurnLedger, type EndOfTurn, type SavedTurns, type TurnAtWork } from "./turn-ledger.ts";
import { nameOf } from "./usage-ledger.ts";

export interface BuildOptions {
  ledger: BuildLedger;
  /** Keep tool inputs; `whole`: uncut, and with what the calls gave back. */
  toolDetail: boolean | "whole";
  /** Leave out the records that only reports ask for: of questions, and of settings as they changed. */
  withoutTraces?: boolean;
}

/** A builder at rest: everything but the full slices of its lists. */
export interface SavedBuilder extends SavedClock, SavedSpending {
  session_id: string;
  lists: AllSaved;
  turns: SavedTurns;
  unsettled: [number, number | null][];
  results: [string, EarlyResult][];
  counter: SavedCounter;
  /** Responses whose prompt is still to come. */
  early: string[];
  children: ChildLink[];
  rewinds: Rewind[];
  limits: ContextChange[];
  diagnostics: Diagnostic[];
  meta: SessionMeta;
  context: TurnContext;
}

/** A result whose call has not come yet. */
interface EarlyResult {
  body: ToolFinishedBody;
  place: Omit<QuestionTrace, "body">;
}

/** Where a builder goes on. */
export interface BuilderAtRest {
  saved: SavedBuilder;
  sleeping: AllSleeping;
}

/** Diagnostics kept with their place; beyond that they are only counted. */
const KEEP_DIAGNOSTICS = 200;
const KEEP_OUTPUT = 16 * 1024;

/**
 * Entries of one file, in order, become turns. A turn is owned by its trigger: it begins at the trigger's line and ends at
 * the last record that reacted to it. Knows no agent by name: everything it needs is in the entries.
 */
export class DraftBuilder {
  readonly #ref: SourceRef;
  readonly #options: BuildOptions;
  /** What grows with the session. */
  readonly lists: AllSlices;
  readonly #turns: TurnLedger;
  readonly #tools: ToolLedger;
  readonly #results: EarlyResults<EarlyResult>;
  readonly #spending: Spending;
  readonly #questions: QuestionLedger;
  readonly #contexts: ContextLedger;
  readonly #counter: RecordCounter;
  readonly #children: ChildLedger;
  readonly #frame: SessionFrame;
  readonly #clock: FileClock;
  readonly #rewinds: Rewind[];
  #diagnostics: Diagnostic[];
  #early: string[];
  readonly #wokenAs: string | null;
  readonly #statedBefore: number;
  #sessionId: string;

  constructor(ref: SourceRef, sessionId: string, options: BuildOptions, rest?: BuilderAtRest) {
    this.#ref = ref;
    this.#options = options;
    const saved = rest?.saved;
    this.#sessionId = saved?.session_id ?? sessionId;
    this.#wokenAs = saved?.session_id ?? null;
    this.#statedBefore = saved?.stated.statements.length ?? 0;
    this.lists = wakeLists(rest);
    this.#turns = new TurnLedger(this.lists.turns, saved?.turns);
    this.#tools = new ToolLedger(options.toolDetail, this.lists.tools, saved?.unsettled);
    this.#results = new EarlyResults(saved?.results);
    this.#spending = new Spending(this.lists.usage, saved);
    this.#questions = new QuestionLedger(ref.source, this.lists.questions);
    this.#contexts = new ContextLedger(this.lists.contexts, saved?.limits);
    this.#counter = new RecordCounter(options.ledger, saved?.counter);
    this.#children = new ChildLedger(saved?.children);
    this.#frame = new SessionFrame(saved);
    this.#clock = new FileClock(saved);
    this.#rewinds = [...(saved?.rewinds ?? [])];
    this.#early = [...(saved?.early ?? [])];
    this.#diagnostics = (saved?.diagnostics ?? []).map((diagnostic) => ({ ...diagnostic, path: ref.path }));
  }

  /**
   * With the full slices of its lists, everything needed to go on with the next entry, in another process if need be. Plain
   * JSON; shares nothing when copied.
   */
  save(): SavedBuilder {
    const { turns, tools, usage, questions, contexts } = this.lists;
    return {
      session_id: this.#sessionId,
      lists: {
        ...{ turns: turns.save(), tools: tools.save(), usage: usage.save() },
        ...{ questions: questions.save(), contexts: contexts.save() },
      },
      turns: this.#turns.save(),
      unsettled: [...this.#tools.unsettled],
      results: this.#results.save(),
      ...this.#spending.save(),
      counter: this.#counter.save(),
      early: this.#early,
      children: this.#children.links,
      rewinds: this.#rewinds,
      limits: this.#contexts.limits(),
      // The file may stand elsewhere when the builder wakes up.
      diagnostics: this.#diagnostics.map((diagnostic) => ({ ...diagnostic, path: "" })),
      meta: this.#frame.meta,
      context: this.#frame.context,
      ...this.#clock.save(),
    };
  }

  /** What is said of the file before it is put together. */
  get summary(): Pick<SavedBuilder, "session_id" | "children" | "meta" | "diagnostics" | "context"> {
    return {
      ...{ session_id: this.#sessionId, children: this.#children.links, meta: this.#frame.meta },
      ...{ diagnostics: this.#diagnostics, context: this.#frame.context },
    };
  }

  /** Names of the prompts that are new since the builder was woken; of all of them when the session has another id now. */
  identities(): string[] {
    const { turns } = this.lists;
    if (this.#sessionId !== this.#wokenAs) return turns.all().flatMap(({ draft }) => draft.identity ?? []);
    const added = Array.from({ length: turns.added }, (_, i) => turns.at(turns.length - turns.added + i));
    return added.flatMap((turn) => turn?.draft.identity ?? []);
  }

  /** Returns the turn that owns the entry, as far as that is known already. */
  push(entry: Entry): number | null {
    this.#clock.take(entry, this.#ref.key !== undefined);
    if (entry.class === "corrupt") this.#diagnose(entry);
    // The header decides what a prompt in the same record means, so it is read first.
    for (const body of entry.records) if (body.type === "session_meta") this.#header(body, entry);
    const owner = this.#place(entry);
    const place = { line: entry.line, time: entry.time, turn: owner?.draft.index ?? null };
    for (const body of entry.records) {
      this.#apply(body, entry, owner);
      if (!this.#options.withoutTraces) this.#questions.take(body, place, (id) => this.#tools.get(id));
      if (body.type === "tool_finished") this.#holdEarly(body, place);
      else if (body.type === "tool_started") this.#settleEarly(body.call_id);
    }
    return place.turn;
  }

  #holdEarly(body: ToolFinishedBody, place: EarlyResult["place"]): void {
    if (this.#tools.get(body.call_id)) return;
    // Held with the builder at rest: an answer is short, and nothing else is asked of it.
    const output = this.#options.toolDetail === "whole" ? undefined : body.output?.slice(0, KEEP_OUTPUT);
    this.#results.hold(body.call_id, { body: output === undefined ? body : { ...body, output }, place });
  }

  #settleEarly(callId: string): void {
    const early = this.#results.take(callId);
    if (!early) return;
    const { body, place } = early;
    this.#tools.finish(body, place.line, place.time);
    if (!this.#options.withoutTraces) this.#questions.take(body, place, (id) => this.#tools.get(id));
  }

  finish(drift: Drift): FileDraft {
    this.#counter.close();
    return this.soFar(drift);
  }

  /** The same while more may come: what waits for the record it belongs to is nobody's yet. The next entry changes what is in it. */
  soFar(drift: Drift): FileDraft {
    this.#turns.decideAll(this.#tools.hanging());
    this.#tools.settleOpen(this.#turns);
    return {
      ...this.#draft(drift),
      turns: this.lists.turns.all().map((turn) => turn.draft),
      tools: this.lists.tools.all(),
      usage: this.lists.usage.all(),
      questions: this.lists.questions.all(),
      contexts: this.#contexts.all(),
    };
  }

  /** The same, of what became different since the builder was woken. */
  changes(drift: Drift): DraftChanges {
    this.#counter.close();
    const { turns, tools, usage } = this.lists;
    const owners = [...tools.changed().map((n) => tools.at(n)), ...usage.changed().map((n) => usage.at(n))];
    const touched = new Set([...turns.changed(), ...owners.flatMap((owned) => owned?.turn ?? [])]);
    const decided = this.#turns.decideSome(touched, this.#tools.hanging());
    this.#tools.settleOpen(this.#turns, decided);
    return {
      draft: {
        ...this.#draft(drift),
        turns: pick(turns, decided).map((turn) => turn.draft),
        tools: pick(tools, tools.changed()),
        usage: pick(usage, usage.changed()),
        questions: pick(this.lists.questions, this.lists.questions.changed()),
        contexts: pick(this.lists.contexts, this.lists.contexts.changed()),
      },
      calls: tools.changed(),
      limits: this.#contexts.limits(),
      turns: turns.length,
      newTurns: turns.added,
      states: this.#spending.statements.length > this.#statedBefore,
      links: this.#children.changed,
    };
  }

  /** What was stated of settings behind a line. */
  contextsAfter(line: number): ContextChange[] {
    const { contexts } = this.lists;
    const found: ContextChange[] = [];
    for (let i = contexts.length - 1; (contexts.at(i)?.line ?? 0) > line; i--) found.push(...pick(contexts, [i]));
    return found;
  }

  /**
   * Counts as changed what a builder of the same file changed that went on from the same place with entries that are void now.
   * False when it knew of something that is not there any more.
   */
  alsoChanged({ draft, calls, turns }: DraftChanges): boolean {
    const { lists } = this;
    const responses = draft.usage.map((event) => lists.usage.find(event.response_id));
    if (draft.questions.length > 0 || turns > lists.turns.length) return false;
    if (calls.some((n) => n >= lists.tools.length) || responses.includes(undefined)) return false;
    for (const { index } of draft.turns) lists.turns.change(index);
    for (const n of calls) lists.tools.change(n);
    for (const n of responses) lists.usage.change(n ?? -1);
    return true;
  }

  #draft(drift: Drift): Omit<FileDraft, ListName> {
    return {
      ref: this.#ref,
      source: this.#ref.source,
      path: this.#ref.path,
      session_id: this.#sessionId,
      meta: this.#frame.meta,
      children: this.#children.links,
      rewinds: this.#rewinds,
      records: this.#counter.balance,
      inherited_lines: this.#counter.inherited,
      tokens: this.#spending.balance,
      stated: this.#spending.total,
      statements: this.#spending.statements,
      ...this.#clock.summary,
      diagnostics: this.#diagnostics,
      drift,
      inherited_from: null,
      page: null,
      gone: null,
    };
  }

  /** Decides which turn owns the entry, and extends its span. */
  #place(entry: Entry): TurnAtWork | null {
    switch (entry.class) {
      case "trigger":
        return this.#begin(entry, false);
      case "reaction": {
        const delegation = this.#isDelegation(entry);
        if (delegation) return this.#begin(entry, true);
        return this.#react(entry);
      }
      case "echo": {
        const trigger = this.#turns.current?.draft.trigger;
        if (trigger && trigger.echo_line === null) trigger.echo_line = entry.line;
        return this.#react(entry);
      }
      case "corrupt":
      case "unknown":
      case "duplicate": {
        // They stop the walk back to the turn's end, as anything we cannot call scaffolding must.
        const turn = this.#turns.current;
        this.#settle(turn?.draft ?? null, false);
        if (turn) turn.draft.end_line = entry.line;
        this.#counter.count(entry, turn?.draft ?? null);
        return turn;
      }
      case "setup":
      case "early":
        this.#counter.hold(entry);
        return null;
      case "session":
      case "inherited":
        this.#counter.count(entry, null);
        return null;
    }
  }

  /** In a session no human spoke to, a prompt written by an agent begins a piece of delegated work. */
  #isDelegation(entry: Entry): boolean {
    if (this.#frame.meta.kind === "root") return false;
    return entry.records.some((body) => body.type === "user" && body.author === "agent");
  }

  #begin(entry: Entry, delegated: boolean): TurnAtWork {
    const user = entry.records.find((body): body is UserBody => body.type === "user");
    const draft: TurnDraft = {
      index: this.#turns.length,
      delegated,
      native_turn_id: user?.native_turn_id ?? entry.turnId ?? null,
      identity: entry.identity ?? null,
      trigger: {
        time: entry.time ?? this.#clock.last,
        line: entry.line,
        echo_line: null,
        text: user?.text ?? "",
        kind: user?.kind ?? "prompt",
        entry: user?.entry ?? "unknown",
        reason: entry.reason,
        attachments: user?.attachments ?? 0,
      },
      position: entry.position,
      start_line: entry.line,
      end_line: entry.line,
      ended_at: entry.time,
      outcome: "open",
      outcome_detail: null,
      taken_back: null,
      final_text: "",
      files: [],
      context: { ...this.#frame.context },
      duration_ms: null,
      records: 0,
      lines: [],
    };
    this.#settle(draft, true);
    this.#counter.count(entry, draft);
    const turn = this.#turns.begin(draft, user?.ends_stated === true);
    if (entry.time === null) turn.untimed = true;
    return turn;
  }

  /** It is certain now whose the held records are, and with them what was spent early. */
  #settle(turn: TurnDraft | null, begins: boolean): void {
    this.#counter.settle(turn, begins);
    if (turn === null || this.#early.length === 0) return;
    for (const id of this.#early) {
      const event = this.lists.usage.change(this.lists.usage.find(id) ?? -1);
      if (event?.turn === null) event.turn = turn.index;
    }
    this.#early = [];
  }

  #react(entry: Entry): TurnAtWork | null {
    const named = entry.turnId === undefined ? undefined : this.#turns.named(entry.turnId);
    const { current } = this.#turns;
    const turn = named ?? current;
    const draft = turn?.draft ?? null;
    if (draft !== null && turn === current) {
      this.#settle(draft, false);
      draft.end_line = entry.line;
    }
    if (turn && entry.time !== null) this.#timed(turn, entry.time);
    this.#counter.count(entry, draft);
    return turn;
  }

  #timed(turn: TurnAtWork, time: number): void {
    const { draft } = turn;
    draft.ended_at = Math.max(draft.ended_at ?? time, time);
    // An agent answers sooner than people come back: what follows is nearer than what came before, perhaps by days.
    if (turn.untimed) draft.trigger.time = time;
    delete turn.untimed;
  }

  #apply(body: RecordBody, entry: Entry, owner: TurnAtWork | null): void {
    const { line, time } = entry;
    switch (body.type) {
      case "context":
        this.#contextChanged(body, entry);
        return;
      case "assistant_finished":
        if (!owner) return;
        if (body.text !== "" || !body.turn_ended) this.#turns.works(owner, true);
        if (body.text !== "") owner.draft.final_text = body.text;
        if (body.turn_ended) this.#turns.end(owner, "completed", endOf(body));
        return;
      case "assistant_started":
      case "reasoning_finished":
        if (owner) this.#turns.works(owner, false);
        return;
      case "tool_started":
        this.#tools.start(body, line, time, owner?.draft.index ?? null);
        if (owner && !body.parent_call_id) this.#turns.works(owner, false);
        return;
      case "tool_finished":
        this.#toolFinished(body, entry, owner);
        return;
      case "usage":
        // Where usage is stated without a time, it was spent no later than what stands before it.
        this.#spending.take(body, line, time ?? this.#clock.newest, owner?.draft.index ?? null);
        if (entry.class === "early" && body.verdict === "counted") this.#early.push(nameOf(body.response_id));
        this.#frame.sawModel(body.model);
        return;
      case "usage_total":
        if (entry.class === "inherited") this.#spending.inherit(body);
        else this.#spending.takeTotal(body, line);
        return;
      case "child_linked":
        this.#children.link(body, {
          ...{ line, time, turn: owner?.draft.index ?? null },
          call: body.call_id ? this.#tools.get(body.call_id) : null,
        });
        return;
      case "cancelled":
        this.#cancelled(body, entry, owner);
        return;
      case "failed":
        this.#failed(body, owner);
        return;
      case "session_renamed":
        this.#frame.renamed(body);
        return;
      case "session_archived":
        this.#frame.archived(body);
        return;
      case "compacted":
        this.#spending.worked(time);
        return;
      case "session_meta":
      case "user":
      case "unknown":
        return;
      case "unreadable":
        this.#notCounted(body, line);
        return;
    }
  }

  /** A record that counts, but for some of its numbers. */
  #notCounted({ reason, hint }: UnreadableBody, line: number): void {
    if (reason === "impossible_number")
      this.#problem({ code: "number_impossible", line, message: `line ${line}: ${hint}` });
  }

  #header(body: SessionMetaBody, entry: Entry): void {
    const stated = statedSessionId(entry);
    if (stated !== null) this.#sessionId = nameOf(stated);
    this.#frame.header(body);
    // A header may stand further down.
    this.#diagnostics = this.#diagnostics.filter(({ code }) => code !== "header_missing");
    if (body.stated !== false) return;
    const message = "the file has no header: its name gives the session's id; who drove it, and where, is not known";
    this.#problem({ code: "header_missing", line: entry.line, message });
  }

  #contextChanged(body: ContextBody, entry: Entry): void {
    this.#frame.changed(body);
    const turn = this.#turns.current;
    // Settings stand on either side of the prompt: until the agent has done something they are the turn's own.
    const open = turn !== null && !turn.worked && !(entry.class === "setup" && turn.ended);
    if (open) turn.draft.context = { ...this.#frame.context };
    if (!this.#options.withoutTraces)
      this.#contexts.take({ line: entry.line, time: entry.time, turn: turn?.draft.index ?? null, body });
  }

  #toolFinished(body: ToolFinishedBody, entry: Entry, owner: TurnAtWork | null): void {
    const call = this.#tools.finish(body, entry.line, entry.time);
    this.#turns.goesOn(owner);
    if (!body.files || body.status !== "ok") return;
    const turn = call?.turn === null || call === null ? owner : (this.#turns.change(call.turn) ?? owner);
    if (!turn) return;
    for (const file of body.files) touch(turn.draft.files, { ...file, line: call?.start_line ?? entry.line });
  }

  #cancelled(body: CancelledBody, entry: Entry, owner: TurnAtWork | null): void {
    if (body.reason === "rolled_back") this.#turns.rollBack(body.turns ?? 1);
    else if (body.reason === "rewound") {
      const from = body.from_line ?? entry.position;
      this.#rewinds.push({ line: entry.line, from_position: from });
      this.#turns.rewind(from, entry.line);
    } else if (owner) this.#turns.end(owner, "aborted", { ...endOf(body), detail: body.reason });
  }

  #failed(body: FailedBody, owner: TurnAtWork | null): void {
    if (!owner) return;
    if (body.turn_ended) this.#turns.end(owner, "failed", { named: body.native_turn_id, detail: body.message });
    else owner.draft.outcome_detail = body.message;
  }

  #diagnose(entry: Entry): void {
    const body = entry.records[0];
    if (body?.type !== "unreadable") return;
    this.#problem({
      code: body.reason === "torn" ? "line_torn" : "line_corrupt",
      line: entry.line,
      message: `line ${entry.line} is unreadable (${body.reason}, ${body.bytes} bytes)`,
      hint: body.hint,
    });
  }

  #problem(problem: Omit<Diagnostic, "source" | "path">): void {
    if (this.#diagnostics.length >= KEEP_DIAGNOSTICS) return;
    this.#diagnostics.push({ source: this.#ref.source, path: this.#ref.path, ...problem });
  }
}

/** Reads a whole file into a draft. */
export function buildDraft(ref: SourceRef, sessionId: string, reading: Reading, options: BuildOptions): FileDraft {
  const builder = new DraftBuilder(ref, sessionId, options);
  for (const entry of reading) builder.push(entry);
  return builder.finish(reading.drift());
}

function endOf(body: AssistantFinishedBody | CancelledBody): EndOfTurn {
  return { duration: body.duration_ms, named: body.native_turn_id };
}

function pick<T>(list: Slices<T>, places: Iterable<number>): T[] {
  return [...places].flatMap((n) => list.at(n) ?? []);
}

function wakeLists(rest: BuilderAtRest | undefined): AllSlices {
  const list = <K extends ListName>(name: K, nameOf: (item: Lists[K]) => string | null): Slices<Lists[K]> =>
    new Slices(SLICE[name], nameOf, rest && { saved: rest.saved.lists[name], sleeping: rest.sleeping[name] });
  return {
    turns: list("turns", ({ draft }) => draft.native_turn_id),
    tools: list("tools", (call) => call.call_id),
    usage: responseList(rest && { saved: rest.saved.lists.usage, sleeping: rest.sleeping.usage }),
    questions: list("questions", askingCall),
    contexts: list("contexts", () => null),
  };
}

function touch(files: TouchedFileAt[], file: TouchedFileAt): void {
  const known = files.find((other) => other.path === file.path);
  if (!known) files.push(file);
  // What stands at the end of the turn: created and then edited is still created.
  else if (file.operation === "deleted" || known.operation === "deleted") known.operation = file.operation;
}
