import { SEARCH_KINDS, type DocKind, type StoredContents, type ReportedFacts } from "../../answers/daybook.ts";
import type { ReadViews } from "../../views/not-pushed.ts";
import type { JsonValue, Redactor } from "../../base/redact/redact.ts";
import type { Zone } from "../../base/time/zone.ts";
import { BatchBuilder, withHash } from "./batches.ts";
import { keyedDigest, uuidOf } from "./ids.ts";
import { levelNumber, type Level } from "../../views/push-level.ts";
import { termVector, wordCount } from "./search-terms.ts";
import {
  DETAIL_KINDS,
  NO_DAY,
  type Cell,
  type DetailKind,
  type RowBatch,
  type HeadRow,
  type TableName,
} from "./tables.ts";
import { LONGEST_MS } from "./valid-rows.ts";
import type { ContextShift } from "../../views/context-trail.ts";

/** What determines the rows of a session besides the session itself. */
export interface RowOptions {
  level: Level;
  /** The time zone of the store. */
  zone: Zone;
  redactor: Redactor;
  /** At `totals` a project is a keyed hash: without the key its name cannot be found out. */
  projectKey: string;
  /** Except these, whose names a team shares, so that the work of several people on one project adds up. */
  namedProjects?: ReadonlySet<string> | undefined;
}

/** The head of a session, without its fingerprint. */
export function headOf(whole: StoredContents, how: RowOptions): Omit<HeadRow, "hash"> {
  const view = JSON.parse(whole.view.json) as ReadViews["session"];
  return {
    session_id: uuidOf(whole.source, whole.session_id),
    source: whole.source,
    project: projectLabel(view, how),
    started: view.started_at,
    ended: view.ended_at,
    turns: view.turns,
    lines: whole.lines,
    reader: whole.reader,
    level: levelNumber(how.level),
    kind: view.kind,
    parent: view.parent && uuidOf(view.parent.source, view.parent.session_id),
    parent_turn: view.parent_turn === null ? null : turnNumber(view.parent_turn),
  };
}

/** All rows of a session at a level, in batches, always in the same order. All texts are redacted. */
export function* sessionRows(whole: StoredContents, how: RowOptions): Generator<RowBatch, void, undefined> {
  const about = new RowMaker(whole, how);
  yield* about.turns();
  yield* about.calls();
  yield* about.responses();
  yield* about.decisions();
  if (how.level === "totals") return;
  yield* about.details();
  yield* about.facts();
  yield* how.level === "full" ? about.allTexts() : about.asked();
}

class RowMaker {
  readonly #whole: StoredContents;
  readonly #how: RowOptions;
  readonly #project: string;
  readonly #redactor: Redactor;

  constructor(whole: StoredContents, how: RowOptions) {
    this.#whole = whole;
    this.#how = how;
    this.#redactor = how.redactor;
    this.#project = projectLabel(JSON.parse(whole.view.json) as ReadViews["session"], how);
  }

