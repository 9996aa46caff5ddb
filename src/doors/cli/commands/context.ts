import { inside } from "../../../answers/daybook.ts";
import type { SessionNaming } from "../../../answers/lists.ts";
import type { ContextView } from "../../../answers/report/context-view.ts";
import { CONTEXT_FIELDS } from "../../../turns/settings.ts";
import { settingText, HASH_DIGITS } from "../../../views/context-trail.ts";
import { FIELD } from "../../../render/phrases.ts";
import type { ContextAnswer } from "../../../answers/json.ts";
import { printJson } from "../json.ts";
import { plural } from "../../../base/text/units.ts";
import { oneLine } from "../../../base/text/inert.ts";
import { flow, tally, wrapLines } from "../layout.ts";
import { context as question } from "../../../answers/questions/days.ts";
import { openDaybook, type OpenedDaybook as Opened } from "../open-daybook.ts";
import { type CommonFlags, questionCommand } from "../options.ts";
import type { Register } from "../flags.ts";

interface Flags extends CommonFlags {
  all?: boolean;
}

export const context: Register = (program, io, exit) => {
  questionCommand(program, question)
    .description("the settings of each turn (instructions, model, approval, sandbox, place) and where they changed")
    .option("--all", "every turn, including those where nothing changed")
    .addHelpText(
      "after",
      "\nExamples:\n  daybook context --since yesterday\n  daybook context --session 019e2f1c --json",
    )
    .action(async (flags: Flags) => {
      const opened = openDaybook(io, flags, { question });
      // In the text output the limit counts shown turns, and turns without a change are not shown: so it is applied
      // later.
      const limit = opened.json ? opened.query.limit : undefined;
      const views = await opened.daybook.context({ ...opened.query, limit, redact: flags.redact });
      const naming = await inside(opened.daybook).naming(views);
      const empty = views.length === 0 ? await opened.emptyText("requests") : null;
      const code = await opened.done();
      if (opened.json) printJson(io, { schema_version: 1, context: views } satisfies ContextAnswer);
      else if (empty !== null) io.out(`${empty}\n`);
      else io.out(list(views, flags.all === true, { ...opened, naming }, io.columns));
      exit(code);
    });
};

/** Per session: the settings it began with, then each turn that brought a change. */
function list(
  views: readonly ContextView[],
  all: boolean,
  { daybook, paint, listQuery, naming }: Opened & { naming: SessionNaming },
  width: number,
): string {
  const shown: { view: ContextView; isFirst: boolean }[] = [];
  const seen = new Set<string>();
  for (const view of views) {
    const session = `${view.source} ${view.session_id}`;
    const isFirst = !seen.has(session);
    if (isFirst || all || view.changes.length > 0) shown.push({ view, isFirst });
    seen.add(session);
  }
  const listed = listQuery.limit === undefined ? shown : shown.slice(-listQuery.limit);
  const out: string[] = [];
  for (const { view, isFirst } of listed) {
    const at = view.time === null ? "no time         " : daybook.zone.clock(Date.parse(view.time)).slice(0, 16);
    const place = [
      `${view.turn_ref} lines ${view.start_line}–${view.end_line}`,
      view.project,
      view.source,
      naming(view),
    ];
    const lines = flow(place, width - 18);
    out.push(...lines.map((line, i) => `${i === 0 ? paint.bold(at) : " ".repeat(16)}  ${paint.dim(line)}`));
    for (const [name, value] of isFirst || all ? settings(view) : [])
      out.push(`  ${paint.cyan(name.padEnd(13))} ${oneLine(value, width - 16)}`);
    for (const { field, from, to, line } of view.changes) {
      const text = `${FIELD[field] ?? field}: ${from === "" ? "" : `${from} → `}${to} (line ${line})`;
      out.push(`  ${paint.yellow("~")} ${oneLine(text, width - 4)}`);
    }
  }
  const unchanged = views.length - shown.length;
  const rest = `${plural(unchanged, "request")} without a change (--all)`;
  const count = tally(listed.length, shown.length, "turn", unchanged > 0 ? rest : "");
  return `${out.join("\n")}\n\n${wrapLines(count, width).map(paint.dim).join("\n")}\n`;
}

function settings(view: ContextView): [name: string, value: string][] {
  const rows: [string, string][] = [];
  for (const field of CONTEXT_FIELDS) {
    const value = view[field];
    if (value !== null) rows.push([FIELD[field] ?? field, settingText(value)]);
  }
  for (const { path, kind, hash, truncated } of view.instructions) {
    rows.push([
      "instructions",
      [path ?? kind, hash?.slice(0, HASH_DIGITS) ?? "", truncated ? "(truncated)" : ""].filter(Boolean).join(" "),
    ]);
  }
  return rows;
}
