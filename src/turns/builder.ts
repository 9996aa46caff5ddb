import type {
  CancelledBody,
  ChildLinkedBody,
  ContextBody,
  FailedBody,
  RecordBody,
  SessionMetaBody,
  ToolFinishedBody,
  UserBody,
} from "../log/record.ts";
import type { Diagnostic, Drift, Entry, Reading, SourceRef } from "../sources/source.ts";
import { QuestionLedger } from "./questions.ts";
import { RecordCounter, type BuildLedger, type SavedCounter } from "./record-counter.ts";
import type {
  ChildLink,
  ContextChange,
  FileDraft,
  Outcome,
  QuestionTrace,
  Rewind,
  SessionMeta,
  TokenBalance,
  ToolCall,
  TouchedFileAt,
  TurnContext,
  TurnDraft,
  UsageEvent,
} from "./model.ts";
import { ToolLedger } from "./tool-ledger.ts";
import { ContextLedger } from "./context-ledger.ts";
import { UsageLedger } from "./usage-ledger.ts";

export interface BuildOptions {
  ledger: BuildLedger;
  /** Keep tool inputs. */
  toolDetail: boolean;
  /** Keep only what sums of usage need. */
  usageOnly?: boolean;
}

/** A builder at rest. */
export interface SavedBuilder {
  session_id: string;
  turns: TurnDraft[];
  ended: boolean[];
  worked: boolean[];
  tools: ToolCall[];
  usage: { balance: TokenBalance; events: UsageEvent[] };
  counter: SavedCounter;
  children: ChildLink[];
  rewinds: Rewind[];
  questions: QuestionTrace[];
  contexts: ContextChange[];
  diagnostics: Diagnostic[];
  native_turns: [string, number][];
  meta: SessionMeta;
  context: TurnContext;
  current: number | null;
  answered: boolean;
  times: [number | null, number | null, number | null];
  counts: [number, number, number];
  before: number | null;
}

/** Diagnostics kept with their place; beyond that they are only counted. */
const KEEP_DIAGNOSTICS = 200;

/**
 * Entries of one file, in order, become turns. A turn is owned by its trigger: it begins at the trigger's line and ends at
 * the last record that reacted to it. Knows no agent by name: everything it needs is in the entries.
 */
export class DraftBuilder {
  readonly #ref: SourceRef;
  readonly #options: BuildOptions;
  readonly #turns: TurnDraft[] = [];
  readonly #ended: boolean[] = []; // per turn: an explicit end was met
  readonly #worked: boolean[] = []; // per turn: the agent produced something
  readonly #tools: ToolLedger;
  readonly #usage: UsageLedger;
  readonly #questions: QuestionLedger;
  readonly #counter: RecordCounter;
  readonly #children: ChildLink[] = [];
  readonly #childByKey = new Map<string, ChildLink>();
  readonly #rewinds: Rewind[] = [];
  readonly #contexts = new ContextLedger();
  readonly #diagnostics: Diagnostic[] = [];
  readonly #byNativeTurn = new Map<string, number>();
  readonly #meta: SessionMeta = emptyMeta();
  readonly #context: TurnContext = emptyContext();
  #sessionId: string;
  #current: TurnDraft | null = null;
  #answerAfterWork = false; // the last thing the agent did in the current turn was to speak
  #firstTime: number | null = null;
  #lastTime: number | null = null;
  #previousTime: number | null = null;
  #untimed = 0;
  #backwards = 0;
  #lines = 0;
  #before: number | null = null;

  constructor(ref: SourceRef, sessionId: string, options: BuildOptions, saved?: SavedBuilder) {
    this.#ref = ref;
    this.#sessionId = sessionId;
    this.#options = options;
    this.#counter = new RecordCounter(options.ledger, saved?.counter);
    this.#tools = new ToolLedger(options.toolDetail, saved?.tools);
    this.#usage = new UsageLedger(saved?.usage);
    this.#questions = new QuestionLedger(ref.source, saved?.questions);
    if (saved) this.#restore(saved);
  }

