import type { ContextView } from "../../report/context-view.ts";
import { CONTEXT_FIELDS, inWords, SHOWN } from "../../answers/context-trail.ts";
import { FIELD } from "../../report/render/phrases.ts";
import type { Zone } from "../../time/zone.ts";
import type { Io } from "../io.ts";
import type { Paint } from "../paint.ts";
import type { ContextAnswer } from "../../daybook/json.ts";
import { printJson } from "../json.ts";
import { commonFlags, openDaybook, type CommonFlags } from "../options.ts";
import type { Register } from "../register.ts";
import { oneLine, plural } from "../text.ts";

interface Flags extends CommonFlags {
  all?: boolean;
}

export const context: Register = (program, io, exit) => {
  commonFlags(program.command("context"))
    .description("what ruled each turn (instructions, model, approval, sandbox, place) and where it changed")
    .option("--all", "every turn, also those where nothing changed")
    .addHelpText(
      "after",
      "\nExamples:\n  daybook context --since yesterday\n  daybook context --session 019e2f1c --json",
    )
    .action(async (flags: Flags) => {
      const opened = openDaybook(io, flags);
      const views = await opened.daybook.context({ ...opened.query, redact: flags.redact });
      const code = await opened.done();
      if (opened.json) printJson(io, { schema_version: 1, context: views } satisfies ContextAnswer);
      else io.out(list(views, flags.all === true, opened.daybook.zone, opened.paint, io));
      exit(code);
    });
};

/** Per session: the settings it began with, then each turn that brought a change. */
function list(views: readonly ContextView[], all: boolean, zone: Zone, paint: Paint, io: Io): string {
  if (views.length === 0) return "No turns found. `daybook doctor` shows where Daybook looked.\n";
  const out: string[] = [];
  const seen = new Set<string>();
  for (const view of views) {
    const session = `${view.source} ${view.session_id}`;
    const fresh = !seen.has(session);
    if (!fresh && !all && view.changes.length === 0) continue;
    seen.add(session);
    const at = view.time === null ? "no time         " : zone.clock(Date.parse(view.time)).slice(0, 16);
    const place = `${view.turn_ref} lines ${view.start_line}–${view.end_line} · ${view.project} · ${session}`;
    out.push(`${paint.bold(at)}  ${paint.dim(oneLine(place, io.columns - 18))}`);
    const rows = fresh || all ? settings(view) : [];
    for (const [name, value] of rows) out.push(`  ${paint.cyan(name.padEnd(13))} ${oneLine(value, io.columns - 16)}`);
    for (const { field, from, to, line } of view.changes) {
      const text = `${FIELD[field] ?? field}: ${from === "" ? "" : `${from} → `}${to} (line ${line})`;
      out.push(`  ${paint.yellow("~")} ${oneLine(text, io.columns - 4)}`);
    }
  }
  return `${out.join("\n")}\n\n${paint.dim(plural(views.length, "turn"))}\n`;
}

function settings(view: ContextView): [name: string, value: string][] {
  const rows: [string, string][] = [];
  for (const field of CONTEXT_FIELDS) {
    const value = view[field];
    if (value !== null) rows.push([FIELD[field] ?? field, inWords(value)]);
  }
  for (const { path, kind, hash, truncated } of view.instructions) {
    rows.push([
      "instructions",
      [path ?? kind, hash?.slice(0, SHOWN) ?? "", truncated ? "(truncated)" : ""].filter(Boolean).join(" "),
    ]);
  }
  return rows;
}
