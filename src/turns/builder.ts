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
} from "../record/record.ts";
import { EarlyResults } from "../record/early.ts";
import {
  statedSessionId,
  type Diagnostic,
  type Drift,
  type Entry,
  type Reading,
  type SourceRef,
} from "../agents/contract.ts";
import { ChildLedger } from "./child-ledger.ts";
import { ContextLedger } from "./context-ledger.ts";
import { FileClock, type SavedClock } from "./file-clock.ts";
import {
  SLICE_SIZES,
  type AllSaved,
  type AllStoredSlices,
  type AllSlices,
  type ListName,
  type Lists,
} from "./lists.ts";
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
import { askingCallId, QuestionLedger } from "./questions.ts";
import { RecordCounter, type BuildLedger, type SavedCounter } from "./record-counter.ts";
import { SelfDescription } from "./self-description.ts";
import { Slices } from "./slices.ts";
import { responseList, Spending, type SavedSpending } from "./spending.ts";
import { ToolLedger } from "./tool-ledger.ts";
import { TurnLedger, type Followed, type StatedEnd, type SavedTurns, type TrackedTurn } from "./turn-ledger.ts";
import { storableName } from "./usage-ledger.ts";

export interface BuildOptions {
  ledger: BuildLedger;
  /** Keep tool inputs; `whole`: uncut, and together with the results of the calls. */
  toolDetail: boolean | "whole";
  /** Leave out the records that only reports need: questions and changes of settings. */
  withoutTraces?: boolean;
}

/** A builder's saved state, without the full slices of its lists, which are stored separately. */
export interface SavedBuilder extends SavedClock, SavedSpending {
  session_id: string;
  lists: AllSaved;
  turns: SavedTurns;
  unsettled: [number, number | null][];
  results: [string, EarlyResult][];
  counter: SavedCounter;
  /** Ids of responses whose prompt has not been read yet. */
  early: string[];
  children: ChildLink[];
  rewinds: Rewind[];
  limits: ContextChange[];
  diagnostics: Diagnostic[];
  meta: SessionMeta;
  context: TurnContext;
}

/** A result that was read before its call. */
interface EarlyResult {
  body: ToolFinishedBody;
  place: Omit<QuestionTrace, "body">;
}

/** Everything needed to continue a saved builder. */
export interface StoredBuilder {
  saved: SavedBuilder;
  slices: AllStoredSlices;
}

/**
 * At most this many diagnostics keep their details; further ones are dropped here and only counted in the record
 * balance.
 */
const KEEP_DIAGNOSTICS = 200;
const KEEP_OUTPUT = 16 * 1024;
/** Records of what the agent does, besides its answers. */
const WORK: ReadonlySet<RecordBody["type"]> = new Set(["assistant_started", "reasoning_finished", "tool_started"]);

/**
 * Builds turns from the entries of one file, in order. A turn is owned by its trigger: it begins at the trigger's line
 * and ends at the last record that reacted to it. The builder knows no agent by name: everything it needs is in the
 * entries.
 */
export class DraftBuilder {
  readonly #ref: SourceRef;
  readonly #options: BuildOptions;
  /** The lists that grow with the session. */
  readonly lists: AllSlices;
  readonly #turns: TurnLedger;
  readonly #tools: ToolLedger;
  readonly #results: EarlyResults<EarlyResult>;
  readonly #spending: Spending;
  readonly #questions: QuestionLedger;
  readonly #contexts: ContextLedger;
  readonly #counter: RecordCounter;
  readonly #children: ChildLedger;
  readonly #described: SelfDescription;
  readonly #clock: FileClock;
  readonly #rewinds: Rewind[];
  #diagnostics: Diagnostic[];
  #early: string[];
  readonly #restoredAs: string | null;
  readonly #statedBefore: number;
  #sessionId: string;

