import { PriceTable } from "../answers/pricing/price-table.ts";
import type { SessionView } from "../answers/session-view.ts";
import type { TurnView } from "../answers/turn-view.ts";
import type { OwnedResponse } from "../answers/usage-response.ts";
import type { ExportedSession } from "../daybook.ts";
import { sessionKey } from "../turns/session.ts";
import type { ExportFormat, ExportOptions } from "./format.ts";
import { spanId, traceId, tracesMessage, type Attributes, type Span } from "./otlp.ts";
import { jsonObject, promptTokens } from "./plain-values.ts";
import { stepsOf, type Step, type StepCall } from "./steps.ts";
import { picoUsd, usd } from "./tables.ts";

const FILE = "traces.jsonl";
/** Spans, and characters of their texts, that one message holds about. */
const MOST = { spans: 256, text: 1_000_000 };

/**
 * Spans of OpenTelemetry's conventions for generative AI (1.41) with those of OpenInference beside them, as OTLP/JSON, one message a line.
 * A turn is a trace: the agent that was asked, the model's responses, the calls, and the agents it asked in turn.
 */
export const otel: ExportFormat = {
  needs: "rows",
  printed: { most: "all", as: "json" },
  file: FILE,
  ...{ hasContent: true, isSendable: true },
  begin: (options) => {
    const { target, send, hide } = options;
    const file = send ? null : target.open(FILE);
    let known: ReadonlyMap<string, SessionView> = new Map();
    return {
      begin(sessions) {
        known = new Map(sessions.map(({ view }) => [sessionKey(view), view]));
      },
      async add(session) {
        const spans = await new SessionSpans(session, known, options).all();
        for (const some of batches(spans)) {
          const message = tracesMessage(hide(resourceOf(session.view)), some);
          if (send) await send(message);
          else file?.write(`${message}\n`);
        }
      },
      end: () => file?.close(),
    };
  },
};

function* batches(spans: readonly Span[]): Generator<Span[], void, undefined> {
  let [some, text]: [Span[], number] = [[], 0];
  for (const span of spans) {
    some.push(span);
    for (const value of Object.values(span.attributes)) if (typeof value === "string") text += value.length;
    if (some.length < MOST.spans && text < MOST.text) continue;
    yield some;
    [some, text] = [[], 0];
  }
  if (some.length > 0) yield some;
}

function resourceOf({ source, agent_version }: SessionView): Attributes {
  return { "service.name": source, "service.version": agent_version };
}

/** Names of sellers as the conventions spell them. */
const PROVIDERS: Readonly<Record<string, string>> = { google: "gcp.gemini", mistral: "mistral_ai", "x-ai": "x_ai" };
const prices = new PriceTable();

function providerOf(model: string | null): string {
  const seller = model === null ? null : prices.providerOf(model);
  return seller === null ? "_OTHER" : (PROVIDERS[seller] ?? seller);
}

/** Where a span stands. */
type Place = Pick<Span, "trace" | "parent">;

/** The spans of one session: what of it is in the days that were asked for. */
class SessionSpans {
  readonly #session: ExportedSession;
  readonly #known: ReadonlyMap<string, SessionView>;
  readonly #hide: ExportOptions["hide"];
  readonly #content: boolean;
  readonly #spans: Span[] = [];

  constructor(session: ExportedSession, known: ReadonlyMap<string, SessionView>, options: ExportOptions) {
    this.#session = session;
    this.#known = known;
    this.#hide = options.hide;
    this.#content = options.content === true;
  }

