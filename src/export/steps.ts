import type { CountedResponse } from "../views/response.ts";
import type { ExportedWhole } from "../answers/daybook.ts";
import type { LogRecord, SessionRef, ToolFinishedBody } from "../record/record.ts";
import { saidIn } from "../record/review-text.ts";

/**
 * What was said or done at one point of a session: by the user, by the agent's program, or by the model in one
 * response.
 */
export interface Step {
  by: "user" | "system" | "agent";
  /** When the model was prompted for it, as far as recorded; only for the agent. */
  asked: string | null;
  time: string | null;
  ended: string | null;
  turn: string | null;
  line: number | null;
  text: string;
  reasoning: string;
  calls: StepCall[];
  /** Responses counted and stated here. */
  responses: CountedResponse[];
  /** For steps nobody said anything in: their reason. */
  event: string | null;
}

/** The exported part of a settlement. */
type CallEnd = Pick<ToolFinishedBody, "status" | "exit_code" | "duration_ms" | "output" | "error">;

export interface StepCall {
  call_id: string;
  name: string;
  input: unknown;
  parent_call_id: string | null;
  started: string | null;
  finished: string | null;
  /** How it ended; null if that is not recorded. */
  end: CallEnd | null;
  /** Sessions it started. */
  children: SessionRef[];
}

/**
 * The records of a session as steps. What a model said between two inputs is one step, with its calls and all
 * responses stated there; results belong to the step of the call, however late they come. Every response of the
 * session is in exactly one step.
 */
export function stepsOf({ records, responses }: Pick<ExportedWhole, "records" | "responses">): Step[] {
  const steps = new Steps(responses);
  for (const record of records) steps.add(record);
  return steps.finish();
}

class Steps {
  readonly #steps: Step[] = [];
  readonly #calls = new Map<string, StepCall>();
  readonly #left: Map<string, CountedResponse>;
  /** The current step of the agent. */
  #agent: Step | null = null;
  /** The last agent step: usage is stated late. */
  #last: Step | null = null;
  /** When the model was last given an input. */
  #lastInputAt: string | null = null;

  constructor(responses: ReadonlyMap<string, CountedResponse>) {
    this.#left = new Map(responses);
  }

  add(record: LogRecord): void {
    switch (record.type) {
      case "user":
        this.#addInput(record, record.author === "source" ? "system" : "user", record.text);
        return;
      case "assistant_finished":
        if (saidIn(record) !== "") this.#extend(record, (step) => (step.text = joined(step.text, saidIn(record))));
        return;
      case "reasoning_finished":
        if (record.text !== "") this.#extend(record, (step) => (step.reasoning = joined(step.reasoning, record.text)));
        return;
      case "tool_started":
        this.#extend(record, (step) => this.#begin(record, step));
        return;
      case "tool_finished":
        this.#end(record);
        return;
      case "usage":
        this.#count(record);
        return;
      case "child_linked":
        this.#link(record);
        return;
      case "compacted":
        this.#addInput(record, "system", record.summary ?? "", "compacted");
        return;
      case "failed":
        this.#addInput(record, "system", record.message, "failed");
        return;
      case "cancelled":
        this.#addInput(record, "system", "", `cancelled: ${record.reason}`);
        return;
      default:
        return;
    }
  }

  finish(): Step[] {
    // Responses that no record states are added to the last step.
    for (const response of this.#left.values()) (this.#last ?? this.#fresh("agent", null)).responses.push(response);
    return this.#steps;
  }

  #fresh(by: Step["by"], record: LogRecord | null, event: string | null = null): Step {
    const time = record?.time ?? null;
    const step: Step = {
      by,
      asked: by === "agent" ? this.#lastInputAt : null,
      time,
      ended: time,
      turn: record?.turn_id ?? null,
      line: record?.origin.line ?? record?.origin.row ?? null,
      text: "",
      reasoning: "",
      calls: [],
      responses: [],
      event,
    };
    this.#steps.push(step);
    if (by === "agent") this.#last = step;
    return step;
  }

  #addInput(record: LogRecord, by: "user" | "system", text: string, event: string | null = null): void {
    this.#fresh(by, record, event).text = text;
    this.#noteInput(record);
  }

  #noteInput(record: LogRecord): void {
    this.#agent = null;
    this.#lastInputAt = record.time ?? this.#lastInputAt;
  }

  #extend(record: LogRecord, change: (step: Step) => void): void {
    const turn = record.turn_id ?? null;
    if (this.#agent?.turn !== turn) this.#agent = null;
    const step = (this.#agent ??= this.#fresh("agent", record));
    step.ended = record.time ?? step.ended;
    change(step);
  }

  #begin(record: LogRecord & { type: "tool_started" }, step: Step): void {
    const { call_id, name, input, parent_call_id = null } = record;
    const call = {
      call_id,
      name,
      input,
      parent_call_id,
      started: record.time,
      finished: null,
      end: null,
      children: [],
    };
    this.#calls.set(call_id, call);
    step.calls.push(call);
  }

  #end(record: LogRecord & { type: "tool_finished" }): void {
    const call = this.#calls.get(record.call_id);
    if (call) {
      // The last settlement wins; one without output keeps the output of an earlier one.
      const { status, exit_code, duration_ms, error = null } = record;
      call.end = { status, exit_code, duration_ms, error, output: record.output ?? call.end?.output ?? null };
      call.finished = record.time ?? call.finished;
    }
    this.#noteInput(record);
  }

  #count(record: LogRecord & { type: "usage" }): void {
    const response = this.#left.get(record.response_id);
    if (!response) return;
    this.#left.delete(record.response_id);
    const turn = record.turn_id ?? null;
    const step = this.#agent ?? (this.#last?.turn === turn ? this.#last : this.#fresh("agent", record));
    step.responses.push(response);
    if (step === this.#agent) step.ended = record.time ?? step.ended;
  }

  #link({ call_id, child }: LogRecord & { type: "child_linked" }): void {
    const call = call_id === undefined || call_id === null ? undefined : this.#calls.get(call_id);
    const isKnown = call?.children.some((one) => one.source === child.source && one.session_id === child.session_id);
    if (call && isKnown !== true) call.children.push({ source: child.source, session_id: child.session_id });
  }
}

function joined(before: string, text: string): string {
  return before === "" ? text : `${before}\n\n${text}`;
}