  constructor(ref: SourceRef, sessionId: string, options: BuildOptions, rest?: StoredBuilder) {
    this.#ref = ref;
    this.#options = options;
    const saved = rest?.saved;
    this.#sessionId = saved?.session_id ?? sessionId;
    this.#restoredAs = saved?.session_id ?? null;
    this.#statedBefore = saved?.stated.statements.length ?? 0;
    this.lists = restoreLists(rest);
    this.#turns = new TurnLedger(this.lists.turns, saved?.turns);
    this.#tools = new ToolLedger(options.toolDetail, this.lists.tools, saved?.unsettled);
    this.#results = new EarlyResults(saved?.results);
    this.#spending = new Spending(this.lists.usage, saved);
    this.#questions = new QuestionLedger(ref.source, this.lists.questions);
    this.#contexts = new ContextLedger(this.lists.contexts, saved?.limits);
    this.#counter = new RecordCounter(options.ledger, saved?.counter);
    this.#children = new ChildLedger(saved?.children);
    this.#described = new SelfDescription(saved);
    this.#clock = new FileClock(saved);
    this.#rewinds = [...(saved?.rewinds ?? [])];
    this.#early = [...(saved?.early ?? [])];
    this.#diagnostics = (saved?.diagnostics ?? []).map((diagnostic) => ({ ...diagnostic, path: ref.path }));
  }

