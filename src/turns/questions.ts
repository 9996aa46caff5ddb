import { briefsIn } from "./decisions/brief.ts";
import { deniedByHuman, isAskingTool } from "./decisions/structured.ts";
import type { RecordBody, SourceId } from "../record/record.ts";
import type { QuestionTrace, ToolCall } from "./model.ts";
import type { Slices } from "./slices.ts";

/**
 * Keeps the few records of a file that ask the human something or settle such a question, so that the decisions of a
 * turn can be listed without reading its records again.
 */
export class QuestionLedger {
  readonly traces: Slices<QuestionTrace>;
  readonly #source: SourceId;

  constructor(source: SourceId, traces: Slices<QuestionTrace>) {
    this.#source = source;
    this.traces = traces;
  }

  /** `callOf` finds a call that has started: if the human refuses it, it becomes a question after the fact. */
  take(body: RecordBody, place: Omit<QuestionTrace, "body">, callOf: (id: string) => ToolCall | null): void {
    switch (body.type) {
      case "assistant_finished":
        if (typeof body.plan === "string" || briefsIn(body.text).length > 0) this.traces.push({ ...place, body });
        return;
      case "tool_started":
        if (isAskingTool(body.name)) this.traces.push({ ...place, body });
        return;
      case "tool_finished": {
        const known = this.traces.find(body.call_id) !== undefined;
        const call = !known && deniedByHuman(body, this.#source) ? callOf(body.call_id) : null;
        if (call) {
          const { call_id, name, start_line: line, turn } = call;
          this.traces.push({
            line,
            time: call.started_at,
            turn,
            body: { type: "tool_started", call_id, name, input: null },
          });
        }
        if (known || call) this.traces.push({ ...place, body });
        return;
      }
      case "cancelled":
        if (body.reason === "rolled_back" || body.reason === "rewound") this.traces.push({ ...place, body });
        return;
      default:
    }
  }
}

/** Asking calls are indexed by call id, so that the record settling one is found and kept as well. */
export function askingCallId({ body }: QuestionTrace): string | null {
  return body.type === "tool_started" ? body.call_id : null;
}
