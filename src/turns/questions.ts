import { briefsIn } from "../decisions/brief.ts";
import { deniedByHuman, isAskingTool } from "../decisions/structured.ts";
import type { RecordBody, SourceId } from "../format/record.ts";
import type { QuestionTrace, ToolCall } from "./model.ts";
import type { Slices } from "./slices.ts";

/**
 * Keeps the few records of a file by which questions to the human are known, so that a turn can name its decisions without
 * its records being read again.
 */
export class QuestionLedger {
  readonly traces: Slices<QuestionTrace>;
  readonly #source: SourceId;

  constructor(source: SourceId, traces: Slices<QuestionTrace>) {
    this.#source = source;
    this.traces = traces;
  }

  /** `callOf` finds a call that has started: a refusal turns it into a question after the fact. */
  take(body: RecordBody, place: Omit<QuestionTrace, "body">, callOf: (id: string) => ToolCall | null): void {
    switch (body.type) {
      case "assistant_finished":
        if (briefsIn(body.text).length > 0) this.traces.push({ ...place, body });
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

/** Calls that ask are known by their ids, so that what settles them is kept as well. */
export function askingCall({ body }: QuestionTrace): string | null {
  return body.type === "tool_started" ? body.call_id : null;
}