  *turns(): Generator<RowBatch, void, undefined> {
    const costs = this.#costs();
    yield* inBatches("turns", this.#whole.turns(), ({ n, view }) => {
      const turn = JSON.parse(view.json) as ReadViews["turn"];
      const { started_at, ended_at, tools, outcome, context, usage, children } = turn;
      const { commits, unproven } = this.#whole.reported().counts(n);
      return withHash([
        n,
        started_at,
        ended_at,
        this.#day(started_at),
        tools.total,
        tools.failed,
        costs.get(n) ?? null,
        outcome,
        this.#whole.source,
        this.#project,
        this.#label(context.model ?? usage.models[0] ?? ""),
        durationIn(turn.duration_ms),
        turn.trigger.kind,
        turn.taken_back,
        commits,
        children.filter(({ relation }) => relation !== "fork").length,
        unproven,
      ]);
    });
  }

  /** The cost of the responses of each turn; no entry if none has a price. */
  #costs(): Map<number, number> {
    const costs = new Map<number, number>();
    for (const { owner, pico } of this.#whole.responses()) {
      const turn = this.#ownTurn(owner);
      if (turn !== null && pico !== null) costs.set(turn, (costs.get(turn) ?? 0) + pico);
    }
    return costs;
  }

  *calls(): Generator<RowBatch, void, undefined> {
    const isNamed = this.#how.level !== "totals";
    yield* inBatches("tool_calls", this.#whole.calls(), ({ n, view }) => {
      const tool = JSON.parse(view.json) as ReadViews["call"];
      const { turn_ref, started_at, duration_ms, status, name, risks } = tool;
      return withHash([
        n,
        turn_ref === null ? null : turnNumber(turn_ref),
        started_at,
        durationIn(duration_ms),
        troubleIn(tool),
        risks.length > 0,
        status,
        // Custom servers may give their tools names that reveal what they work on.
        isNamed ? this.#label(name) : "",
        tool.parent_call_id !== null,
      ]);
    });
  }

  *responses(): Generator<RowBatch, void, undefined> {
    const { source } = this.#whole;
    yield* inBatches("usage_responses", this.#whole.responses(), (one) => {
      const time = one.time === null ? null : new Date(one.time).toISOString();
      return [
        uuidOf(source, one.response_id),
        time,
        this.#day(time),
        this.#ownTurn(one.owner),
        source,
        this.#project,
        this.#label(one.model ?? ""),
        one.input_tokens,
        one.cached_input_tokens,
        one.cache_write_tokens,
        one.cache_write_1h_tokens,
        one.output_tokens,
        one.reasoning_tokens,
        one.pico,
      ];
    });
  }

  /** The number of a turn of this session; null for a turn of another one. */
  #ownTurn(turn: string | null): number | null {
    const own = `${this.#whole.key}/`;
    return turn?.startsWith(own) === true ? turnNumber(turn.slice(own.length)) : null;
  }

  *decisions(): Generator<RowBatch, void, undefined> {
    yield* inBatches("decisions", this.#whole.decisions.entries(), ([n, decision]) => {
      const { time, turn_ref, tier, options, answered, followed_recommendation } = decision;
      const turn = turn_ref === null ? null : turnNumber(turn_ref);
      return withHash([n, time, turn, tier, options.length, answered, followed_recommendation]);
    });
  }

  /** The JSON views as they are printed. Calls contain file contents, and are only sent at `full`. */
  *details(): Generator<RowBatch, void, undefined> {
    const { view, decisions } = this.#whole;
    yield* this.#detail("session", [{ n: 0, view }]);
    yield* this.#detail("turn", this.#whole.turns());
    if (this.#how.level === "full") yield* this.#detail("call", this.#whole.calls());
    yield* this.#detail(
      "decision",
      decisions.map((decision, n) => ({ n, view: { json: JSON.stringify(decision), secret: true } })),
    );
  }

  *#detail(kind: DetailKind, list: Iterable<{ n: number; view: JsonValue }>): Generator<RowBatch, void, undefined> {
    const number = DETAIL_KINDS.indexOf(kind);
    yield* inBatches("details", this.#redacted(list), ({ n, json }) => withHash([number, n, json]));
  }

  /** Redacts many JSON values at a time; none of them contains a line break. */
  *#redacted(list: Iterable<{ n: number; view: JsonValue }>): Generator<{ n: number; json: string }, void, undefined> {
    const waiting: number[] = [];
    const views = function* (): Generator<JsonValue, void, undefined> {
      for (const { n, view } of list) {
        waiting.push(n);
        yield view;
      }
    };
    for (const some of this.#redactor.json(views(), "\n"))
      for (const json of some.split("\n")) yield { n: waiting.shift() ?? 0, json };
  }

  /** What reports derive in addition to the views. */
  *facts(): Generator<RowBatch, void, undefined> {
    const rows = [...reportedRows(this.#whole, this.#how.level)];
    const values = rows.map(({ n, body }) => ({ n, view: { json: JSON.stringify(body), secret: true } }));
    yield* inBatches("facts", this.#redacted(values), ({ n, json }) => withHash([n, json]));
  }

  /** The requests, and the last answers. */
  *asked(): Generator<RowBatch, void, undefined> {
    yield* this.#texts(this.#requests());
  }

  *#requests(): Generator<SentText, void, undefined> {
    for (const { n, json } of this.#redacted(this.#whole.turns())) {
      const { trigger, final_text, started_at, ended_at } = JSON.parse(json) as ReadViews["turn"];
      yield { kind: "prompt", text: trigger.text, time: started_at, line: trigger.line, turn: n };
      yield { kind: "reply", text: final_text, time: ended_at, line: null, turn: n };
    }
  }

  /** Every searchable text. */
  *allTexts(): Generator<RowBatch, void, undefined> {
    yield* this.#texts(this.#everything());
  }

  *#everything(): Generator<SentText, void, undefined> {
    for (const one of this.#whole.texts()) yield { ...one, text: this.#redactor.text(one.text) };
  }

  *#texts(list: Iterable<SentText>): Generator<RowBatch, void, undefined> {
    const worded = (function* (): Generator<SentText & { n: number }, void, undefined> {
      let n = 0;
      for (const one of list) if (one.text.trim() !== "") yield { ...one, n: n++ };
    })();
    yield* inBatches("texts", worded, ({ n, kind, time, turn, line, text }) => {
      const body = storableText(text);
      return withHash([n, SEARCH_KINDS.indexOf(kind), time, turn, line, body, termVector(body), wordCount(body)]);
    });
  }

  #day(time: string | null): string {
    return time === null ? NO_DAY : this.#how.zone.day(Date.parse(time));
  }

  /** A name from a session, of a model or a tool. It may contain anything. */
  #label(name: string): string {
    return labelOf(name, this.#how);
  }
}

