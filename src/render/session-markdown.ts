import type { Marks } from "../views/marks.ts";
import type { SessionView } from "../views/session-view.ts";
import type { TurnView } from "../views/turn-view.ts";
import type { LogRecord } from "../record/record.ts";
import { plain } from "../base/text/inert.ts";
import { cost, groupDigits, plural, shortNumber } from "../base/text/units.ts";
import { groupBy } from "../base/maps.ts";
import { marksShown, transcriptOf } from "./transcript.ts";

/** Session text is quoted line by line inside fences longer than any it holds, so nothing in it can act as markup. */
export function renderSessionMarkdown(
  session: SessionView,
  turns: readonly TurnView[],
  records: readonly LogRecord[],
): string {
  const byTurn = groupBy(transcriptOf(turns, records), ({ turn_ref }) => turn_ref);
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
    for (const { origin, said, end } of byTurn.get(turn.turn_ref) ?? []) {
      if (said?.kind === "agent") out.push("", `Agent (line ${origin.line ?? ""}):`, "", fence(said.text));
      if (said?.kind === "call")
        out.push(
          "",
          `Tool ${escapeMarkdown(said.name)} (line ${origin.line ?? ""}, ${end?.status ?? "pending"}):`,
          "",
          fence(said.input),
        );
    }
  }
  return `${out.join("\n")}\n`;
}

function markBlocks(marks: Marks | null): string[] {
  const { signs, notes } = marksShown(marks);
  return [
    ...(signs.length === 0 ? [] : ["", signs.map(escapeMarkdown).join(" · ")]),
    ...notes.flatMap(({ text, time }) => ["", `Note (${time.slice(0, 10)}):`, "", fence(text)]),
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
