import { DaybookError } from "../../errors.ts";
import type { ToolView } from "../../view/tool-view.ts";
import type { Io } from "../io.ts";
import { summary } from "../input-summary.ts";
import { commonFlags, openDaybook, printJson, type CommonFlags } from "../options.ts";
import type { Register } from "../register.ts";
import { table } from "../table.ts";
import { duration, oneLine, plural } from "../text.ts";

const STATUSES = ["ok", "failed", "interrupted", "denied", "pending"];

interface Flags extends CommonFlags {
  status?: string;
  name?: string;
}

export const tools: Register = (program, io, exit) => {
  commonFlags(program.command("tools"))
    .description("list tool calls and how each ended")
    .option("--status <status>", `only ${STATUSES.join(", ")}`)
    .option("--name <tool>", "only calls of this tool")
    .addHelpText(
      "after",
      "\nExamples:\n  daybook tools --status failed --since 7d\n  daybook tools --session 019e2f1c --json",
    )
    .action(async (flags: Flags) => {
      if (flags.status !== undefined && !STATUSES.includes(flags.status)) {
        throw new DaybookError(`unknown status: ${flags.status}`, {
          code: "usage",
          op: "parse flags",
          hint: `one of ${STATUSES.join(", ")}`,
        });
      }
      const opened = openDaybook(io, flags);
      const list = await opened.daybook.tools({ ...opened.query, status: flags.status, name: flags.name });
      const code = await opened.done();
      if (opened.json) printJson(io, { schema_version: 1, tools: list });
      else print(io, list, opened);
      exit(code);
    });
};

function print(io: Io, list: readonly ToolView[], { daybook, paint }: ReturnType<typeof openDaybook>): void {
  const colour: Record<string, (s: string) => string> = {
    ok: paint.green,
    failed: paint.red,
    interrupted: paint.yellow,
    denied: paint.magenta,
    pending: paint.blue,
  };
  const rows = list.map((t) => [
    t.started_at === null ? "" : daybook.zone.clock(Date.parse(t.started_at)),
    t.status,
    t.exit_code === null ? "" : String(t.exit_code),
    duration(t.duration_ms),
    oneLine(t.name, 24),
    oneLine(summary(t.input), 300),
    `${t.session_id.slice(0, 13)}${t.turn_ref ? `/${t.turn_ref}` : ""}:${t.start_line}`,
  ]);
  io.out(
    `${table(
      [
        { head: "time" },
        { head: "status", paint: (cell) => (colour[cell.trim()] ?? paint.reset)(cell) },
        { head: "exit", align: "right" },
        { head: "took", align: "right" },
        { head: "tool", paint: (cell) => paint.cyan(cell) },
        { head: "input", grow: true },
        { head: "where", paint: (cell) => paint.dim(cell) },
      ],
      rows,
      io.columns,
      paint.bold,
    )}\n\n${paint.dim(plural(list.length, "call"))}\n`,
  );
}