interface SentText {
  kind: DocKind;
  text: string;
  time: string | null;
  line: number | null;
  turn: number | null;
}

function* inBatches<T>(
  table: TableName,
  list: Iterable<T>,
  rowOf: (one: T) => Cell[],
): Generator<RowBatch, void, undefined> {
  const rows = new BatchBuilder(table);
  for (const one of list) {
    const full = rows.add(rowOf(one));
    if (full) yield full;
  }
  const rest = rows.take();
  if (rest) yield rest;
}

/** A clock that was set back makes durations that are none. */
function durationIn(ms: number | null): number | null {
  return ms !== null && ms >= 0 && ms <= LONGEST_MS ? ms : null;
}

/** The number of a failure in the store: 0 for none. A search without a match is none either. */
function troubleIn({ status, expected_exit }: ReadViews["call"]): number {
  return expected_exit === true ? 0 : TROUBLES.indexOf(status);
}

const TROUBLES: readonly ReadViews["call"]["status"][] = ["ok", "failed", "denied", "interrupted", "pending"];

/** Longer names, or names with a blank, are not names of models. */
const NAME = /^[\w.:/@+[\]-]{1,80}$/;

/** At `totals`, anything that does not look like a name is sent as a hash. */
function labelOf(name: string, { level, redactor, projectKey }: RowOptions): string {
  const shown = storableName(redactor.text(name));
  if (level !== "totals" || name === "") return shown;
  return NAME.test(shown) && shown === name ? shown : `#${keyedDigest(projectKey, name).slice(0, 12)}`;
}

/** By its name: checkouts in other places and on other machines are the same project. */
function projectLabel({ project }: ReadViews["session"], how: RowOptions): string {
  if (how.level === "totals" && how.namedProjects?.has(project) !== true)
    return `#${keyedDigest(how.projectKey, project).slice(0, 12)}`;
  return storableName(how.redactor.text(project));
}

/** Three names are the key of a daily sum, for which the database has 2,700 bytes. */
const LONGEST_NAME = 250;

function storableName(name: string): string {
  return storableText(name.slice(0, LONGEST_NAME));
}

/** PostgreSQL's `text` cannot hold NUL or half of a surrogate pair. */
function storableText(text: string): string {
  const whole = text.includes("\0") ? text.replaceAll("\0", "") : text;
  return /\p{Surrogate}/u.test(whole) ? whole.replace(/\p{Surrogate}/gu, "\ufffd") : whole;
}

/** `T0012` → 12. */
function turnNumber(ref: string): number {
  return Number(ref.slice(1));
}

type TurnFacts = NonNullable<ReturnType<ReportedFacts["facts"]["get"]>>;

/**
 * The content of a row of `facts`. `detail` and `audit` only for row 0: work that no human turn asked for, and the
 * session as a whole.
 */
export interface ReportedBody extends Partial<Pick<ReportedFacts, "detail" | "audit">> {
  facts: TurnFacts | null;
  changes?: readonly ContextShift[];
}

/**
 * What reports derive from a session in addition to its views: for the whole session, then for each turn with
 * something to report.
 */
function* reportedRows(
  whole: StoredContents,
  level: Level,
): Generator<{ n: number; body: ReportedBody }, void, undefined> {
  const { facts, changes, detail, audit } = whole.reported();
  const shown = (n: number): TurnFacts | null => {
    const found = facts.get(n);
    return found === undefined ? null : level === "full" ? found : withoutContents(found);
  };
  yield { n: 0, body: { facts: shown(0), detail, audit } };
  const numbers = new Set([...facts.keys(), ...changes.keys()]);
  for (const n of [...numbers].toSorted((a, b) => a - b)) {
    if (n === 0) continue;
    const shifts = changes.get(n);
    yield { n, body: { facts: shown(n), ...(shifts ? { changes: shifts } : {}) } };
  }
}

/** Below `full`, inputs and outputs of tools are not sent; how they ended is. */
function withoutContents({ tool_problems, last_check, steps, ...rest }: TurnFacts): TurnFacts {
  return {
    ...rest,
    // What was run is input too: without it nothing can be told of what is still to be run.
    steps:
      steps?.map((step) => ({ ...step, about: "", deeds: step.deeds.map((deed) => ({ ...deed, name: "" })) })) ?? [],
    tool_problems: tool_problems.map((problem) => ({ ...problem, about: null, error: null })),
    last_check: last_check && { ...last_check, command: null },
  };
}
