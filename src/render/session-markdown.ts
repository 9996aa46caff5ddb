import type { Marks } from "../views/marks.ts";
import type { SessionView } from "../views/session-view.ts";
import type { TurnView } from "../views/turn-view.ts";
import type { LogRecord } from "../record/record.ts";
import type { ShownOutcome } from "../answers/shown-outcomes.ts";
import { outcomeText } from "../views/outcome-words.ts";
import { plain } from "../base/text/inert.ts";
import { cost, groupDigits, plural, shortNumber } from "../base/text/units.ts";
import { groupBy } from "../base/maps.ts";
import { literal } from "./markdown.ts";
import { endWords, expectedExits, marksShown, transcriptOf } from "./transcript.ts";

/** Turns, and in the same order how each is shown. */
export interface ShownTurns {
  turns: readonly TurnView[];
  shown: readonly ShownOutcome[];
}

/** Session text is quoted line by line inside fences longer than any it holds, so nothing in it can act as markup. */
export function renderSessionMarkdown(
  session: SessionView,
  { turns, shown }: ShownTurns,
  records: readonly LogRecord[],
): string {
  const byTurn = groupBy(transcriptOf(turns, records), ({ turn_ref }) => turn_ref);
  const out: string[] = [
    `# ${literal(session.title ?? session.session_id)}`,
    "",
    `${session.source} · ${literal(session.project)} · ${sessionTotals(session, turns, records).join(" · ")}`,
    ...markBlocks(session.marks),
  ];
  for (const [i, turn] of turns.entries()) {
    out.push(
      "",
      `## ${turn.turn_ref} · ${turn.trigger.time ?? "no time"} · ${outcomeText(shown[i] ?? turn.outcome)} · lines ${turn.start_line}–${turn.end_line}`,
      ...markBlocks(turn.marks),
      "",
      fence(turn.trigger.text ?? ""),
    );
    for (const { origin, said, end } of byTurn.get(turn.turn_ref) ?? []) {
      if (said?.kind === "agent") out.push("", `Agent (line ${origin.line ?? ""}):`, "", fence(said.text));
      if (said?.kind === "call")
        out.push(
          "",
          `Tool ${literal(said.name)} (line ${origin.line ?? ""}, ${endWords(end)}):`,
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
    ...(signs.length === 0 ? [] : ["", signs.map(literal).join(" · ")]),
    ...notes.flatMap(({ text, time }) => ["", `Note (${time.slice(0, 10)}):`, "", fence(text)]),
  ];
}

function fence(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map((run) => run[0].length));
  const ticks = "`".repeat(longest + 1);
  return `${ticks}text\n${plain(text)}\n${ticks}`;
}

/** The totals of a session, or of the part of it that is shown, in words. */
export function sessionTotals(
  session: SessionView,
  turns: readonly TurnView[],
  records: readonly LogRecord[],
): string[] {
  const [only] = turns;
  const isPart = turns.length === 1 && only !== undefined && session.turns > 1;
  const { tools, usage } = isPart ? only : session;
  const unexpected = tools.failed - expectedExits(records).size;
  const failed = unexpected > 0 ? `, ${groupDigits(unexpected)} failed` : "";
  const of = isPart ? `1 of ${plural(session.turns, "request")}` : plural(session.turns, "request");
  const output = `${shortNumber(usage.output_tokens)} output tokens`;
  return [of, `${plural(tools.total, "tool call")}${failed}`, output, cost(usage)];
}
