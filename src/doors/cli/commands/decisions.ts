import type { SessionNaming } from "../../../answers/lists.ts";
import { statSync } from "node:fs";
import { extname, join } from "node:path";
import type { Command } from "commander";
import { inside } from "../../../answers/daybook.ts";
import type { DecisionsAnswer, DecisionsExported } from "../../../answers/json.ts";
import { decisions as question } from "../../../answers/questions/days.ts";
import { oneLine } from "../../../base/text/inert.ts";
import { groupDigits, plural } from "../../../base/text/units.ts";
import { bucketFor } from "../../../teach/bucket.ts";
import type { Decision } from "../../../turns/decisions/model.ts";
import { type LogReport, questionLine, writeLog } from "../../../turns/decisions/question-log.ts";
import type { DecisionView } from "../../../views/decision-view.ts";
import type { Io } from "../io.ts";
import { printJson, printJsonText } from "../json.ts";
import { flow, NOT_PUSHED, tally } from "../layout.ts";
import { openDaybook, type OpenedDaybook } from "../open-daybook.ts";
import { type CommonFlags, commonFlags, questionCommand } from "../options.ts";
import type { Paint } from "../output.ts";
import { warnHeaderless } from "../problem-notes.ts";
import { type Register, unknownValueError, usageError, ValuesOption } from "../flags.ts";
import { checkCommand, hookCommand, preferCommand } from "./decisions/prefer.ts";
import { distillCommand } from "./decisions/distill.ts";
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
      const naming = await inside(opened.daybook).naming(list);
      const empty = list.length === 0 ? await opened.emptyText("decisions") : null;
      if (opened.json) printJson(io, { schema_version: 1, decisions: list } satisfies DecisionsAnswer);
      else if (empty !== null) io.out(`${empty}\n`);
      else io.out(decisionList(list, { ...opened, naming }, io.columns));
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
  { daybook, paint, listQuery, naming }: OpenedDaybook & { naming: SessionNaming },
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
      const where = flow([decision.project, decision.source, naming(decision)], width - 2);
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
  if (decision.tier === "prose") return "decided in prose";
  if (decision.followed_recommendation === null) return "answered";
  return decision.followed_recommendation ? "followed the recommendation" : "against the recommendation";
}

function place({ turn_ref, asked_line, answered_line }: DecisionView): string[] {
  const lines = [asked_line, answered_line].filter((line) => line !== null);
  const where = lines.length === 0 ? [] : [`line${lines.length > 1 ? "s" : ""} ${lines.join("–")}`];
  return turn_ref === null ? where : [turn_ref, ...where];
}

interface Flags extends CommonFlags {
  format?: string;
  out?: string;
}

function exportCommand(decisions: Command, io: Io, exit: (code: number) => void): void {
  commonFlags(decisions.command("export"))
    .description("write the answered questions in another tool's format: gstack's question log")
    .addOption(new ValuesOption("--format <format>", "question-log", ["question-log"]))
    .option(
      "--out <path>",
      "a .jsonl file, or a directory for projects/PROJECT/question-log.jsonl. Without it, lines go to stdout",
    )
    .addHelpText("after", "\nExamples:\n  daybook decisions export --format question-log --out ~/.gstack")
    .action(async (flags: Flags) => {
      check(flags);
      // Without any sessions nothing is exported; that is not a failure.
      const opened = openDaybook(io, flags, { mayLackRoots: true });
      await warnHeaderless(io, opened, flags, await exportLog(io, flags, opened));
      exit(await opened.done());
    });
}

function check({ format = "question-log", out = "" }: Flags): void {
  if (format !== "question-log") throw unknownValueError("format", format, ["question-log"]);
  if (extname(out) !== "" && !isFile(out) && statSync(out, { throwIfNoEntry: false }) === undefined)
    throw usageError(`a question log cannot be written as ${extname(out)}`, "--out takes a .jsonl file or a directory");
}

/** Returns the decisions it found. */
async function exportLog(io: Io, flags: Flags, { daybook, query, json, hide }: OpenedDaybook): Promise<Decision[]> {
  const asked = hide((await inside(daybook).asked(query)).slice(query.limit === undefined ? 0 : -query.limit));
  const now = new Date(io.now).toISOString();
  const { out } = flags;
  if (out === undefined) {
    for (const one of asked) {
      const accepted = questionLine(one, now);
      if (accepted === null) continue;
      if ("line" in accepted) printJsonText(io, `${JSON.stringify(accepted.line)}\n`);
      else if (flags.quiet !== true) io.err(leftOut(one.decision, accepted.rejected));
    }
    return asked.map(({ decision }) => decision);
  }
  const single = isFile(out);
  const report = writeLog(
    asked,
    (one) => (single ? out : join(out, "projects", bucketFor(one, null), "question-log.jsonl")),
    now,
  );
  if (json) printJson(io, summaryOf(report));
  else if (flags.quiet !== true) await summarise(io, report, daybook, asked.length);
  return asked.map(({ decision }) => decision);
}

function isFile(path: string): boolean {
  const known = statSync(path, { throwIfNoEntry: false });
  return known ? known.isFile() : /\.jsonl?$/.test(path);
}

function summaryOf({ added, known, files, rejected }: LogReport): DecisionsExported {
  const refused = rejected.map(({ decision, reason }) => ({ id: decision.id, reason }));
  return { schema_version: 1, added, already_known: known, files, rejected: refused };
}

async function summarise(io: Io, report: LogReport, daybook: OpenedDaybook["daybook"], found: number): Promise<void> {
  if (found === 0 && (await inside(daybook).read()).sessions.length === 0) {
    io.err("daybook: NO_SESSIONS: no sessions were found, nothing to export\n");
    return;
  }
  for (const { decision, reason } of report.rejected) io.err(leftOut(decision, reason));
  const known = report.known > 0 ? `, ${report.known} already there` : "";
  io.err(`daybook: added ${plural(report.added, "question")}${known} (${plural(report.files.length, "file")})\n`);
}

function leftOut({ session_id, asked_line }: Decision, reason: string): string {
  return `daybook: left out ${oneLine(session_id, 40)}:${asked_line ?? "?"}: ${reason}\n`;
}
