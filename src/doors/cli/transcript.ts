import { marksInBrief, type Marks } from "../../views/marks.ts";
import type { LogRecord } from "../../record/record.ts";
import { saidIn } from "../../record/review-text.ts";
import type { Zone } from "../../base/time/zone.ts";
import type { SessionView } from "../../views/session-view.ts";
import type { TurnView } from "../../views/turn-view.ts";
import { askedLine } from "../../base/text/asked-line.ts";
import { oneLine, plain } from "../../base/text/inert.ts";
import { flow, NOT_PUSHED, wrapLines } from "./layout.ts";
import type { Paint } from "./output.ts";
import { inputSummary } from "../../base/text/input-summary.ts";
import { sessionTotals } from "../../render/session-markdown.ts";

/** A readable transcript: who said what, what was run and how it ended, each with its line number. */
export function renderTerminal(
  session: SessionView,
  turns: readonly TurnView[],
  records: readonly LogRecord[],
  zone: Zone,
  paint: Paint,
  width: number,
): string {
  const out: string[] = [
    paint.bold(oneLine(askedLine(session.title ?? session.session_id), width)),
    ...flow([`${session.source} ${session.agent_version ?? ""}`.trim(), session.project], width).map(paint.dim),
    paint.dim(plain(session.session_path ?? NOT_PUSHED)),
    ...flow(sessionTotals(session), width).map(paint.dim),
    ...markLines(session.marks, zone, width).map(paint.yellow),
  ];
  const byRef = new Map(turns.map((turn) => [turn.turn_ref, turn]));
  const settled = settlements(records);
  let current: string | null = null;
  for (const record of records) {
    const ref = record.turn_id ?? null;
    if (ref !== null && ref !== current) {
      current = ref;
      const turn = byRef.get(ref);
      const at = turn?.trigger.time ? zone.clock(Date.parse(turn.trigger.time)) : "";
      out.push(
        "",
        paint.bold(`── ${ref}  ${at}  ${turn?.outcome ?? ""}${turn?.taken_back ? `, ${turn.taken_back}` : ""}`),
        ...markLines(turn?.marks ?? null, zone, width).map(paint.yellow),
      );
    }
    const line = paint.dim(`${String(record.origin.line ?? record.origin.row ?? "").padStart(6)} `);
    const text = terminalBody(record, settled, paint, width - INDENT);
    if (text !== null) out.push(indent(line, text));
  }
  return `${out.join("\n")}\n`;
}

/** Star and labels on one line, notes below with the day they were written. */
function markLines(marks: Marks | null, zone: Zone, width: number): string[] {
  if (!marks) return [];
  return [
    ...flow(marksInBrief({ ...marks, notes: [] }), width),
    ...marks.notes.flatMap(({ text, time }) => wrapLines(`✎ ${zone.day(Date.parse(time))} ${text}`, width)),
  ];
}

/** Width of the line number and the speaker. */
const INDENT = 14;

function terminalBody(
  record: LogRecord,
  settled: ReadonlyMap<string, LogRecord>,
  paint: Paint,
  width: number,
): string | null {
  switch (record.type) {
    case "user":
      if (record.author === "human")
        return paint.bold(paint.cyan("human  ")) + wrapLines(record.text, width).join("\n");
      return paint.dim(`${record.author.padEnd(7)}${oneLine(record.text, width)}`);
    case "assistant_finished":
      return saidIn(record) === "" ? null : paint.green("agent  ") + wrapLines(saidIn(record), width).join("\n");
    case "reasoning_finished":
      return record.text === "" ? null : paint.dim(`thinks ${oneLine(record.text, width)}`);
    case "tool_started": {
      const end = settled.get(record.call_id);
      const status = end?.type === "tool_finished" ? end.status : "pending";
      const code = end?.type === "tool_finished" && end.exit_code !== null ? ` exit ${end.exit_code}` : "";
      const colour = status === "ok" ? paint.green : status === "failed" ? paint.red : paint.yellow;
      return `${paint.yellow("tool   ")}${oneLine(`${record.name} ${inputSummary(record.input)}`, Math.max(20, width - status.length - code.length - 3))} ${colour(`[${status}${code}]`)}`;
    }
    case "failed":
      return paint.red(`failed ${oneLine(record.message, width)}`);
    case "cancelled":
      return paint.yellow(`stopped: ${record.reason}`);
    case "compacted":
      return paint.magenta(`context compacted (${record.trigger})`);
    case "child_linked":
      return paint.magenta(`${record.relation} ${record.phase}: ${record.child.source} ${record.child.session_id}`);
    case "unreadable":
      return paint.red(`unreadable: ${record.reason} (${record.bytes} bytes)`);
    default:
      return null;
  }
}

function indent(head: string, text: string): string {
  return head + text.split("\n").join(`\n${" ".repeat(INDENT)}`);
}

function settlements(records: readonly LogRecord[]): Map<string, LogRecord> {
  const map = new Map<string, LogRecord>();
  for (const record of records) if (record.type === "tool_finished") map.set(record.call_id, record);
  return map;
}