  /**
   * Together with the full slices of the lists, this is everything needed to continue with the next entry, possibly in
   * another process. Plain JSON. The result shares objects with the builder until the caller copies it.
   */
  save(): SavedBuilder {
    const { turns, tools, usage, questions, contexts } = this.lists;
    return {
      session_id: this.#sessionId,
      lists: {
        turns: turns.save(),
        tools: tools.save(),
        usage: usage.save(),
        questions: questions.save(),
        contexts: contexts.save(),
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
      // The file may have been moved by the time the builder is restored.
      diagnostics: this.#diagnostics.map((diagnostic) => ({ ...diagnostic, path: "" })),
      meta: this.#described.meta,
      context: this.#described.context,
      ...this.#clock.save(),
    };
  }

  /** What is known about the file before it is assembled with others. */
  get summary(): Pick<SavedBuilder, "session_id" | "children" | "meta" | "diagnostics" | "context"> {
    return {
      session_id: this.#sessionId,
      children: this.#children.links,
      meta: this.#described.meta,
      diagnostics: this.#diagnostics,
      context: this.#described.context,
    };
  }

  /**
   * Identities of the prompts added since the builder was restored; of all prompts if the session id has changed since.
   */
  identities(): string[] {
    const { turns } = this.lists;
    if (this.#sessionId !== this.#restoredAs) return turns.all().flatMap(({ draft }) => draft.identity ?? []);
    const added = Array.from({ length: turns.added }, (_, i) => turns.at(turns.length - turns.added + i));
    return added.flatMap((turn) => turn?.draft.identity ?? []);
  }

  /** True if the session was open in several windows. */
  get hasWindows(): boolean {
    return this.#turns.windows;
  }

  /** Returns the turn that owns the entry, as far as that is known already. */
  push(entry: Entry): number | null {
    this.#clock.take(entry, this.#ref.key !== undefined);
    if (entry.class === "corrupt") this.#diagnose(entry);
    // The header decides how a prompt in the same record is read, so it is applied first.
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
    // Early results are saved with the builder, so a long output is cut: an answer to a question is short, and nothing
    // else is read from it.
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
    return this.draftSoFar(drift);
  }

  /**
   * The draft while more entries may follow: records held for a later owner belong to no turn yet. The next entry may
   * change the returned objects.
   */
  draftSoFar(drift: Drift): FileDraft {
    this.#turns.decideAll(this.#tools.turnsWithOpenCalls());
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

  /** The same, limited to what changed since the builder was restored. */
  changes(drift: Drift): DraftChanges {
    this.#counter.close();
    const { turns, tools, usage } = this.lists;
    const owners = [...tools.changed().map((n) => tools.at(n)), ...usage.changed().map((n) => usage.at(n))];
    const touched = new Set([...turns.changed(), ...owners.flatMap((owned) => owned?.turn ?? [])]);
    const decided = this.#turns.decideSome(touched, this.#tools.turnsWithOpenCalls());
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

  /** Changes of settings stated after the given line. */
  contextsAfter(line: number): ContextChange[] {
    const { contexts } = this.lists;
    const found: ContextChange[] = [];
    for (let i = contexts.length - 1; (contexts.at(i)?.line ?? 0) > line; i--) found.push(...pick(contexts, [i]));
    return found;
  }

  /**
   * Marks as changed everything that another builder of the same file changed when it continued from the same point
   * with entries that are void now. Returns false if that builder knew elements that no longer exist.
   */
  includeChanges({ draft, calls, turns }: DraftChanges): boolean {
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
      meta: this.#described.meta,
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
  #place(entry: Entry): TrackedTurn | null {
    switch (entry.class) {
      case "trigger":
        return this.#begin(entry, false);
      case "reaction": {
        const delegation = this.#isDelegation(entry);
        if (delegation) return this.#begin(entry, true);
        return this.#react(entry);
      }
      case "echo": {
        const turn = this.#react(entry);
        const trigger = (entry.turnLine === undefined ? this.#turns.current : turn)?.draft.trigger;
        if (trigger && trigger.echo_line === null) trigger.echo_line = entry.line;
        return turn;
      }
      case "corrupt":
      case "unknown":
      case "duplicate": {
        // They may be work of the running turn: they extend it, and setup held before them counts as part of it.
        const turn = this.#turnAt(entry.turnLine) ?? this.#turns.current;
        if (turn) this.#extend(turn, entry);
        else this.#settle(null, false, null);
        this.#counter.count(entry, turn?.draft ?? null);
        return turn;
      }
      case "setup":
      case "early":
        this.#counter.hold(entry, this.#turnAt(entry.turnLine)?.draft.index ?? null);
        return null;
      case "session":
      case "inherited":
        this.#counter.count(entry, null);
        return null;
    }
  }

  /** In a session no human spoke to, a prompt written by an agent begins a delegated turn. */
  #isDelegation(entry: Entry): boolean {
    if (this.#described.meta.kind === "root") return false;
    return entry.records.some((body) => body.type === "user" && body.author === "agent");
  }

  #begin(entry: Entry, delegated: boolean): TrackedTurn {
    const user = entry.records.find((body): body is UserBody => body.type === "user");
    const { current } = this.#turns;
    const follows = this.#followed(user);
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
      context: { ...this.#described.context },
      duration_ms: null,
      records: 0,
      lines: [],
    };
    this.#settle(draft, true, follows === undefined ? current : follows);
    this.#counter.count(entry, draft);
    const turn = this.#turns.begin(draft, user?.ends_stated === true, follows, (index) => this.#tools.isWaiting(index));
    if (entry.time === null) turn.untimed = true;
    return turn;
  }

  /** The turn that the prompt continues; undefined if that is the one that began last. */
  #followed(user: UserBody | undefined): Followed {
    const line = user?.follows_line;
    const { current } = this.#turns;
    const turn = line === undefined ? undefined : line === null ? null : this.#turns.findByLine(line);
    if (turn === undefined || turn === current) return undefined;
    // Each window keeps its settings.
    if (current) current.left = { ...this.#described.context };
    if (turn?.left) this.#described.enter(turn.left);
    if (turn) delete turn.left;
    return turn;
  }

  #turnAt(line: number | undefined): TrackedTurn | undefined {
    return line === undefined ? undefined : this.#turns.findByLine(line);
  }

  /** The owner of the held records is now known, and with it the owner of the usage stated early. */
  #settle(turn: TurnDraft | null, begins: boolean, follows: TrackedTurn | null): void {
    this.#counter.settle(turn, begins, follows?.draft.index ?? null);
    if (turn === null || this.#early.length === 0) return;
    for (const id of this.#early) {
      const event = this.lists.usage.change(this.lists.usage.find(id) ?? -1);
      if (event?.turn === null) event.turn = turn.index;
    }
    this.#early = [];
  }

  #react(entry: Entry): TrackedTurn | null {
    const { current } = this.#turns;
    const turn = this.#named(entry) ?? current;
    const draft = turn?.draft ?? null;
    if (turn && turn !== current && this.#continues(entry)) this.#turns.revive(turn);
    if (turn) this.#extend(turn, entry);
    if (turn && entry.time !== null) this.#extendTo(turn, entry.time);
    this.#counter.count(entry, draft);
    return turn;
  }

  #named({ turnLine, turnId }: Entry): TrackedTurn | undefined {
    return this.#turnAt(turnLine) ?? (turnId === undefined ? undefined : this.#turns.findByNativeId(turnId));
  }

  /**
   * Whether the record shows that work on its turn goes on although a later one began. Results and ends may be late;
   * only what the agent does next may not.
   */
  #continues({ turnLine, records }: Entry): boolean {
    if (turnLine === undefined && !this.#turns.branched) return false;
    return records.some((body) => {
      if (body.type !== "assistant_finished") return WORK.has(body.type);
      // Without texts, only the message that a record is of tells an answer from a note that the turn has ended.
      return body.text !== "" || !body.turn_ended || typeof body.message_id === "string";
    });
  }

  /** Records of a turn that is over may be late, but it ended where the next one began. */
  #extend(turn: TrackedTurn, entry: Entry): void {
    if (!this.#turns.isLive(turn.draft.index)) return;
    this.#settle(turn.draft, false, turn);
    turn.draft.end_line = entry.line;
  }

  #extendTo(turn: TrackedTurn, time: number): void {
    const { draft } = turn;
    draft.ended_at = Math.max(draft.ended_at ?? time, time);
    // An agent replies sooner than a human comes back, so the next record's time is closer than the previous one's,
    // which may be days older.
    if (turn.untimed) draft.trigger.time = time;
    delete turn.untimed;
  }

  #apply(body: RecordBody, entry: Entry, owner: TrackedTurn | null): void {
    const { line, time } = entry;
    switch (body.type) {
      case "context":
        this.#contextChanged(body, entry, owner);
        return;
      case "assistant_finished":
        if (!owner) return;
        if (body.text !== "" || !body.turn_ended) this.#turns.recordWork(owner, answerIn(body));
        if (body.text !== "") owner.draft.final_text = body.text;
        if (body.turn_ended) this.#turns.end(owner, "completed", endOf(body));
        return;
      case "assistant_started":
      case "reasoning_finished":
        if (owner) this.#turns.recordWork(owner, "no");
        return;
      case "tool_started":
        this.#tools.start(body, line, time, owner?.draft.index ?? null);
        if (owner && !body.parent_call_id) this.#turns.recordWork(owner, "no");
        return;
      case "tool_finished":
        this.#toolFinished(body, entry, owner);
        return;
      case "usage":
        // Usage stated without a time was spent no later than the newest record before it.
        this.#spending.take(body, line, time ?? this.#clock.newest, owner?.draft.index ?? null);
        if (entry.class === "early" && body.verdict === "counted") this.#early.push(storableName(body.response_id));
        this.#described.addModel(body.model);
        return;
      case "usage_total":
        if (entry.class === "inherited") this.#spending.inherit(body);
        else this.#spending.takeTotal(body, line);
        return;
      case "child_linked":
        this.#children.link(body, {
          line,
          time,
          turn: owner?.draft.index ?? null,
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
        this.#described.applyRename(body);
        return;
      case "session_archived":
        this.#described.applyArchived(body);
        return;
      case "compacted":
        this.#spending.recordActivity(time);
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

  /** The record counts, except for numbers that are impossible. */
  #notCounted({ reason, hint }: UnreadableBody, line: number): void {
    if (reason === "impossible_number")
      this.#problem({ code: "number_impossible", line, message: `line ${line}: ${hint}` });
  }

  #header(body: SessionMetaBody, entry: Entry): void {
    const stated = statedSessionId(entry);
    if (stated !== null) this.#sessionId = storableName(stated);
    this.#described.applyHeader(body);
    // A header further down supersedes the diagnostic about a missing one.
    this.#diagnostics = this.#diagnostics.filter(({ code }) => code !== "header_missing");
    if (body.stated !== false) return;
    const message = "the file has no header: its name gives the session's id; who drove it, and where, is not known";
    this.#problem({ code: "header_missing", line: entry.line, message });
  }

