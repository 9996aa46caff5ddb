import { inside } from "../../../answers/daybook.ts";
import type { SessionNaming } from "../../../answers/lists.ts";
import { turns as question } from "../../../answers/questions/lists.ts";
import { askedLine } from "../../../base/text/asked-line.ts";
import { oneLine } from "../../../base/text/inert.ts";
import { cost, duration, plural, shortNumber } from "../../../base/text/units.ts";
import type { Zone } from "../../../base/time/zone.ts";
import type { ShownOutcome } from "../../../answers/shown-outcomes.ts";
import { marksInBrief } from "../../../views/marks.ts";
import { OUTCOME_WORDS, outcomeText } from "../../../views/outcome-words.ts";
import type { TurnView } from "../../../views/turn-view.ts";
import { printJson } from "../json.ts";
import { flow, NOT_PUSHED, tally } from "../layout.ts";
import { openDaybook, ownLeftOut, totalOf } from "../open-daybook.ts";
import { type CommonFlags, questionCommand } from "../options.ts";
import type { Paint } from "../output.ts";
import type { Register } from "../flags.ts";

export const turns: Register = (program, io, exit) => {
  questionCommand(program, question, { isOfStore: true })
    .addHelpText("after", "\nExamples:\n  daybook turns --since yesterday\n  daybook turns --session 019e2f1c --json")
    .action(async (flags: CommonFlags) => {
      const opened = openDaybook(io, flags, { question });
      const { daybook, query, json } = opened;
      const texts = json ? await inside(daybook).turnTexts(query) : [];
      const list = json ? [] : opened.hide(await daybook.turns(opened.listQuery));
      const total = json ? 0 : await totalOf(opened, list.length, () => inside(daybook).count("turns", query));
      const leftOut = json ? "" : await ownLeftOut(opened, "turns");
      const naming = await inside(daybook).naming(list);
      const shown = await inside(daybook).shownOutcomes(list);
      const empty = (json ? texts : list).length === 0 ? await opened.emptyText("requests") : null;
      const not_pushed = (await inside(daybook).notPushed()) ?? undefined;
      const code = await opened.done();
      if (json) printJson(io, { schema_version: 1, turns: opened.hideTexts(texts), not_pushed });
      else if (empty !== null) io.out(`${empty}\n`);
      else io.out(turnList(list, { total, leftOut, naming, shown }, daybook.zone, opened.paint, io.columns));
      exit(code);
    });
};

/** Turns grouped by day and session, two lines each: the request, then what it caused. */
function turnList(
  turns: readonly TurnView[],
  { total, leftOut, naming, shown }: { total: number; leftOut: string; naming: SessionNaming; shown: ShownOutcome[] },
  zone: Zone,
  paint: Paint,
  width: number,
): string {
  const colour: Record<ShownOutcome, (s: string) => string> = {
    completed: paint.green,
    unproven: paint.yellow,
    aborted: paint.yellow,
    failed: paint.red,
    open: paint.blue,
  };
  const lines: string[] = [];
  let day = "";
  let session = "";
  for (const [i, turn] of turns.entries()) {
    const ended = shown[i] ?? turn.outcome;
    const at = turn.trigger.time === null ? null : zone.clock(Date.parse(turn.trigger.time));
    const thisDay = at?.slice(0, 10) ?? "no date";
    if (thisDay !== day) {
      lines.push(`${lines.length > 0 ? "\n" : ""}${paint.bold(thisDay)}`);
      day = thisDay;
      session = "";
    }
    if (turn.session_id !== session) {
      session = turn.session_id;
      lines.push(...flow([turn.project, turn.source, naming(turn)], width - 2).map((line) => paint.dim(`  ${line}`)));
    }
    const mark = colour[ended](OUTCOME_WORDS[ended].sign);
    const kind = turn.trigger.kind === "prompt" ? "" : paint.magenta(`[${turn.trigger.kind}] `);
    const room = Math.max(20, width - 18 - (turn.trigger.kind === "prompt" ? 0 : turn.trigger.kind.length + 3));
    const asked = turn.trigger.text === null ? NOT_PUSHED : oneLine(askedLine(turn.trigger.text), room);
    lines.push(`  ${mark} ${at?.slice(11, 16) ?? "--:--"} ${turn.turn_ref} ${kind}${asked}`);
    lines.push(...flow(facts(turn, ended), width - INDENT).map((line) => paint.dim(" ".repeat(INDENT) + line)));
  }
  return `${lines.join("\n")}\n\n${paint.dim(tally(turns.length, total, "request", leftOut))}\n`;
}

/** Aligns the facts with the text of the request. */
const INDENT = 12;

function facts(turn: TurnView, ended: ShownOutcome): string[] {
  const { tools, usage_with_children: usage } = turn;
  const parts: string[] = marksInBrief(turn.marks);
  if (ended !== "completed") parts.push(outcomeText(ended).slice(2));
  if (turn.taken_back) parts.push(turn.taken_back.replace("_", " "));
  if (turn.duration_ms !== null) parts.push(duration(turn.duration_ms));
  if (tools.total > 0) parts.push(plural(tools.total, "tool"));
  for (const status of ["failed", "denied", "interrupted", "pending"] as const) {
    if (tools[status] > 0) parts.push(`${tools[status]} ${status}`);
  }
  if (turn.files && turn.files.length > 0) parts.push(plural(turn.files.length, "file"));
  if (turn.children && turn.children.length > 0) parts.push(plural(turn.children.length, "child session"));
  if (usage.output_tokens > 0) parts.push(`${shortNumber(usage.output_tokens)} out`, cost(usage));
  if (turn.start_line !== null) parts.push(`lines ${turn.start_line}–${turn.end_line}`);
  return parts;
}
