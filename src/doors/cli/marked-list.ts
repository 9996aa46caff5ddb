import { labelText } from "../../views/marks.ts";
import { inside, type MarkedView } from "../../answers/daybook.ts";
import type { MarksAnswer } from "../../answers/json.ts";
import { askedLine } from "../../base/text/asked-line.ts";
import type { Io } from "./io.ts";
import { printJson } from "./json.ts";
import { wrapLines, tally } from "./layout.ts";
import { resolveLastCitation } from "./last-shown.ts";
import type { OpenedDaybook } from "./options.ts";
import { shortIds } from "./short-ids.ts";
import { displayWidth, oneLine, plain } from "./text.ts";

/** Resolves a target as `show` does: it may also be a citation of the last report. */
export function resolveMarkTarget({ book }: OpenedDaybook, target: string): string {
  return (book === null ? null : resolveLastCitation(book, target)?.target) ?? target;
}

/** Prints the marks on one session or turn, and on the turns of a session. */
export async function printMarks(io: Io, opened: OpenedDaybook, views: readonly MarkedView[]): Promise<number> {
  const ids = await inside(opened.daybook).sessionIds();
  const code = await opened.done();
  const shown = opened.hide([...views]);
  if (opened.json) printJson(io, { schema_version: 1, marks: shown } satisfies MarksAnswer);
  else
    for (const view of shown) io.out(textOf(view, shortIds([view.session_id], ids)[0] ?? view.session_id, io, opened));
  return code;
}

/** Prints everything with such a mark; `empty` is the text for none. */
export async function printMarkList(
  io: Io,
  opened: OpenedDaybook,
  found: MarkedView[],
  empty: string,
): Promise<number> {
  const all = opened.hide(found);
  const ids = await inside(opened.daybook).sessionIds();
  const code = await opened.done();
  const shown = all.slice(0, opened.json ? opened.query.limit : opened.listQuery.limit);
  if (opened.json) {
    printJson(io, { schema_version: 1, marks: shown } satisfies MarksAnswer);
    return code;
  }
  if (shown.length === 0) io.out(`${wrapLines(empty, io.columns).join("\n")}\n`);
  const short = shortIds(
    shown.map(({ session_id }) => session_id),
    ids,
  );
  for (const [i, view] of shown.entries()) io.out(textOf(view, short[i] ?? view.session_id, io, opened));
  if (shown.length > 0) io.out(`\n${opened.paint.dim(tally(shown.length, all.length, ["marked", "marked"]))}\n`);
  return code;
}

/** A line with place and title, followed by the marks. */
function textOf(view: MarkedView, id: string, { columns }: Io, { daybook, paint }: OpenedDaybook): string {
  const clock = (time: string): string => daybook.zone.clock(Date.parse(time)).slice(0, 16);
  const when = view.started_at === null ? "no time" : clock(view.started_at);
  const place = plain(view.turn_ref === null ? id : `${id}/${view.turn_ref}`);
  const project = oneLine(view.project, 24);
  const room = Math.max(12, columns - displayWidth(`${when}  ${project}  ${place}  `));
  const title = oneLine(askedLine(view.title ?? ""), room);
  const lines = [`${paint.dim(when)}  ${paint.cyan(project)}  ${paint.dim(place)}  ${title}`.trimEnd()];
  const signs = [...(view.starred ? ["★"] : []), ...view.labels.map((label) => plain(labelText(label)))];
  if (signs.length > 0) lines.push(...wrapLines(`  ${signs.join("  ")}`, columns).map(paint.yellow));
  for (const { id: name, time, text } of view.notes) {
    const head = `  ${name.padEnd(4)} ${clock(time)}  `;
    const [first = "", ...rest] = wrapLines(text, Math.max(20, columns - head.length));
    lines.push(`${paint.dim(head)}${first}`, ...rest.map((line) => `${" ".repeat(head.length)}${line}`));
  }
  if (lines.length === 1) lines.push(paint.dim("  no marks"));
  return `${lines.join("\n")}\n`;
}