  /** Everything needed to go on with the next entry, in another process if need be. Plain JSON; shares nothing when copied. */
  save(): SavedBuilder {
    return {
      session_id: this.#sessionId,
      turns: this.#turns,
      ended: this.#ended,
      worked: this.#worked,
      tools: this.#tools.calls,
      usage: { balance: this.#usage.balance, events: this.#usage.events() },
      counter: this.#counter.save(),
      children: this.#children,
      rewinds: this.#rewinds,
      questions: this.#questions.traces,
      contexts: this.#contexts.all(),
      // The file may stand elsewhere when the builder wakes up.
      diagnostics: this.#diagnostics.map((diagnostic) => ({ ...diagnostic, path: "" })),
      native_turns: [...this.#byNativeTurn],
      meta: this.#meta,
      context: this.#context,
      current: this.#current?.index ?? null,
      answered: this.#answerAfterWork,
      times: [this.#firstTime, this.#lastTime, this.#previousTime],
      counts: [this.#untimed, this.#backwards, this.#lines],
      before: this.#before,
    };
  }

  #restore(saved: SavedBuilder): void {
    this.#sessionId = saved.session_id;
    for (const turn of saved.turns) this.#turns.push(turn);
    this.#ended.push(...saved.ended);
    this.#worked.push(...saved.worked);
    this.#children.push(...saved.children);
    for (const link of saved.children) this.#childByKey.set(`${link.child.source}/${link.child.session_id}`, link);
    this.#rewinds.push(...saved.rewinds);
    for (const change of saved.contexts) this.#contexts.take(change);
    for (const diagnostic of saved.diagnostics) this.#diagnostics.push({ ...diagnostic, path: this.#ref.path });
    for (const [id, index] of saved.native_turns) this.#byNativeTurn.set(id, index);
    Object.assign(this.#meta, saved.meta);
    Object.assign(this.#context, saved.context);
    this.#current = saved.current === null ? null : (this.#turns[saved.current] ?? null);
    this.#answerAfterWork = saved.answered;
    [this.#firstTime, this.#lastTime, this.#previousTime] = saved.times;
    [this.#untimed, this.#backwards, this.#lines] = saved.counts;
    this.#before = saved.before;
  }

  push(entry: Entry): void {
    // A session inside a larger file begins where it begins; whole files begin at line 1, or lines are missing.
    this.#before ??= this.#ref.key === undefined ? 0 : entry.line - 1;
    this.#lines = entry.line;
    this.#clock(entry);
    if (entry.class === "corrupt") this.#diagnose(entry);
    // The header decides what a prompt in the same record means, so it is read first.
    for (const body of entry.records) if (body.type === "session_meta") this.#header(body, entry);
    const owner = this.#place(entry);
    const place = { line: entry.line, time: entry.time, turn: owner?.index ?? null };
    for (const body of entry.records) {
      this.#apply(body, entry, owner);
      if (!this.#options.usageOnly) this.#questions.take(body, place, (id) => this.#tools.get(id));
    }
  }

  finish(drift: Drift): FileDraft {
    this.#counter.close();
    this.#decideOutcomes();
    this.#tools.settleOpen(this.#turns);
    return {
      ref: this.#ref,
      source: this.#ref.source,
      path: this.#ref.path,
      session_id: this.#sessionId,
      meta: this.#meta,
      turns: this.#turns,
      tools: this.#tools.calls,
      usage: this.#usage.events(),
      children: this.#children,
      rewinds: this.#rewinds,
      questions: this.#questions.traces,
      contexts: this.#contexts.all(),
      records: this.#counter.balance,
      tokens: this.#usage.balance,
      first_time: this.#firstTime,
      last_time: this.#lastTime,
      untimed: this.#untimed,
      backwards: this.#backwards,
      lines: this.#lines - (this.#before ?? 0),
      last_line: this.#lines,
      diagnostics: this.#diagnostics,
      drift,
      inherited_from: null,
      page: null,
    };
  }

  /** Decides which turn owns the entry, and extends its span. */
  #place(entry: Entry): TurnDraft | null {
    switch (entry.class) {
      case "trigger":
        return this.#begin(entry, false);
      case "reaction": {
        const delegation = this.#isDelegation(entry);
        if (delegation) return this.#begin(entry, true);
        return this.#react(entry);
      }
      case "echo": {
        const turn = this.#current;
        if (turn && turn.trigger.echo_line === null && entry.line > turn.trigger.line)
          turn.trigger.echo_line = entry.line;
        return this.#react(entry);
      }
      case "corrupt":
      case "unknown":
      case "duplicate": {
        // They stop the walk back to the turn's end, as anything we cannot call scaffolding must.
        const turn = this.#current;
        this.#counter.settle(turn, false);
        if (turn) turn.end_line = entry.line;
        this.#counter.count(entry, turn);
        return turn;
      }
      case "setup":
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
    if (this.#meta.kind === "root") return false;
    return entry.records.some((body) => body.type === "user" && body.author === "agent");
  }

  #begin(entry: Entry, delegated: boolean): TurnDraft {
    const user = entry.records.find((body): body is UserBody => body.type === "user");
    const turn: TurnDraft = {
      index: this.#turns.length,
      delegated,
      native_turn_id: user?.native_turn_id ?? entry.turnId ?? null,
      identity: entry.identity ?? null,
      trigger: {
        time: entry.time ?? this.#lastTime,
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
      context: { ...this.#context },
      duration_ms: null,
      records: 0,
    };
    this.#counter.settle(turn, true);
    this.#turns.push(turn);
    this.#ended.push(false);
    this.#worked.push(false);
    this.#current = turn;
    this.#answerAfterWork = false;
    if (turn.native_turn_id !== null) this.#byNativeTurn.set(turn.native_turn_id, turn.index);
    this.#counter.count(entry, turn);
    return turn;
  }

  #react(entry: Entry): TurnDraft | null {
    const named = entry.turnId === undefined ? undefined : this.#byNativeTurn.get(entry.turnId);
    const turn = named === undefined ? this.#current : (this.#turns[named] ?? null);
    if (turn !== null && turn === this.#current) {
      this.#counter.settle(turn, false);
      turn.end_line = entry.line;
    }
    if (turn !== null && entry.time !== null) turn.ended_at = Math.max(turn.ended_at ?? entry.time, entry.time);
    this.#counter.count(entry, turn);
    return turn;
  }

  #apply(body: RecordBody, entry: Entry, owner: TurnDraft | null): void {
    const { line, time } = entry;
    switch (body.type) {
      case "context":
        this.#contextChanged(body, entry);
        return;
      case "assistant_finished":
        if (!owner) return;
        if (body.text !== "" || !body.turn_ended) this.#works(owner, true);
        if (body.text !== "") owner.final_text = body.text;
        if (body.turn_ended) this.#end(owner, "completed", null, body.duration_ms ?? null);
        return;
      case "assistant_started":
      case "reasoning_finished":
        if (owner) this.#works(owner, false);
        return;
      case "tool_started":
        this.#tools.start(body, line, time, owner?.index ?? null);
        if (owner && !body.parent_call_id) this.#works(owner, false);
        return;
      case "tool_finished":
        this.#toolFinished(body, entry, owner);
        return;
      case "usage":
        // Where usage is stated without a time, it was spent no later than what stands before it.
        this.#usage.add(body, line, time ?? this.#lastTime, owner?.index ?? null);
        this.#sawModel(body.model);
        return;
      case "child_linked":
        this.#link(body, line, owner);
        return;
      case "cancelled":
        this.#cancelled(body, entry, owner);
        return;
      case "failed":
        this.#failed(body, owner);
        return;
      case "session_renamed":
        if (body.by === "human" || this.#meta.title_by !== "human") {
          this.#meta.title = body.title;
          this.#meta.title_by = body.title === null ? null : body.by;
        }
        return;
      case "session_meta":
      case "user":
      case "compacted":
      case "unknown":
      case "unreadable":
        return;
    }
  }

  #header(body: SessionMetaBody, entry: Entry): void {
    const meta = this.#meta;
    if (entry.native === "session_meta" && entry.identity !== undefined) this.#sessionId = entry.identity;
    meta.kind = body.kind;
    meta.cwd = body.cwd ?? meta.cwd;
    meta.started_at = meta.started_at ?? body.started_at;
    meta.agent_version = body.agent_version ?? meta.agent_version;
    meta.originator = body.originator ?? meta.originator;
    meta.provider = body.provider ?? meta.provider;
    meta.title = body.title ?? meta.title;
    meta.parent = body.parent ?? meta.parent;
    meta.parent_turn_id = body.parent_turn_id ?? meta.parent_turn_id;
    meta.role = body.role ?? meta.role;
    meta.forked_from = body.forked_from ?? meta.forked_from;
    if (body.git) meta.git = { ...meta.git, ...body.git };
    if (body.cwd) this.#context.cwd = body.cwd;
    if (body.agent_version) this.#context.agent_version = body.agent_version;
    if (body.model) this.#context.model = body.model;
    this.#git(body.git);
  }

  #contextChanged(body: ContextBody, entry: Entry): void {
    const context = this.#context;
    if (body.model !== undefined) context.model = body.model;
    if (body.effort !== undefined) context.effort = body.effort;
    if (body.approval_policy !== undefined) context.approval_policy = body.approval_policy;
    if (body.sandbox !== undefined) context.sandbox = body.sandbox;
    if (body.network !== undefined) context.network = body.network;
    if (body.cwd !== undefined) context.cwd = body.cwd;
    // Headers without a directory exist; the first context names it then.
    this.#meta.cwd ??= body.cwd ?? null;
    if (body.agent_version !== undefined) context.agent_version = body.agent_version;
    this.#git(body.git);
    const turn = this.#current;
    // Settings stand on either side of the prompt: until the agent has done something they are the turn's own.
    const open = turn !== null && !this.#worked[turn.index] && !(entry.class === "setup" && this.#ended[turn.index]);
    if (open) turn.context = { ...context };
    if (!this.#options.usageOnly)
      this.#contexts.take({ line: entry.line, time: entry.time, turn: turn?.index ?? null, body });
  }

  #git(git: SessionMetaBody["git"]): void {
    if (git?.branch) this.#context.git_branch = git.branch;
    if (git?.commit) this.#context.git_commit = git.commit;
  }

  #works(turn: TurnDraft, speaks: boolean): void {
    const i = turn.index;
    this.#worked[i] = true;
    // New output after a normal end (a notification that woke the agent) is still the same human request.
    if (this.#ended[i] && turn.outcome === "completed" && turn === this.#current) {
      this.#ended[i] = false;
      turn.outcome = "open";
    }
    if (turn === this.#current) this.#answerAfterWork = speaks;
  }

  #end(turn: TurnDraft, outcome: Outcome, detail: string | null, duration: number | null): void {
    const i = turn.index;
    if (duration !== null) turn.duration_ms = duration;
    // An abort or a failure is not undone by the bookkeeping record that follows it.
    if (this.#ended[i] && turn.outcome !== "completed" && outcome === "completed") return;
    this.#ended[i] = true;
    turn.outcome = outcome;
    turn.outcome_detail = detail;
  }

  #toolFinished(body: ToolFinishedBody, entry: Entry, owner: TurnDraft | null): void {
    const call = this.#tools.finish(body, entry.line, entry.time);
    if (owner === this.#current) this.#answerAfterWork = false;
    const turn = call?.turn === null || call === null ? owner : (this.#turns[call.turn] ?? owner);
    if (!turn || !body.files || body.status !== "ok") return;
    for (const file of body.files) touch(turn.files, { ...file, line: call?.start_line ?? entry.line });
  }

  #link(body: ChildLinkedBody, line: number, owner: TurnDraft | null): void {
    const key = `${body.child.source}/${body.child.session_id}`;
    const call = body.call_id ? this.#tools.get(body.call_id) : null;
    let link = this.#childByKey.get(key);
    if (!link) {
      link = {
        child: body.child,
        relation: body.relation,
        role: body.role ?? null,
        turn: call?.turn ?? owner?.index ?? null,
        spawn_line: body.phase === "spawned" || call ? (call?.start_line ?? line) : null,
        result_line: null,
      };
      this.#childByKey.set(key, link);
      this.#children.push(link);
    }
    link.role = link.role ?? body.role ?? null;
    if (body.phase === "returned") link.result_line = line;
  }

  #cancelled(body: CancelledBody, entry: Entry, owner: TurnDraft | null): void {
    if (body.reason === "rolled_back") {
      const standing = this.#turns.filter((turn) => turn.taken_back === null);
      for (const turn of standing.slice(Math.max(0, standing.length - (body.turns ?? 1))))
        turn.taken_back = "rolled_back";
      return;
    }
    if (body.reason === "rewound") {
      const from = body.from_line ?? entry.position;
      this.#rewinds.push({ line: entry.line, from_position: from });
      // The trigger that rewound is the current turn already; it stays.
      for (const turn of this.#turns) {
        if (turn.position >= from && turn.start_line < entry.line) turn.taken_back = "rewound";
      }
      return;
    }
    if (owner) this.#end(owner, "aborted", body.reason, body.duration_ms ?? null);
  }

  #failed(body: FailedBody, owner: TurnDraft | null): void {
    if (!owner) return;
    if (body.turn_ended) this.#end(owner, "failed", body.message, null);
    else owner.outcome_detail = body.message;
  }

  #sawModel(model: string | null): void {
    if (model !== null && !this.#meta.models.includes(model)) this.#meta.models.push(model);
  }

  #clock(entry: Entry): void {
    if (entry.class === "corrupt") return;
    if (entry.time === null) {
      this.#untimed++;
      return;
    }
    if (this.#previousTime !== null && entry.time < this.#previousTime) this.#backwards++;
    this.#previousTime = entry.time;
    if (entry.class === "inherited") return;
    if (this.#firstTime === null || entry.time < this.#firstTime) this.#firstTime = entry.time;
    if (this.#lastTime === null || entry.time > this.#lastTime) this.#lastTime = entry.time;
  }

  #diagnose(entry: Entry): void {
    if (this.#diagnostics.length >= KEEP_DIAGNOSTICS) return;
    const body = entry.records[0];
    if (body?.type !== "unreadable") return;
    this.#diagnostics.push({
      code: body.reason === "torn" ? "line_torn" : "line_corrupt",
      source: this.#ref.source,
      path: this.#ref.path,
      line: entry.line,
      message: `line ${entry.line} is unreadable (${body.reason}, ${body.bytes} bytes)`,
      hint: body.hint,
    });
  }

  /** Turns without an explicit end: old formats have none, killed agents never wrote it, steered turns share the next one's. */
  #decideOutcomes(): void {
    const formatHasEnds = this.#turns.some((turn, i) => this.#ended[i] && turn.outcome === "completed");
    const hanging = new Set(this.#tools.calls.filter((call) => !call.settled).map((call) => call.turn));
    for (let i = this.#turns.length - 1; i >= 0; i--) {
      const turn = this.#turns[i] as TurnDraft;
      if (this.#ended[i]) continue;
      const next = this.#turns[i + 1];
      if (next && next.trigger.kind === "queued") {
        turn.outcome = next.outcome;
        continue;
      }
      const answered = next === undefined ? this.#answerAfterWork : turn.final_text !== "" || this.#answered(turn);
      if (answered && !hanging.has(i) && (next !== undefined || !formatHasEnds)) turn.outcome = "completed";
      else turn.outcome = next === undefined ? "open" : "aborted";
    }
  }

  /** In lean reads texts are empty, so an answer is known by the work, not by its words. */
  #answered(turn: TurnDraft): boolean {
    return this.#worked[turn.index] ?? false;
  }
}

/** Reads a whole file into a draft. */
export function buildDraft(ref: SourceRef, sessionId: string, reading: Reading, options: BuildOptions): FileDraft {
  const builder = new DraftBuilder(ref, sessionId, options);
  for (const entry of reading) builder.push(entry);
  return builder.finish(reading.drift());
}

function touch(files: TouchedFileAt[], file: TouchedFileAt): void {
  const known = files.find((other) => other.path === file.path);
  if (!known) files.push(file);
  // What stands at the end of the turn: created and then edited is still created.
  else if (file.operation === "deleted" || known.operation === "deleted") known.operation = file.operation;
}

function emptyMeta(): SessionMeta {
  return {
    kind: "root",
    cwd: null,
    started_at: null,
    agent_version: null,
    originator: null,
    provider: null,
    title: null,
    title_by: null,
    parent: null,
    parent_turn_id: null,
    role: null,
    forked_from: null,
    git: null,
    models: [],
  };
}

function emptyContext(): TurnContext {
  return {
    model: null,
    effort: null,
    approval_policy: null,
    sandbox: null,
    network: null,
    cwd: null,
    git_branch: null,
    git_commit: null,
    agent_version: null,
  };
}