  #contextChanged(body: ContextBody, entry: Entry, owner: TrackedTurn | null): void {
    // Another window than that of the newest turn has settings of its own.
    const turn = owner?.left ? owner : this.#turns.current;
    const settings = turn?.left ?? this.#described.context;
    this.#described.applyContext(body, settings);
    // Settings are written before or after the prompt: until the agent has done something they apply to the current
    // turn.
    const open = turn !== null && !turn.worked && !(entry.class === "setup" && turn.ended);
    if (open) turn.draft.context = { ...settings };
    if (!this.#options.withoutTraces)
      this.#contexts.take({ line: entry.line, time: entry.time, turn: turn?.draft.index ?? null, body });
  }

  #toolFinished(body: ToolFinishedBody, entry: Entry, owner: TrackedTurn | null): void {
    const call = this.#tools.finish(body, entry.line, entry.time);
    this.#turns.awaitReply(owner);
    if (!body.files || body.status !== "ok") return;
    const turn = call?.turn === null || call === null ? owner : (this.#turns.change(call.turn) ?? owner);
    if (!turn) return;
    for (const file of body.files) touch(turn.draft.files, { ...file, line: call?.start_line ?? entry.line });
  }

  #cancelled(body: CancelledBody, entry: Entry, owner: TrackedTurn | null): void {
    if (body.reason === "rolled_back") this.#turns.rollBack(body.turns ?? 1);
    else if (body.reason === "rewound") {
      const from = body.from_line ?? entry.position;
      this.#rewinds.push({ line: entry.line, from_position: from });
      this.#turns.rewind(from, entry.line);
    } else if (owner) this.#turns.end(owner, "aborted", { ...endOf(body), detail: body.reason, assumed: body.assumed });
  }

  #failed(body: FailedBody, owner: TrackedTurn | null): void {
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

