import { inside } from "../../../answers/daybook.ts";
import type { Risk } from "../../../views/risk/risk.ts";
import type { ToolView } from "../../../views/tool-view.ts";
import type { Io } from "../io.ts";
import { inputSummary } from "../../../base/text/input-summary.ts";
import type { ToolsAnswer } from "../../../answers/json.ts";
import { printJson } from "../json.ts";
import { oneLine } from "../../../base/text/inert.ts";
import { duration, groupDigits } from "../../../base/text/units.ts";
import { NOT_PUSHED, tally, withoutYear } from "../layout.ts";
import { tools as question } from "../../../answers/questions/lists.ts";
import { openDaybook, type OpenedDaybook, totalOf } from "../open-daybook.ts";
import { type CommonFlags, questionCommand } from "../options.ts";
import type { Register } from "../flags.ts";
import { table } from "../table.ts";

/** How a risky call is labelled in the list; `docs/risk.md` has the rules. */
const RISK_NAMES: Readonly<Record<Risk, string>> = {
  delete_outside: "deletes outside",
  force_push: "force push",
  force_push_lease: "force push (lease)",
  credentials: "credentials",
  network_install: "network install",
};

export const tools: Register = (program, io, exit) => {
  questionCommand(program, question, { isOfStore: true, defaults: { order: "worst" } })
    .description("list tool calls and how they ended: failed ones first, then the slowest")
    .addHelpText(
      "after",
      '\nExamples:\n  daybook tools --status failed --since 7d\n  daybook tools --risky --since yesterday\n  daybook tools --grep "npm test" --order time\n  daybook tools --session 019e2f1c --json',
    )
    .action(async (flags: CommonFlags) => {
      const opened = openDaybook(io, flags, { question });
      const { daybook, listQuery, query } = opened;
      const list = opened.hide(await daybook.tools(listQuery));
      const total = opened.json ? 0 : await totalOf(opened, list.length, () => inside(daybook).count("tools", query));
      const empty = list.length === 0 ? await opened.emptyText("tool calls") : null;
      const ids = opened.json ? [] : list.map(await inside(daybook).naming(list));
      const code = await opened.done();
      if (opened.json) printJson(io, { schema_version: 1, tools: list } satisfies ToolsAnswer);
      else if (empty !== null) io.out(`${empty}\n`);
      else print(io, list, total, ids, opened);
      exit(code);
    });
};

function print(
  io: Io,
  list: readonly ToolView[],
  total: number,
  ids: readonly string[],
  { daybook, paint }: Pick<OpenedDaybook, "daybook" | "paint">,
): void {
  const colour: Record<string, (s: string) => string> = {
    ok: paint.green,
    failed: paint.red,
    interrupted: paint.yellow,
    denied: paint.magenta,
    pending: paint.blue,
  };
  const marks = list.map((t) =>
    t.risks && t.risks.length > 0 ? `▲ ${t.risks.map((risk) => RISK_NAMES[risk]).join(", ")}: ` : "",
  );
  const marked = marks.filter((mark) => mark !== "").length;
  // To the minute only: people look for the command, which gets the width the other columns leave.
  const times = list.map((t) =>
    t.started_at === null ? "" : daybook.zone.clock(Date.parse(t.started_at)).slice(0, 16),
  );
  const rows = list.map((t, i) => [
    times[i] ?? "",
    t.status,
    t.exit_code === null ? "" : String(t.exit_code),
    duration(t.duration_ms),
    oneLine(t.name ?? "–", 14),
    `${marks[i] ?? ""}${t.not_pushed?.fields.includes("input") === true ? NOT_PUSHED : oneLine(inputSummary(t.input), 300)}`,
    place(t, ids[i] ?? ""),
  ]);
  io.out(
    `${table(
      [
        { head: "time", brief: times.map(withoutYear), dropOrder: 3 },
        {
          head: "status",
          // A search without a match failed only by its exit code.
          paint: (cell, row) => (list[row]?.expected_exit === true ? paint.dim : (colour[cell.trim()] ?? String))(cell),
        },
        { head: "exit", align: "right", dropOrder: 1 },
        { head: "took", align: "right", dropOrder: 2 },
        { head: "tool", minWidth: 8, paint: (cell) => paint.cyan(cell) },
        { head: "input", grow: true, paint: (cell, row) => highlight(cell, marks[row] ?? "", paint.red) },
        { head: "where", paint: (cell) => paint.dim(cell) },
      ],
      rows,
      io.columns,
      paint.bold,
      { text: (row) => reasonOf(list[row]), paint: paint.dim },
    )}\n\n${paint.dim(tally(list.length, total, "call", marked > 0 ? `${groupDigits(marked)} marked as risky` : ""))}\n`,
  );
}

/** Why a call did not succeed. */
function reasonOf(call: ToolView | undefined): string {
  if (call === undefined || call.status === "ok" || call.expected_exit === true) return "";
  return call.error === null ? "" : oneLine(call.error, 400);
}

function place({ turn_ref, start_line }: ToolView, id: string): string {
  return `${id}${turn_ref ? `/${turn_ref}` : ""}${start_line === null ? "" : `:${start_line}`}`;
}

/** Colours the mark as far as the cell was not cut off. */
function highlight(cell: string, mark: string, colour: (s: string) => string): string {
  return mark === "" ? cell : `${colour(cell.slice(0, mark.length))}${cell.slice(mark.length)}`;
}
