import { type Explanation, validateFile, type Validation } from "../../../answers/daybook.ts";
import type { ExplainAnswer, ValidateAnswer } from "../../../answers/json.ts";
import { audit as question } from "../../../answers/questions/days.ts";
import { explain as explainQuestion } from "../../../answers/questions/one-session.ts";
import { plain, wrap } from "../../../base/text/inert.ts";
import { groupDigits, plural } from "../../../base/text/units.ts";
import type { AuditReport, SessionAudit } from "../../../views/audit-view.ts";
import type { Io } from "../io.ts";
import { printJson } from "../json.ts";
import { wrapLines } from "../layout.ts";
import { openDaybook, type OpenedDaybook } from "../open-daybook.ts";
import { type CommonFlags, questionCommand } from "../options.ts";
import { type Paint, paintFor } from "../output.ts";
import type { Register } from "../flags.ts";

export const audit: Register = (program, io, exit) => {
  questionCommand(program, question)
    .description("the balance: every native record and every token accounted for exactly once")
    .argument("[session]", "one session only")
    .addHelpText(
      "after",
      "\nExit code 1 if something does not add up. The counted tokens are also compared with the last total the agent itself\nstates; a difference is listed, and is a failure if that total was written with every response of a whole file.\n\nExamples:\n  daybook audit\n  daybook audit 019e2f1c --json",
    )
    .action(async (session: string | undefined, flags: CommonFlags) => {
      const opened = openDaybook(io, flags, { question });
      const report = opened.hide(
        await opened.daybook.audit({ ...opened.query, session: session ?? opened.query.session }),
      );
      const code = await opened.done();
      if (opened.json) printJson(io, report);
      else printAudit(io, report, opened.paint, session !== undefined);
      exit(report.balanced ? code : 1);
    });
};

function printAudit(io: Io, report: AuditReport, paint: Paint, detail: boolean): void {
  const { records: r, tokens: t, sessions, files } = report.totals;
  io.out(`${paint.bold(`${plural(sessions, "session")}, ${plural(files, "file")}`)}\n\n`);
  io.out(`${paint.bold("records read".padEnd(18))}${n(r.records_read)}\n`);
  io.out(row("owned by turns", r.owned_by_turns) + row("setup", r.setup) + row("session level", r.session_level));
  io.out(
    row("inherited", r.inherited) +
      row("duplicates", r.duplicates) +
      row("unknown", r.unknown) +
      row("corrupt", r.corrupt),
  );
  io.out(`\n${paint.bold("tokens read".padEnd(18))}${n(t.tokens_read)}\n`);
  io.out(
    row("counted", t.counted) +
      row("duplicates", t.duplicates) +
      row("inherited", t.inherited) +
      row("estimates", t.estimates),
  );
  if (t.counted > 0) io.out(statedTotals(report, paint, io.columns));
  if (detail) {
    io.out(`\n${paint.bold("why")}\n`);
    for (const [reason, count] of Object.entries(r.reasons).toSorted(([a], [b]) => (a < b ? -1 : 1))) {
      io.out(`  ${groupDigits(count).padStart(10)}  ${plain(reason)}\n`);
    }
    for (const { unowned_reasons: why } of report.sessions) {
      for (const [reason, tokens] of Object.entries(why))
        io.out(`  ${groupDigits(tokens).padStart(10)}  tokens of no turn: ${plain(reason)}\n`);
    }
  }
  for (const session of report.sessions.filter((s) => !s.balanced)) io.out(wrong(session, paint, io.columns));
  for (const problem of report.problems)
    for (const line of wrapLines(problem, io.columns)) io.out(paint.red(`${line}\n`));
  io.out(`\n${report.balanced ? paint.green("balanced") : paint.red("NOT balanced")}\n`);
}

/** The totals the agents state themselves, with the sessions whose records add up to a different number. */
function statedTotals(report: AuditReport, paint: Paint, width: number): string {
  const { stated_total: stated, difference } = report.totals;
  if (stated === null || difference === null) return "";
  const sum = stated + difference;
  const others = report.sessions.filter((session) => session.difference !== null && session.difference !== 0);
  const lines = others
    .flatMap(({ source, session_id, stated_total: total, difference: more }) =>
      wrapLines(
        `  ${source} ${plain(session_id)}: ${signed(more ?? 0)}, the agent states ${groupDigits(total ?? 0)}`,
        width,
      ),
    )
    .map((line) => `${paint.yellow(line)}\n`);
  return `\n${paint.bold("stated by agents".padEnd(18))}${n(stated)}\n${row("counted of it", sum)}${lines.join("")}`;
}

function signed(value: number): string {
  return `${value < 0 ? "−" : "+"}${groupDigits(Math.abs(value))}`;
}

