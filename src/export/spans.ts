import type { SessionView } from "../views/session-view.ts";
import type { TurnView } from "../views/turn-view.ts";
import type { CountedResponse } from "../views/response.ts";
import type { Exported } from "../answers/daybook.ts";
import type { Convention } from "./conventions.ts";
import type { ExportOptions } from "./format.ts";
import { spanId, traceId, type Attributes, type Span } from "./otlp.ts";
import { stepsOf, type Step, type StepCall } from "./steps.ts";
import { sessionKey, turnKeyIn } from "../record/session-key.ts";

/** The position of a span. */
type SpanPosition = Pick<Span, "trace" | "parent">;

/**
 * The spans of one session within the requested days. A turn is a trace: the agent that was asked, the model's
 * responses, the tool calls, and the sub-agents.
 */
export class Spans {
  readonly #session: Exported;
  readonly #words: Convention;
  readonly #known: ReadonlyMap<string, SessionView>;
  readonly #hide: ExportOptions["hide"];
  readonly #content: boolean;
  readonly #spans: Span[] = [];

  constructor(session: Exported, known: ReadonlyMap<string, SessionView>, words: Convention, options: ExportOptions) {
    this.#session = session;
    this.#words = words;
    this.#known = known;
    this.#hide = options.hide;
    this.#content = options.content === true;
  }

  async all(): Promise<Span[]> {
    const { view, turns, calls, responses } = this.#session;
    const own = placeOf(view, this.#known);
    const asked = new Map(
      turns().map((turn) => [turn.turn_ref, this.#hide(this.#content ? turn : withoutTexts(turn))]),
    );
    const meant = {
      responses: new Set(responses().map(({ response_id }) => response_id)),
      calls: new Set(calls().map(({ call_id }) => call_id)),
    };
    if (own.id !== null) this.#agent(own.id, own, view);
    for (const turn of asked.values()) this.#turn(turn);
    for (const [n, step] of stepsOf(await this.#session.whole()).entries()) {
      // Steps of no turn belong to the session's own span, or have no parent.
      const place = step.turn === null ? { trace: own.trace, parent: own.id } : turnPlace(view, step.turn);
      // Redacted before texts become parts of other texts, where a secret would no longer be found. Span ids are made
      // from the original ids.
      const shown = this.#hide(this.#content ? step : withoutContent(step));
      const isAsked = step.turn === null || asked.has(step.turn);
      if (step.by === "agent") this.#responses(step, shown, isAsked ? n : null, place, meant.responses);
      for (const [i, { call_id }] of step.calls.entries()) {
        const call = shown.calls[i];
        if (call && meant.calls.has(call_id)) this.#call(call, shown, spanId(`${this.#key}/call/${call_id}`), place);
      }
    }
    return this.#spans;
  }

  #push({ name, attributes, error, ...rest }: Span): void {
    const hidden = this.#hide({ name, error, attributes: { ...this.#common(), ...attributes } });
    this.#spans.push({ ...rest, ...hidden });
  }

  #common(): Attributes {
    const { session_id, project } = this.#session.view;
    return { ...this.#words.session(session_id), "daybook.project": project };
  }

  /** Conversation content, only on request. */
  #texts(of: (content: Convention["content"]) => Attributes): Attributes {
    return this.#content ? of(this.#words.content) : {};
  }

  /** A session started by another one: one agent span. */
  #agent(
    id: string,
    { trace, parent }: SpanPosition,
    { source, role, models, started_at, ended_at, kind }: SessionView,
  ): void {
    const [model = null] = models;
    const start = timeOf(started_at) ?? 0;
    this.#push({
      trace,
      id,
      parent,
      name: `invoke_agent ${role ?? source}`,
      kind: "internal",
      start,
      error: null,
      end: timeOf(ended_at) ?? start,
      attributes: { ...this.#words.agent(role ?? source, model), "daybook.kind": kind },
    });
  }

