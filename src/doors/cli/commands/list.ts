import { listWorkspaces, type Listed } from "../../../answers/workspace/inspect.ts";
import { workRoot } from "../../../answers/workspace/places.ts";
import { paintFor } from "../paint.ts";
import type { WorkspacesAnswer } from "../../../answers/json.ts";
import { printJson } from "../json.ts";
import { tally } from "../layout.ts";
import { limitOf } from "../query-flags.ts";
import type { Register } from "../register.ts";
import { table } from "../table.ts";
import { plain } from "../text.ts";
import { homeOf, outputFlags, type TargetFlags } from "../workspace-flags.ts";

const SHOWN = 10;
const SHOWN_VERBOSE = 5;

interface Flags extends TargetFlags {
  limit?: string;
  verbose?: boolean;
}

export const list: Register = (program, io, exit) => {
  outputFlags(program.command("list"))
    .description("list the workspaces made by prepare, newest first")
    .option("--limit <n>", `at most this many (default: ${SHOWN}, with --verbose ${SHOWN_VERBOSE}); 0 for all`)
    .option("--verbose", "with counts and folders")
    .addHelpText("after", "\nExamples:\n  daybook list\n  daybook list --verbose --limit 0")
    .action((flags: Flags) => {
      const home = homeOf(io, flags);
      const most = flags.verbose === true ? SHOWN_VERBOSE : SHOWN;
      const { total, workspaces } = listWorkspaces(
        home,
        flags.limit === undefined ? most : (limitOf(flags) ?? Infinity),
      );
      if (flags.json === true) printJson(io, { schema_version: 1, total, workspaces } satisfies WorkspacesAnswer);
      else if (total === 0) io.out(`No workspaces in ${plain(workRoot(home))} yet; daybook prepare makes one.\n`);
      else {
        const paint = paintFor(io, flags.color !== false);
        io.out(`${tableOf(workspaces, flags.verbose === true, io.columns, paint.bold)}\n\n`);
        io.out(`${paint.dim(tally(workspaces.length, total, "workspace"))}\n`);
      }
      exit(0);
    });
};

function brief({ date, status, timezone }: Listed): string[] {
  return [date, status ?? "unreadable", timezone ?? ""];
}

function tableOf(list: readonly Listed[], verbose: boolean, width: number, head: (text: string) => string): string {
  if (!verbose) {
    return table([{ head: "date" }, { head: "status" }, { head: "zone" }], list.map(brief), width, head);
  }
  const columns = [
    { head: "date" },
    { head: "status" },
    { head: "zone", dropOrder: 1 },
    { head: "projects", align: "right" as const, dropOrder: 2 },
    { head: "sessions", align: "right" as const, dropOrder: 3 },
    { head: "turns", align: "right" as const, dropOrder: 4 },
    { head: "folder", grow: true },
  ];
  const rows = list.map((w) => [...brief(w), String(w.projects), String(w.sessions), String(w.turns), plain(w.path)]);
  return table(columns, rows, width, head);
}
