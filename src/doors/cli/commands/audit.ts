import type { AuditReport, SessionAudit } from "../../../views/audit-view.ts";
import type { Io } from "../io.ts";
import { printJson } from "../json.ts";
import { wrapLines } from "../layout.ts";
import type { Paint } from "../paint.ts";
import { audit as question } from "../../../answers/questions/days.ts";
import { openDaybook, questionCommand, type CommonFlags } from "../options.ts";
import type { Register } from "../register.ts";
import { groupDigits, plain, plural } from "../text.ts";

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
      else print(io, report, opened.paint, session !== undefined);
      exit(report.balanced ? code : 1);
    });
};

function print(io: Io, report: AuditReport, paint: Paint, detail: boolean): void {
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
