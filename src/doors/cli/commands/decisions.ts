import type { DecisionView } from "../../../views/decision-view.ts";
import type { DecisionsAnswer } from "../../../answers/json.ts";
import { printJson } from "../json.ts";
import { flow, tally } from "../layout.ts";
import { decisions as question } from "../../../answers/questions/days.ts";
import { openDaybook, questionCommand, type CommonFlags, type OpenedDaybook } from "../options.ts";
import type { Paint } from "../paint.ts";
import type { Register } from "../register.ts";
import { warnHeaderless } from "../headerless.ts";
import { groupDigits, NOT_PUSHED, oneLine } from "../text.ts";
import { unknownValueError } from "../usage-errors.ts";
import { checkCommand } from "./decisions/check.ts";
import { distillCommand } from "./decisions/distill.ts";
import { exportCommand } from "./decisions/export.ts";
import { hookCommand } from "./decisions/hook.ts";
import { preferCommand } from "./decisions/prefer.ts";
import { statsCommand } from "./decisions/stats.ts";

export const decisions: Register = (program, io, exit) => {
  const command = questionCommand(program, question, { isOfStore: true })
    .description("list the questions agents put to you, with your answers; learn from them")
    .argument("[action]", "one of the commands below")
    .enablePositionalOptions()
    .helpCommand(false)
    .addHelpText(
      "after",
      "\nExamples:\n  daybook decisions --since 7d\n  daybook decisions --unanswered --json\n  daybook decisions stats",
    )
    .action(async (action: string | undefined, flags: CommonFlags) => {
      if (action !== undefined)
        throw unknownValueError(
          "action",
          action,
          command.commands.map((one) => one.name()),
        );
      const opened = openDaybook(io, flags, { question });
      // All decisions are read even when only some are listed: the limit keeps the newest.
      const limit = opened.json ? opened.query.limit : undefined;
      const query = { ...opened.query, limit };
      const list = opened.hide(await opened.daybook.decisions(query));
      const empty = list.length === 0 ? await opened.emptyText("decisions") : null;
      if (opened.json) printJson(io, { schema_version: 1, decisions: list } satisfies DecisionsAnswer);
      else if (empty !== null) io.out(`${empty}\n`);
      else io.out(decisionList(list, opened, io.columns));
      await warnHeaderless(io, opened, flags, list);
      exit(await opened.done());
    });
  for (const add of [statsCommand, preferCommand, checkCommand, distillCommand, hookCommand, exportCommand])
    add(command, io, exit);
};

/**
 * Grouped by day and session: the question, its options with the chosen one marked, how it was settled and its lines.
 */
function decisionList(
  all: readonly DecisionView[],
  { daybook, paint, listQuery }: OpenedDaybook,
  width: number,
): string {
  const list = listQuery.limit === undefined ? all : all.slice(-listQuery.limit);
  const lines: string[] = [];
  let day = "";
  let session = "";
  for (const decision of list) {
    const at = decision.time === null ? null : daybook.zone.clock(Date.parse(decision.time));
    const thisDay = at?.slice(0, 10) ?? "no date";
    if (thisDay !== day) {
      lines.push(`${lines.length > 0 ? "\n" : ""}${paint.bold(thisDay)}`);
      day = thisDay;
      session = "";
    }
    if (decision.session_id !== session) {
      session = decision.session_id;
      const where = flow([decision.project, decision.source, session], width - 2);
      lines.push(...where.map((line) => paint.dim(`  ${line}`)));
    }
    lines.push(
      `  ${at?.slice(11, 16) ?? "--:--"} ${decision.title === null ? NOT_PUSHED : oneLine(decision.title, Math.max(20, width - 8))}`,
    );
    lines.push(...body(decision, paint, Math.max(20, width - 8)).map((line) => `        ${line}`));
  }
  const open = list.filter((decision) => !decision.answered).length;
  const tail = tally(list.length, all.length, "decision", open > 0 ? `${groupDigits(open)} unanswered` : "");
  return `${lines.join("\n")}\n\n${paint.dim(tail)}\n`;
}

function body(decision: DecisionView, paint: Paint, width: number): string[] {
  const options = decision.options ?? [];
  const taken = options.filter((option) => isTaken(decision, option.label));
  const lines = options.map((option) => {
    const mark = taken.includes(option) ? paint.green("●") : paint.dim("○");
    const advice = option.recommended ? " (recommended)" : "";
    const label = oneLine(option.label, Math.max(8, width - 5 - advice.length));
    return `${mark} ${option.letter}) ${taken.includes(option) ? paint.bold(label) : label}${paint.dim(advice)}`;
  });
  if (decision.choice !== null && taken.length === 0)
    lines.push(`${paint.green("●")} ${oneLine(decision.choice, width - 2)}`);
  if (decision.free_text !== null) lines.push(`“${oneLine(decision.free_text, width - 2)}”`);
  const colour = decision.answered ? paint.dim : paint.yellow;
  lines.push(...flow([settled(decision), ...place(decision)], width).map(colour));
  return lines;
}

/** Several choices are joined by ", ". */
function isTaken({ choice }: DecisionView, label: string): boolean {
  return choice !== null && (choice === label || `, ${choice}, `.includes(`, ${label}, `));
}

function settled(decision: DecisionView): string {
  if (!decision.answered) return "unanswered";
  if (decision.followed_recommendation === null) return "answered";
  return decision.followed_recommendation ? "followed the recommendation" : "against the recommendation";
}

function place({ turn_ref, asked_line, answered_line }: DecisionView): string[] {
  const lines = [asked_line, answered_line].filter((line) => line !== null);
  const where = lines.length === 0 ? [] : [`line${lines.length > 1 ? "s" : ""} ${lines.join("–")}`];
  return turn_ref === null ? where : [turn_ref, ...where];
}
