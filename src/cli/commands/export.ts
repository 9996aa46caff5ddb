import { createHash } from "node:crypto";
import { closeSync, existsSync, mkdirSync, openSync, rmSync } from "node:fs";
import { dirname, extname, join } from "node:path";
import { writeAll } from "../../io/disk.ts";
import type { SessionView } from "../../answers/session-view.ts";
import type { Io } from "../io.ts";
import { printJsonText } from "../json.ts";
import { commonFlags, openDaybook, type CommonFlags } from "../options.ts";
import type { Register } from "../register.ts";
import { plural } from "../text.ts";
import { unknown, wrongUse } from "../unknown.ts";

const FORMATS = ["jsonl", "agent-trace"];

interface Flags extends CommonFlags {
  rev?: string;
  format: string;
  out?: string;
}

export const exportCommand: Register = (program, io, exit) => {
  commonFlags(program.command("export"))
    .description("sessions in the canonical log format; secrets are hidden unless --no-redact is given")
    .option("--format <format>", FORMATS.join(" | "), "jsonl")
    .option("--rev <commit>", "for agent-trace: the commit whose lines are listed (default: HEAD)")
    .option("--out <path>", "a directory: one log per session. Without it, all records go to stdout")
    .addHelpText(
      "after",
      "\nExamples:\n  daybook export --session 019e2f1c > session.jsonl\n  daybook export --out ~/logs",
    )
    .action(async (flags: Flags) => {
      if (!FORMATS.includes(flags.format)) throw unknown("format", flags.format, FORMATS);
      if (flags.format === "agent-trace") return exit(await trace(io, flags));
      if (flags.out !== undefined && extname(flags.out) !== "" && !existsSync(flags.out))
        throw wrongUse(
          `--out takes a directory, not ${flags.out}`,
          `daybook export > ${flags.out} writes all into one file`,
        );
      const opened = openDaybook(io, flags);
      const sessions = (await opened.daybook.sessions(opened.query)).toReversed();
      let written = 0;
      for (const session of sessions) {
        const target = `${session.source}/${session.session_id}`;
        const path = flags.out && join(flags.out, session.source, `${fileName(session.session_id)}.jsonl`);
        const file = path === undefined ? null : openLog(path);
        const isWhole = await opened.daybook.attempt(session, async () => {
          for await (const record of opened.daybook.records(target)) {
            const line = `${JSON.stringify(opened.hide(record))}\n`;
            if (file === null || path === undefined) printJsonText(io, line);
            else writeAll(file, Buffer.from(line, "utf8"), path);
          }
        });
        if (file !== null) closeSync(file);
        if (isWhole) written++;
        // Half a session would look like a whole one.
        else if (path !== undefined) rmSync(path);
      }
      if (flags.out !== undefined) writeMarks(flags.out, opened.hide(sessions));
      if (flags.out !== undefined && flags.quiet !== true)
        io.err(`daybook: wrote ${plural(written, "log")} to ${flags.out}\n`);
      exit(await opened.done());
    });
};

/**
 * What people put on sessions and turns, beside the logs: a log tells what happened in a session, and has no record for what
 * somebody thought of it afterwards. One line for each session that is marked; without any, no file.
 */
function writeMarks(out: string, sessions: readonly SessionView[]): void {
  const lines = sessions.flatMap(({ source, session_id, marks }) =>
    marks === null ? [] : [`${JSON.stringify({ schema_version: 1, source, session_id, ...marks })}\n`],
  );
  if (lines.length === 0) return;
  const path = join(out, "marks.jsonl");
  const file = openLog(path);
  writeAll(file, Buffer.from(lines.join(""), "utf8"), path);
  closeSync(file);
}

/** One record for the repository one is in. */
async function trace(io: Io, flags: Flags): Promise<number> {
  const opened = openDaybook(io, flags);
  const record = await opened.daybook.agentTrace(flags.rev ?? "HEAD", { cwd: io.cwd, redact: flags.redact });
  printJsonText(io, `${JSON.stringify(record)}\n`);
  return opened.done();
}

function openLog(path: string): number {
  mkdirSync(dirname(path), { recursive: true });
  return openSync(path, "w");
}

/** Most file systems take names of 255 bytes. */
const LONGEST = 120;

/** Ids some systems would take for a device. */
const DEVICE = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i;

/**
 * Ids come from session files: nothing in them may climb out of the directory, and no name may be too long for one. One that was
 * changed says so by a hash, so that no session is written over another.
 */
function fileName(id: string): string {
  const name = id.replace(/[^A-Za-z0-9._-]/g, "_").replace(/^\.+/, "_");
  if (name === id && name.length <= LONGEST && !DEVICE.test(name)) return name;
  return `${name.slice(0, LONGEST)}-${createHash("sha256").update(id).digest("hex").slice(0, 12)}`;
}
