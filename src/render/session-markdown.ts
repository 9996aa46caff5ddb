import { marksInBrief, type Marks } from "../views/marks.ts";
import type { SessionView } from "../views/session-view.ts";
import type { TurnView } from "../views/turn-view.ts";
import type { LogRecord, ToolFinishedBody } from "../record/record.ts";
import { saidIn } from "../record/review-text.ts";
import { plain } from "../base/text/inert.ts";
import { inputSummary } from "../base/text/input-summary.ts";
import { cost, groupDigits, plural, shortNumber } from "../base/text/units.ts";

/** Session text is quoted line by line inside fences longer than any it holds, so nothing in it can act as markup. */
export function renderSessionMarkdown(
  session: SessionView,
  turns: readonly TurnView[],
  records: readonly LogRecord[],
): string {
  const settled = new Map<string, ToolFinishedBody>();
  const byTurn = new Map<string, LogRecord[]>();
  for (const record of records) {
    if (record.type === "tool_finished") settled.set(record.call_id, record);
    const { turn_id } = record;
    if (turn_id === undefined) continue;
    const own = byTurn.get(turn_id);
    if (own) own.push(record);
    else byTurn.set(turn_id, [record]);
  }
  const out: string[] = [
    `# ${escapeMarkdown(session.title ?? session.session_id)}`,
    "",
    `${session.source} · ${escapeMarkdown(session.project)} · ${sessionTotals(session).join(" · ")}`,
    ...markBlocks(session.marks),
  ];
  for (const turn of turns) {
    out.push(
      "",
      `## ${turn.turn_ref} · ${turn.trigger.time ?? "no time"} · ${turn.outcome} · lines ${turn.start_line}–${turn.end_line}`,
      ...markBlocks(turn.marks),
      "",
      fence(turn.trigger.text ?? ""),
    );
    for (const record of byTurn.get(turn.turn_ref) ?? []) {
      if (record.type === "assistant_finished" && saidIn(record) !== "")
        out.push("", `Agent (line ${record.origin.line ?? ""}):`, "", fence(saidIn(record)));
      if (record.type === "tool_started") {
        const end = settled.get(record.call_id);
        const status = end?.status ?? "pending";
        out.push(
          "",
          `Tool ${escapeMarkdown(record.name)} (line ${record.origin.line ?? ""}, ${status}):`,
          "",
          fence(inputSummary(record.input)),
        );
      }
    }
  }
  return `${out.join("\n")}\n`;
}

function markBlocks(marks: Marks | null): string[] {
  if (!marks) return [];
  const signs = marksInBrief({ ...marks, notes: [] });
  return [
    ...(signs.length === 0 ? [] : ["", signs.map(escapeMarkdown).join(" · ")]),
    ...marks.notes.flatMap(({ text, time }) => ["", `Note (${time.slice(0, 10)}):`, "", fence(text)]),
  ];
}

function fence(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map((run) => run[0].length));
  const ticks = "`".repeat(longest + 1);
  return `${ticks}text\n${plain(text)}\n${ticks}`;
}

export function escapeMarkdown(text: string): string {
  return plain(text)
    .replace(/\s+/g, " ")
    .replace(/[\\`*_{}[\]()#+\-.!|<>~&]/g, (c) => `\\${c}`);
}

/** The totals of a session, in words. */
export function sessionTotals({ turns, tools, usage }: SessionView): string[] {
  const failed = tools.failed > 0 ? `, ${groupDigits(tools.failed)} failed` : "";
  const output = `${shortNumber(usage.output_tokens)} output tokens`;
  return [plural(turns, "turn"), `${plural(tools.total, "tool call")}${failed}`, output, cost(usage)];
}
