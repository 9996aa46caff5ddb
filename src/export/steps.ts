import type { OwnedResponse } from "../answers/usage-response.ts";
import type { WholeSession } from "../daybook.ts";
import type { LogRecord, SessionRef, ToolFinishedBody } from "../format/record.ts";

/** What was said or done at one point of a session: by the user, by the agent's program, or by the model in one go. */
export interface Step {
  by: "user" | "system" | "agent";
  /** When the model was asked for it, as far as records say; only of the agent. */
  asked: string | null;
  time: string | null;
  ended: string | null;
  turn: string | null;
  line: number | null;
  text: string;
  reasoning: string;
  calls: StepCall[];
  /** Responses that count and were stated here. */
  responses: OwnedResponse[];
  /** For what nobody said: why it stands here. */
  event: string | null;
}

/** As much of it as is written anywhere. */
type CallEnd = Pick<ToolFinishedBody, "status" | "exit_code" | "duration_ms" | "output" | "error">;

export interface StepCall {
  call_id: string;
  name: string;
  input: unknown;
  parent_call_id: string | null;
  started: string | null;
  finished: string | null;
  /** How it ended; null while nothing says so. */
  end: CallEnd | null;
  /** Sessions it began. */
  children: SessionRef[];
}

/**
 * The records of a session as steps. What a model said between two things it was given is one step, with the calls it asked for and all
 * responses stated there; results belong to the step that asked, however late they came. Every response of the session is in one step.
 */
export function stepsOf({ records, responses }: Pick<WholeSession, "records" | "responses">): Step[] {
  const steps = new Steps(responses);
  for (const record of records) steps.add(record);
  return steps.finish();
}

class Steps {
  readonly #steps: Step[] = [];
  readonly #calls = new Map<string, StepCall>();
  readonly #left: Map<string, OwnedResponse>;
  /** The step of the agent that is under way. */
  #agent: Step | null = null;
  /** The last that was under way: usage is stated late. */
  #last: Step | null = null;
  /** When something was last given to the model. */
  #given: string | null = null;

  constructor(responses: ReadonlyMap<string, OwnedResponse>) {
    this.#left = new Map(responses);
  }

  add(record: LogRecord): void {
    switch (record.type) {
      case "user":
        this.#other(record, record.author === "source" ? "system" : "user", record.text);
        return;
      case "assistant_finished":
        if (record.text !== "") this.#extend(record, (step) => (step.text = joined(step.text, record.text)));
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
        this.#other(record, "system", record.summary ?? "", "compacted");
        return;
      case "failed":
        this.#other(record, "system", record.message, "failed");
        return;
      case "cancelled":
        this.#other(record, "system", "", `cancelled: ${record.reason}`);
        return;
      default:
        return;
    }
  }

  finish(): Step[] {
    // What is stated in no record of its own, at the end.
    for (const response of this.#left.values()) (this.#last ?? this.#fresh("agent", null)).responses.push(response);
    return this.#steps;
  }

  #fresh(by: Step["by"], record: LogRecord | null, event: string | null = null): Step {
    const time = record?.time ?? null;
    const step: Step = {
      ...{ by, asked: by === "agent" ? this.#given : null, time, ended: time, turn: record?.turn_id ?? null },
      ...{
        line: record?.origin.line ?? record?.origin.row ?? null,
        text: "",
        reasoning: "",
        calls: [],
        responses: [],
        event,
      },
    };
    this.#steps.push(step);
    if (by === "agent") this.#last = step;
    return step;
  }

  #other(record: LogRecord, by: "user" | "system", text: string, event: string | null = null): void {
    this.#fresh(by, record, event).text = text;
    this.#give(record);
  }

  #give(record: LogRecord): void {
    this.#agent = null;
    this.#given = record.time ?? this.#given;
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
      // The latest holds; one that says less of the output leaves what was said before.
      const { status, exit_code, duration_ms, error = null } = record;
      call.end = { status, exit_code, duration_ms, error, output: record.output ?? call.end?.output ?? null };
      call.finished = record.time ?? call.finished;
    }
    this.#give(record);
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
