import type { Explanation } from "../../../answers/daybook.ts";
import type { Io } from "../io.ts";
import type { ExplainAnswer } from "../../../answers/json.ts";
import { printJson } from "../json.ts";
import { commonFlags, openDaybook, type CommonFlags, type OpenedDaybook } from "../options.ts";
import type { Register } from "../register.ts";
import { plain, wrap } from "../text.ts";

export const explain: Register = (program, io, exit) => {
  commonFlags(program.command("explain"), ["project", "session", "since", "until", "limit"])
    .description("how one native record was understood, which rule decided, which turn owns it")
    .argument("<session:line>", "session id or path, and the line")
    .addHelpText("after", "\nExample:\n  daybook explain 019e2f1c:12")
    .action(async (target: string, flags: CommonFlags) => {
      const opened = openDaybook(io, flags);
      const list = opened.hide(await opened.daybook.explain(target));
      const code = await opened.done();
      if (opened.json) printJson(io, { schema_version: 1, explanations: list } satisfies ExplainAnswer);
      else for (const one of list) print(io, one, opened);
      exit(code);
    });
};

/** Width of the label column. */
const INDENT = 10;

function print(io: Io, e: Explanation, { daybook, paint }: OpenedDaybook): void {
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
