import type { SyncReport } from "../../index/sync.ts";
import { commonFlags, openDaybook, printJson, type CommonFlags } from "../options.ts";
import type { Register } from "../register.ts";
import { plural } from "../text.ts";

export const sync: Register = (program, io, exit) => {
  commonFlags(program.command("sync"))
    .description("read what changed into the book and the index")
    .action(async (flags: CommonFlags) => {
      const opened = openDaybook(io, flags);
      const report = await opened.daybook.sync();
      const code = await opened.done();
      if (opened.json) printJson(io, { schema_version: 1, ...report });
      else io.out(`${summary(report)}\n`);
      exit(code);
    });
};

function summary(report: SyncReport): string {
  if (report.files_read === 0 && report.gone === 0) return `Nothing new in ${plural(report.files_seen, "file")}.`;
  const gone = report.gone > 0 ? `; ${plural(report.gone, "file")} no longer there, kept in the book` : "";
  return `Read ${plural(report.files_read, "file")} of ${report.files_seen}, ${plural(report.entries, "record")}; ${plural(report.sessions_refreshed, "session")} refreshed${gone}.`;
}