function n(value: number): string {
  return groupDigits(value).padStart(14);
}

function row(name: string, value: number): string {
  return `  ${name.padEnd(16)}${n(value)}\n`;
}

function wrong({ source, session_id, problems }: SessionAudit, paint: Paint, width: number): string {
  const lines = problems.flatMap((problem) => wrapLines(`  ${problem}`, width));
  return `\n${paint.red(`${source} ${session_id}`)}\n${lines.map((line) => `${line}\n`).join("")}`;
}

export const explain: Register = (program, io, exit) => {
  questionCommand(program, explainQuestion)
    .description("how one native record was understood, which rule decided, which turn owns it")
    .argument("<session:line>", "session id or path, and the line")
    .addHelpText("after", "\nExample:\n  daybook explain 019e2f1c:12")
    .action(async (target: string, flags: CommonFlags) => {
      const opened = openDaybook(io, flags);
      const list = opened.hide(await opened.daybook.explain(target));
      const code = await opened.done();
      if (opened.json) printJson(io, { schema_version: 1, explanations: list } satisfies ExplainAnswer);
      else for (const one of list) printExplanation(io, one, opened);
      exit(code);
    });
};

/** Width of the label column. */
const INDENT = 10;

function printExplanation(io: Io, e: Explanation, { daybook, paint }: OpenedDaybook): void {
  const owner = e.turn_ref ?? (e.prepares ? `none; prepares ${e.prepares}` : "none");
  const rows = [
    ["record", `${plain(e.native)}${e.tentative ? " (tentative: what follows may change the verdict)" : ""}`],
    ["class", e.class],
    ["rule", e.reason],
    ["turn", owner],
    ["time", e.time === null ? "none" : daybook.zone.clock(Date.parse(e.time))],
    ["gives", e.records.map((r) => r.type).join(", ") || "nothing"],
  ];
  io.out(`${paint.bold(`${plain(e.session_path)}:${e.line}`)}\n`);
  rows.push(["line", e.excerpt === "" ? "(no longer there, or no text)" : e.excerpt]);
  for (const [name = "", value = ""] of rows) {
    const lines = wrap(value, io.columns - INDENT, 4);
    for (const [i, line] of lines.entries())
      io.out(`  ${paint.dim((i === 0 ? name : "").padEnd(INDENT - 3))} ${line}\n`);
  }
}

interface Flags {
  json?: boolean;
  color?: boolean;
}

export const validate: Register = (program, io, exit) => {
  program
    .command("validate")
    .description("check canonical logs and native session files: unknown types, fields, versions, corrupt lines")
    .argument("<file...>", "files to check")
    .option("-j, --json", "print JSON")
    .option("--no-color", "no colour")
    .addHelpText(
      "after",
      "\nExit code 1 when a canonical log is invalid, 3 when a native file has unreadable lines.\n\nExamples:\n  daybook validate session.jsonl\n  daybook validate ~/.codex/sessions/2026/05/12/*.jsonl --json",
    )
    .action(async (files: string[], flags: Flags) => {
      const results: Validation[] = [];
      for (const file of files) results.push(await validateFile(file));
      if (flags.json === true) printJson(io, { schema_version: 1, files: results } satisfies ValidateAnswer);
      else for (const result of results) printValidation(io, result, flags.color !== false);
      const wrong = results.filter((result) => !result.valid);
      const broken = wrong.some((result) => result.format === "log" || result.format === null);
      exit(broken ? 1 : wrong.length > 0 ? 3 : 0);
    });
};

function printValidation(io: Io, result: Validation, colour: boolean): void {
  const paint = paintFor(io, colour);
  const verdict = result.valid ? paint.green("valid") : paint.red("not valid");
  io.out(
    `${paint.bold(plain(result.path))}\n  ${result.format ?? "unknown format"}, ${plural(result.records, "record")}, ${verdict}\n`,
  );
  const say = (text: string, colour: (line: string) => string = String): void => {
    for (const line of wrapLines(text, io.columns)) io.out(`${colour(line)}\n`);
  };
  const { versions, unknownTypes, unknownFields } = result.drift;
  for (const [version, n] of Object.entries(versions)) say(`  version ${version}: ${plural(n, "record")}`);
  for (const [type, n] of Object.entries(unknownTypes)) say(`  unknown type ${type}: ${groupDigits(n)}`, paint.yellow);
  for (const [field, n] of Object.entries(unknownFields))
    say(`  unknown field ${field}: ${groupDigits(n)}`, paint.yellow);
  for (const { message, hint } of result.problems) {
    say(`  ${message}`, paint.red);
    if (hint) say(`    ${hint}`);
  }
}