  async all(): Promise<Span[]> {
    const { view, turns, calls, responses } = this.#session;
    const own = placeOf(view, this.#known);
    const asked = new Map(turns().map((turn) => [turn.turn_ref, this.#hide(turn)]));
    const meant = {
      responses: new Set(responses().map(({ response_id }) => response_id)),
      calls: new Set(calls().map(({ call_id }) => call_id)),
    };
    if (own.id !== null) this.#agent(own.id, own, view);
    for (const turn of asked.values()) this.#turn(turn);
    for (const [n, step] of stepsOf(await this.#session.whole()).entries()) {
      // What no turn answers for stands in the session's own span, or alone.
      const place = step.turn === null ? { trace: own.trace, parent: own.id } : turnPlace(view, step.turn);
      // Texts become parts of texts below, in which nobody would find a secret again. Names of spans are made of what was recorded.
      const shown = this.#hide(step);
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
    return { "gen_ai.conversation.id": session_id, "session.id": session_id, "daybook.project": project };
  }

  /** What was said is only written where it is asked for. */
  #texts(attributes: Attributes): Attributes {
    return this.#content ? attributes : {};
  }

  /** A session that another asked for: all of it is one agent's work. */
  #agent(
    id: string,
    { trace, parent }: Place,
    { source, role, models, started_at, ended_at, kind }: SessionView,
  ): void {
    const [model = null] = models;
    const start = timeOf(started_at) ?? 0;
    this.#push({
      ...{ trace, id, parent, name: `invoke_agent ${role ?? source}`, kind: "internal", start, error: null },
      end: timeOf(ended_at) ?? start,
      attributes: {
        ...{ "gen_ai.operation.name": "invoke_agent", "gen_ai.provider.name": providerOf(model) },
        ...{ "gen_ai.agent.name": role ?? source, "gen_ai.request.model": model, "daybook.kind": kind },
        ...{ "openinference.span.kind": "AGENT", "agent.name": role ?? source },
      },
    });
  }

  #turn(turn: TurnView): void {
    const { trigger, turn_ref, context, outcome, outcome_detail, ended_at, final_text } = turn;
    const { view } = this.#session;
    const start = timeOf(trigger.time) ?? this.#began;
    const { trace, parent: id } = turnPlace(view, turn_ref);
    this.#push({
      ...{ trace, id: id ?? "", parent: null, name: `invoke_agent ${view.source}`, kind: "internal", start },
      end: timeOf(ended_at) ?? start,
      error: outcome === "failed" ? (outcome_detail ?? "failed") : null,
      attributes: {
        ...{ "gen_ai.operation.name": "invoke_agent", "gen_ai.provider.name": providerOf(context.model) },
        ...{ "gen_ai.agent.name": view.source, "gen_ai.request.model": context.model },
        ...{ "daybook.turn": turn_ref, "daybook.outcome": outcome, "openinference.span.kind": "AGENT" },
        ...{ "agent.name": view.source, "error.type": outcome === "failed" ? "failed" : null },
        ...(trigger.time === null ? { "daybook.time_unknown": true } : {}),
        ...this.#texts({
          "gen_ai.input.messages": messages("user", trigger.text),
          "gen_ai.output.messages": final_text === "" ? null : messages("assistant", final_text, "stop"),
          ...{ "input.value": trigger.text, "output.value": final_text === "" ? null : final_text },
        }),
      },
    });
  }

  /** One span for each response that was stated; where none was, one for what the model said, by its number in the session. */
  #responses(step: Step, shown: Step, n: number | null, place: Place, meant: ReadonlySet<string>): void {
    for (const [i, { response_id }] of step.responses.entries()) {
      const response = shown.responses[i];
      const id = spanId(`${this.#key}/response/${response_id}`);
      if (response && meant.has(response_id)) this.#response(shown, id, place, response, i === 0);
    }
    if (step.responses.length === 0 && n !== null)
      this.#response(shown, spanId(`${this.#key}/step/${n}`), place, null, true);
  }

  #response(step: Step, id: string, place: Place, response: OwnedResponse | null, hasText: boolean): void {
    const model = response?.model ?? null;
    const end = timeOf(step.ended) ?? response?.time ?? this.#began;
    const parts = partsOf(step);
    this.#push({
      ...{ ...place, id, name: model === null ? "chat" : `chat ${model}`, kind: "client", error: null },
      ...{ start: Math.min(timeOf(step.asked) ?? timeOf(step.time) ?? end, end), end },
      attributes: {
        ...{ "gen_ai.operation.name": "chat", "gen_ai.provider.name": providerOf(model) },
        ...{ "gen_ai.request.model": model, "gen_ai.response.model": model, "openinference.span.kind": "LLM" },
        ...(response ? usageOf(response) : {}),
        ...(hasText && parts.length > 0
          ? this.#texts({
              "gen_ai.output.messages": JSON.stringify([{ role: "assistant", parts, finish_reason: finishOf(step) }]),
              "output.value": step.text === "" ? null : step.text,
            })
          : {}),
      },
    });
  }

  #call(call: StepCall, step: Step, id: string, place: Place): void {
    const { call_id, name, input, end } = call;
    const start = timeOf(call.started) ?? timeOf(step.time) ?? this.#began;
    const status = end?.status ?? "pending";
    const isWrong = status !== "ok" && status !== "pending";
    const output = end?.output ?? end?.error ?? null;
    const given = JSON.stringify(jsonObject(input));
    this.#push({
      ...{
        ...place,
        id: spanId(`${this.#key}/call/${call_id}`),
        name: `execute_tool ${name}`,
        kind: "internal",
        start,
      },
      end: timeOf(call.finished) ?? start + (end?.duration_ms ?? 0),
      error: isWrong ? status : null,
      attributes: {
        ...{ "gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": name, "gen_ai.tool.call.id": call_id },
        ...{ "gen_ai.tool.type": "function", "error.type": isWrong ? status : null, "daybook.status": status },
        ...{ "daybook.exit_code": end?.exit_code ?? null, "openinference.span.kind": "TOOL", "tool.name": name },
        ...this.#texts({
          ...{ "gen_ai.tool.call.arguments": given, "gen_ai.tool.call.result": output },
          ...{ "input.value": given, "tool.parameters": given, "output.value": output },
        }),
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

