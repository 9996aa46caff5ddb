import { DaybookError } from "../../../base/errors.ts";
import type { ForgetPlan, ForgottenView } from "../../../answers/daybook.ts";
import type { ForgetAnswer, ForgottenAnswer } from "../../../answers/json.ts";
import type { Io } from "../io.ts";
import { printJson } from "../json.ts";
import { openDaybook, type OpenedDaybook } from "../open-daybook.ts";
import { commonFlags, type CommonFlags } from "../options.ts";
import type { Register } from "../flags.ts";
import { plural } from "../../../base/text/units.ts";
import { oneLine, plain } from "../../../base/text/inert.ts";
import { keyOfSession } from "../../../record/session-key.ts";
import type { Zone } from "../../../base/time/zone.ts";

interface Flags extends CommonFlags {
  before?: string;
  dryRun?: boolean;
  yes?: boolean;
  list?: boolean;
  allow?: string;
}

export const forget: Register = (program, io, exit) => {
  commonFlags(program.command("forget"), ["marks"])
    .description("remove sessions from the book for good; the agents' own files are left alone")
    .argument("[sessions...]", "sessions (id, path, or the beginning of an id)")
    .option("--before <day>", "sessions that ended before this day")
    .option("--dry-run", "only list what would be forgotten")
    .option("--yes", "do not ask")
    .option("--list", "list the sessions that were forgotten")
    .option("--allow <session>", "let a forgotten session be read again")
    .addHelpText(
      "after",
      "\nExamples:\n  daybook forget 019e2f1c --dry-run\n  daybook forget --project old-client --before 2026-01-01\n  daybook forget --list\n  daybook forget --allow 019e2f1c",
    )
    .action(async (sessions: string[], flags: Flags) => {
      const opened = openDaybook(io, flags);
      if (flags.list === true) return exit(await list(io, opened));
      if (flags.allow !== undefined) return exit(await allow(io, opened, flags.allow));
      const { before, project } = flags;
      if (sessions.length === 0 && before === undefined && project === undefined)
        throw wrong(
          "forget what?",
          "name sessions, or give --before DAY or --project NAME; --dry-run shows what would be forgotten",
        );
      if (flags.since !== undefined || flags.until !== undefined || flags.session !== undefined)
        throw wrong("forget takes --before and names, not --since, --until or --session", "daybook forget --help");
      const chosen = { sessions, before, project };
      const plan = await opened.daybook.forgetPlan(chosen);
      const isDry = flags.dryRun === true;
      if (!opened.json) io.out(listed(opened.hide(plan), opened.daybook.zone, io.columns));
      const isMeant = !isDry && plan.sessions.length > 0 && (flags.yes === true || (await isConfirmed(io, plan)));
      if (isMeant) await opened.daybook.forget(plan);
      const code = await opened.done();
      if (opened.json) printJson(io, answerOf(opened.hide(plan), !isMeant));
      else if (isMeant) io.out(`Forgotten. ${LEFT_ALONE}${io.config?.team?.url === undefined ? "" : ` ${IN_STORE}`}\n`);
      else if (isDry && plan.sessions.length > 0) io.out("Nothing was forgotten: this was a dry run.\n");
      exit(code);
    });
};

const LEFT_ALONE = "The agents' files are unchanged; they are not read again until `daybook forget --allow SESSION`.";

const IN_STORE = "The next `daybook push` removes it from the store.";

function wrong(message: string, hint: string): DaybookError {
  return new DaybookError(message, { code: "usage", op: "forget", hint });
}

/** Without a terminal to ask on, the answer counts as no. */
async function isConfirmed(io: Io, { sessions }: ForgetPlan): Promise<boolean> {
  if (!io.ask || io.inIsTerminal !== true || !io.errIsTerminal)
    throw wrong(
      "forget needs a confirmation, and there is no terminal to ask on",
      "give --yes, or --dry-run to see what would be forgotten",
    );
  const answer = await io.ask(`Forget ${sessions.length === 1 ? "it" : `these ${sessions.length}`} for good? [y/N] `);
  if (/^y(es)?$/i.test(answer.trim())) return true;
  io.err("daybook: nothing was forgotten\n");
  return false;
}

function answerOf({ sessions, bytes }: ForgetPlan, dry_run: boolean): ForgetAnswer {
  return {
    schema_version: 1,
    dry_run,
    bytes,
    sessions: sessions.map(({ source, session_id, project, title, started_at, ended_at, turns }) => ({
      source,
      session_id,
      project,
      title,
      started_at,
      ended_at,
      turns,
    })),
  };
}

function listed({ sessions, bytes }: ForgetPlan, zone: Zone, columns: number): string {
  if (sessions.length === 0) return "No session in the book matches.\n";
  const lines = sessions.map(({ source, session_id, project, title, started_at, turns }) => {
    const day = started_at === null ? "no time   " : zone.day(Date.parse(started_at));
    return oneLine(
      `  ${day}  ${source}  ${session_id}  ${project}  ${plural(turns, "request")}  ${title ?? ""}`,
      columns,
    );
  });
  const size = `${(bytes / 1e6).toFixed(1)} MB`;
  return `${plural(sessions.length, "session")}, ${size} of the book:\n${lines.join("\n")}\n`;
}

async function list(io: Io, opened: OpenedDaybook): Promise<number> {
  const forgotten = opened.daybook.forgotten();
  if (opened.json) printJson(io, { schema_version: 1, forgotten } satisfies ForgottenAnswer);
  else if (forgotten.length === 0) io.out("There are no forgotten sessions.\n");
  else for (const one of forgotten) io.out(`${line(one, opened.daybook.zone)}\n`);
  return opened.done();
}

function line({ source, session_id, forgotten_at, in_files }: ForgottenView, zone: Zone): string {
  const where = in_files ? "the agent still has its file" : "the agent has no file of it";
  return plain(`${zone.day(Date.parse(forgotten_at))}  ${source}  ${session_id}  ${where}`);
}

async function allow(io: Io, opened: OpenedDaybook, wanted: string): Promise<number> {
  const { source, session_id, in_files } = await opened.daybook.allow(wanted);
  if (opened.json)
    printJson(io, { schema_version: 1, forgotten: opened.daybook.forgotten() } satisfies ForgottenAnswer);
  else
    io.out(
      `${plain(keyOfSession(source, session_id))} ${in_files ? "is read with the next command" : "may be read again, but the agent has no file of it"}.\n`,
    );
  return opened.done();
}