function answerIn({ unfinished }: AssistantFinishedBody): TrackedTurn["answered"] {
  return unfinished === undefined ? "unstated" : unfinished ? "partly" : "yes";
}

function endOf(body: AssistantFinishedBody | CancelledBody): StatedEnd {
  return { duration: body.duration_ms, named: body.native_turn_id };
}

function pick<T>(list: Slices<T>, places: Iterable<number>): T[] {
  return [...places].flatMap((n) => list.at(n) ?? []);
}

function restoreLists(rest: StoredBuilder | undefined): AllSlices {
  const list = <K extends ListName>(name: K, nameOf: (item: Lists[K]) => string | null): Slices<Lists[K]> =>
    new Slices(SLICE_SIZES[name], nameOf, rest && { saved: rest.saved.lists[name], slices: rest.slices[name] });
  return {
    turns: list("turns", ({ draft }) => draft.native_turn_id),
    tools: list("tools", (call) => call.call_id),
    usage: responseList(rest && { saved: rest.saved.lists.usage, slices: rest.slices.usage }),
    questions: list("questions", askingCallId),
    contexts: list("contexts", () => null),
  };
}

function touch(files: TouchedFileAt[], file: TouchedFileAt): void {
  const known = files.find((other) => other.path === file.path);
  if (!known) files.push(file);
  // Keeps the net effect over the turn: a file created and then edited is still created.
  else if (file.operation === "deleted" || known.operation === "deleted") known.operation = file.operation;
}