  #turn(turn: TurnView): void {
    const { trigger, turn_ref, context, outcome, outcome_detail, ended_at, final_text } = turn;
    const { view } = this.#session;
    const start = timeOf(trigger.time) ?? this.#began;
    const { trace, parent: id } = turnPlace(view, turn_ref);
    this.#push({
      trace,
      id: id ?? "",
      parent: null,
      name: `invoke_agent ${view.source}`,
      kind: "internal",
      start,
      end: timeOf(ended_at) ?? start,
      error: outcome === "failed" ? (outcome_detail ?? "failed") : null,
      attributes: {
        ...this.#words.agent(view.source, context.model),
        "daybook.turn": turn_ref,
        "daybook.outcome": outcome,
        "error.type": outcome === "failed" ? "failed" : null,
        ...(trigger.time === null ? { "daybook.time_unknown": true } : {}),
        ...this.#texts((content) => content.agent(trigger.text ?? "", final_text ?? "")),
      },
    });
  }

  /** One span per stated response; if none was stated, one for the step, identified by its number. */
  #responses(step: Step, shown: Step, n: number | null, place: SpanPosition, meant: ReadonlySet<string>): void {
    for (const [i, { response_id }] of step.responses.entries()) {
      const response = shown.responses[i];
      const id = spanId(`${this.#key}/response/${response_id}`);
      if (response && meant.has(response_id)) this.#response(shown, id, place, response, i === 0);
    }
    if (step.responses.length === 0 && n !== null)
      this.#response(shown, spanId(`${this.#key}/step/${n}`), place, null, true);
  }

  #response(step: Step, id: string, place: SpanPosition, response: CountedResponse | null, hasText: boolean): void {
    const model = response?.model ?? null;
    const end = timeOf(step.ended) ?? response?.time ?? this.#began;
    this.#push({
      ...place,
      id,
      name: model === null ? "chat" : `chat ${model}`,
      kind: "client",
      error: null,
      start: Math.min(timeOf(step.asked) ?? timeOf(step.time) ?? end, end),
      end,
      attributes: {
        ...this.#words.response(model, response),
        "daybook.cost_picousd": typeof response?.pico === "number" ? BigInt(response.pico) : null,
        ...(hasText ? this.#texts((content) => content.response(step)) : {}),
      },
    });
  }

  #call(call: StepCall, step: Step, id: string, place: SpanPosition): void {
    const { name, end } = call;
    const start = timeOf(call.started) ?? timeOf(step.time) ?? this.#began;
    const status = end?.status ?? "pending";
    const isWrong = status !== "ok" && status !== "pending";
    this.#push({
      ...place,
      id,
      name: `execute_tool ${name}`,
      kind: "internal",
      start,
      end: timeOf(call.finished) ?? start + (end?.duration_ms ?? 0),
      error: isWrong ? status : null,
      attributes: {
        ...this.#words.call(call),
        "error.type": isWrong ? status : null,
        "daybook.status": status,
        "daybook.exit_code": end?.exit_code ?? null,
        ...this.#texts((content) => content.call(call)),
      },
    });
  }

  get #key(): string {
    return sessionKey(this.#session.view);
  }

  get #began(): number {
    return timeOf(this.#session.view.started_at) ?? 0;
  }
}

/** Removes texts that are not written, so that they are not scanned for secrets, which would be most of the work. */
function withoutContent(step: Step): Step {
  const calls = step.calls.map((call) => ({
    ...call,
    input: null,
    end: call.end && { ...call.end, output: null, error: null },
  }));
  return { ...step, text: "", reasoning: "", calls };
}

function withoutTexts(turn: TurnView): TurnView {
  return { ...turn, trigger: { ...turn.trigger, text: "" }, final_text: "", files: [], decisions: [], children: [] };
}

function turnPlace(view: SessionView, ref: string): SpanPosition {
  const name = turnKeyIn(sessionKey(view), ref);
  return { trace: traceId(name), parent: spanId(name) };
}

/**
 * Where a session belongs: with a span of its own in the trace of the turn that started it; otherwise in a trace of
 * its own, which only contains steps of no turn.
 */
function placeOf(
  view: SessionView,
  known: ReadonlyMap<string, SessionView>,
  seen: ReadonlySet<string> = new Set(),
): SpanPosition & { id: string | null } {
  const key = sessionKey(view);
  const alone = { trace: traceId(key), parent: null, id: null };
  if (view.parent === null || seen.has(key)) return alone;
  const id = spanId(key);
  const parent = sessionKey(view.parent);
  if (view.parent_turn !== null) {
    const name = turnKeyIn(parent, view.parent_turn);
    return { trace: traceId(name), parent: spanId(name), id };
  }
  const above = known.get(parent);
  if (!above) return { ...alone, id };
  const { trace, id: within } = placeOf(above, known, new Set([...seen, key]));
  return { trace, parent: within, id };
}

function timeOf(text: string | null): number | null {
  const time = text === null ? Number.NaN : Date.parse(text);
  return Number.isNaN(time) ? null : time;
}
