import { briefsIn } from "../decisions/brief.ts";
import { deniedByHuman, isAskingTool } from "../decisions/structured.ts";
import type { RecordBody, SourceId } from "../log/record.ts";
import type { QuestionTrace, ToolCall } from "./model.ts";

/**
 * Keeps the few records of a file by which questions to the human are told, so that a turn can name its decisions without
 * its records being read again.
 */
export class QuestionLedger {
  readonly traces: QuestionTrace[] = [];
  readonly #source: SourceId;
  readonly #calls = new Set<string>();

  constructor(source: SourceId, saved: readonly QuestionTrace[] = []) {
    this.#source = source;
    for (const trace of saved) this.#keep(trace);
  }

  /** `callOf` finds a call that has started: a refusal turns it into a question after the fact. */
  take(body: RecordBody, place: Omit<QuestionTrace, "body">, callOf: (id: string) => ToolCall | null): void {
    switch (body.type) {
      case "assistant_finished":
        if (briefsIn(body.text).length > 0) this.#keep({ ...place, body });
        return;
      case "tool_started":
        if (isAskingTool(body.name)) this.#keep({ ...place, body });
        return;
      case "tool_finished": {
        const known = this.#calls.has(body.call_id);
        const call = !known && deniedByHuman(body, this.#source) ? callOf(body.call_id) : null;
        if (call) {
          const { call_id, name, start_line: line, turn } = call;
          this.#keep({ line, time: call.started_at, turn, body: { type: "tool_started", call_id, name, input: null } });
        }
        if (known || call) this.#keep({ ...place, body });
        return;
      }
      case "cancelled":
        if (body.reason === "rolled_back" || body.reason === "rewound") this.#keep({ ...place, body });
        return;
      default:
    }
  }

  #keep(trace: QuestionTrace): void {
    this.traces.push(trace);
    if (trace.body.type === "tool_started") this.#calls.add(trace.body.call_id);
  }
}
