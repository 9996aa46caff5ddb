import { inside } from "../../../../answers/daybook.ts";
import { statSync } from "node:fs";
import { extname, join } from "node:path";
import type { Command } from "commander";
import type { Decision } from "../../../../turns/decisions/model.ts";
import { questionLine, writeLog, type LogReport } from "../../../../turns/decisions/question-log.ts";
import type { DecisionsExported } from "../../../../answers/json.ts";
import { bucketFor } from "../../../../teach/bucket.ts";
import type { Io } from "../../io.ts";
import { printJson, printJsonText } from "../../json.ts";
import { commonFlags, openDaybook, type CommonFlags, type OpenedDaybook } from "../../options.ts";
import { warnHeaderless } from "../../headerless.ts";
import { oneLine, plural } from "../../text.ts";
import { unknownValueError, usageError } from "../../usage-errors.ts";

interface Flags extends CommonFlags {
  format?: string;
  out?: string;
}

export function exportCommand(decisions: Command, io: Io, exit: (code: number) => void): void {
  commonFlags(decisions.command("export"))
    .description("write the answered questions in another tool's format: gstack's question log")
    .option("--format <format>", "question-log")
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