/** Both conventions count what was read from and written to a cache with the input. */
function usageOf(response: OwnedResponse): Attributes {
  const { response_id, cached_input_tokens, cache_write_tokens, output_tokens, reasoning_tokens, cost, model } =
    response;
  const prompt = promptTokens(response);
  return {
    ...{ "gen_ai.response.id": response_id, "gen_ai.usage.input_tokens": prompt },
    ...{ "gen_ai.usage.output_tokens": output_tokens, "gen_ai.usage.cache_read.input_tokens": cached_input_tokens },
    "gen_ai.usage.cache_creation.input_tokens": cache_write_tokens,
    "gen_ai.usage.reasoning.output_tokens": reasoning_tokens,
    ...{ "llm.model_name": model, "llm.token_count.prompt": prompt, "llm.token_count.completion": output_tokens },
    "llm.token_count.total": prompt + output_tokens,
    "llm.token_count.prompt_details.cache_read": cached_input_tokens,
    "llm.token_count.prompt_details.cache_write": cache_write_tokens,
    "llm.token_count.completion_details.reasoning": reasoning_tokens,
    "llm.cost.total": usd(cost),
    "daybook.cost_picousd": cost === null ? null : picoUsd(cost),
  };
}

function messages(role: "user" | "assistant", content: string, finish?: string): string {
  const parts = [{ type: "text", content }];
  return JSON.stringify([{ role, parts, ...(finish === undefined ? {} : { finish_reason: finish }) }]);
}

function partsOf({ reasoning, text, calls }: Step): object[] {
  return [
    ...(reasoning === "" ? [] : [{ type: "reasoning", content: reasoning }]),
    ...(text === "" ? [] : [{ type: "text", content: text }]),
    ...calls.map(({ call_id, name, input }) => ({
      type: "tool_call",
      id: call_id,
      name,
      arguments: jsonObject(input),
    })),
  ];
}

function finishOf({ calls }: Step): string {
  return calls.length > 0 ? "tool_call" : "stop";
}

function turnPlace(view: SessionView, ref: string): Place {
  const name = `${sessionKey(view)}/${ref}`;
  return { trace: traceId(name), parent: spanId(name) };
}

/**
 * Where a session stands: in the trace of the turn that caused it, with a span of its own; else in a trace of its own, where only what no
 * turn answers for is.
 */
function placeOf(
  view: SessionView,
  known: ReadonlyMap<string, SessionView>,
  seen: ReadonlySet<string> = new Set(),
): Place & { id: string | null } {
  const key = sessionKey(view);
  const alone = { trace: traceId(key), parent: null, id: null };
  if (view.parent === null || seen.has(key)) return alone;
  const id = spanId(key);
  const parent = sessionKey(view.parent);
  if (view.parent_turn !== null) {
    const name = `${parent}/${view.parent_turn}`;
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
