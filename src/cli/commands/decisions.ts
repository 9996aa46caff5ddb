import { statSync } from "node:fs";
import { extname, join } from "node:path";
import type { Decision } from "../../decisions/model.ts";
import { questionLine, writeLog, type LogReport } from "../../decisions/question-log.ts";
import type { Io } from "../io.ts";
import type { Paint } from "../paint.ts";
import type { DecisionsAnswer, DecisionsExported } from "../../daybook/json.ts";
import { printJson, printJsonText } from "../json.ts";
import { flow, tally } from "../layout.ts";
import { commonFlags, openDaybook, type CommonFlags } from "../options.ts";
import type { Register } from "../register.ts";
import { unknown, wrongUse } from "../unknown.ts";
import { grouped, oneLine, plural } from "../text.ts";

interface Flags extends CommonFlags {
  unanswered?: boolean;
  format?: string;
  out?: string;
}

type Opened = ReturnType<typeof openDaybook>;

export const decisions: Register = (program, io, exit) => {
  commonFlags(program.command("decisions"))
    .description("list the questions agents put to you, with your answers; export them to gstack's question log")
    .argument("[action]", "export: write the answered questions in another tool's format")
    .option("--unanswered", "only questions without an answer")
    .option("--format <format>", "export: question-log")
    .option(
      "--out <path>",
      "export: a .jsonl file, or a directory for projects/PROJECT/question-log.jsonl. Without it, lines go to stdout",
    )
    .addHelpText(
      "after",
      "\nExamples:\n  daybook decisions --since 7d\n  daybook decisions --unanswered --json\n  daybook decisions export --format question-log --out ~/.gstack",
    )
    .action(async (action: string | undefined, flags: Flags) => {
      check(action, flags);
      // Where there are no sessions nothing is exported, and that is no failure.
      const opened = openDaybook(io, flags, { mayLackRoots: action === "export" });
      if (action === "export") await exportLog(io, flags, opened);
      else {
        // Those that are not listed have been looked at as well, to know which are the newest.
        const limit = opened.json ? opened.query.limit : undefined;
        const query = { ...opened.query, limit, unanswered: flags.unanswered };
        const list = opened.hide(await opened.daybook.decisions(query));
        const empty = list.length === 0 ? await opened.none("decisions") : null;
        if (opened.json) printJson(io, { schema_version: 1, decisions: list } satisfies DecisionsAnswer);
        else if (empty !== null) io.out(`${empty}\n`);
        else io.out(decisionList(list, opened, io.columns));
      }
      exit(await opened.done());
    });
};

function check(action: string | undefined, flags: Flags): void {
  if (action !== undefined && action !== "export") throw unknown("action", action, ["export"]);
  if (action === "export" && (flags.format ?? "question-log") !== "question-log")
    throw unknown("format", flags.format ?? "", ["question-log"]);
  if (action === undefined && (flags.format !== undefined || flags.out !== undefined))
    throw wrongUse("--format and --out belong to an export", "daybook decisions export --format question-log");
  if (action === "export" && flags.unanswered === true)
    throw wrongUse("only answered questions are exported; --unanswered does not go with it", "leave one of them out");
  const { out = "" } = flags;
  if (extname(out) !== "" && !isFile(out) && statSync(out, { throwIfNoEntry: false }) === undefined)
    throw wrongUse(`no question log is written as ${extname(out)}`, "--out takes a .jsonl file or a directory");
}

async function exportLog(io: Io, flags: Flags, { daybook, query, json, hide }: Opened): Promise<void> {
  const asked = hide((await daybook.asked(query)).slice(query.limit === undefined ? 0 : -query.limit));
  const now = new Date(io.now).toISOString();
  const { out } = flags;
  if (out === undefined) {
    for (const one of asked) {
      const accepted = questionLine(one, now);
      if (accepted === null) continue;
      if ("line" in accepted) printJsonText(io, `${JSON.stringify(accepted.line)}\n`);
      else if (flags.quiet !== true) io.err(leftOut(one.decision, accepted.rejected));
    }
    return;
  }
  const single = isFile(out);
  const report = writeLog(asked, (bucket) => (single ? out : join(out, "projects", bucket, "question-log.jsonl")), now);
  if (json) printJson(io, summaryOf(report));
  else if (flags.quiet !== true) await summarise(io, report, daybook, asked.length);
}

function isFile(path: string): boolean {
  const known = statSync(path, { throwIfNoEntry: false });
  return known ? known.isFile() : /\.jsonl?$/.test(path);
}

function summaryOf({ added, known, files, rejected }: LogReport): DecisionsExported {
  const refused = rejected.map(({ decision, reason }) => ({ id: decision.id, reason }));
  return { schema_version: 1, added, already_known: known, files, rejected: refused };
}

async function summarise(io: Io, report: LogReport, daybook: Opened["daybook"], found: number): Promise<void> {
  if (found === 0 && (await daybook.read()).sessions.length === 0) {
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

/** Grouped by day and session: the question, its options with the one taken, how it was settled and where it stands. */
function decisionList(all: readonly Decision[], { daybook, paint, listQuery }: Opened, width: number): string {
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
    lines.push(`  ${at?.slice(11, 16) ?? "--:--"} ${oneLine(decision.title, Math.max(20, width - 8))}`);
    lines.push(...body(decision, paint, Math.max(20, width - 8)).map((line) => `        ${line}`));
  }
  const open = list.filter((decision) => !decision.answered).length;
  const tail = tally(list.length, all.length, "decision", open > 0 ? `${grouped(open)} unanswered` : "");
  return `${lines.join("\n")}\n\n${paint.dim(tail)}\n`;
}

function body(decision: Decision, paint: Paint, width: number): string[] {
  const taken = decision.options.filter((option) => isTaken(decision, option.label));
  const lines = decision.options.map((option) => {
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
function isTaken({ choice }: Decision, label: string): boolean {
  return choice !== null && (choice === label || `, ${choice}, `.includes(`, ${label}, `));
}

function settled(decision: Decision): string {
  if (!decision.answered) return "unanswered";
  if (decision.followed_recommendation === null) return "answered";
  return decision.followed_recommendation ? "followed the recommendation" : "against the recommendation";
}

function place({ turn_ref, asked_line, answered_line }: Decision): string[] {
  const lines = [asked_line, answered_line].filter((line) => line !== null);
  const where = lines.length === 0 ? [] : [`line${lines.length > 1 ? "s" : ""} ${lines.join("–")}`];
  return turn_ref === null ? where : [turn_ref, ...where];
}
