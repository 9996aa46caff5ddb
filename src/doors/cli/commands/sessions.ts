import { inside, type QueryFor } from "../../../answers/daybook.ts";
import type { SessionView } from "../../../views/session-view.ts";
import { marksInBrief } from "../../../views/marks.ts";
import { askedLine } from "../../../base/text/asked-line.ts";
import type { Io } from "../io.ts";
import type { LostPromptsAnswer } from "../../../answers/json.ts";
import { printJson } from "../json.ts";
import { oneLine, plain } from "../../../base/text/inert.ts";
import { cost, groupDigits, shortNumber } from "../../../base/text/units.ts";
import { beforePath, tally, withoutYear } from "../layout.ts";
import { LISTED, MARKS, SORTED } from "../../../views/query/fields.ts";
import { sessions as question } from "../../../answers/questions/lists.ts";
import { openDaybook, type OpenedDaybook, ownLeftOut, totalOf } from "../open-daybook.ts";
import { type CommonFlags, questionCommand } from "../options.ts";
import { filterWords, type Register, usageError } from "../flags.ts";
import { table, type Column } from "../table.ts";

export const sessions: Register = (program, io, exit) => {
  questionCommand(program, question, { isOfStore: true })
    .option("--lost", "list prompts found only in an agent's input history, whose sessions left no transcript")
    .addHelpText(
      "after",
      "\nExamples:\n  daybook sessions --since 7d\n  daybook sessions --project my-app --json\n  daybook sessions --lost",
    )
    .action(async (flags: CommonFlags & { lost?: boolean }) => {
      const opened = openDaybook(io, flags, { question });
      const [filter] = filterWords({ ...MARKS, ...LISTED, ...SORTED }, opened.query);
      if (flags.lost === true && filter !== undefined)
        throw usageError(
          `--lost lists prompts without a session: ${filter} has no effect on them`,
          "leave one of them out",
        );
      if (flags.lost === true) return exit(await listLost(io, opened));
      const { daybook, query, json } = opened;
      const texts = json ? await inside(daybook).sessionTexts(query) : [];
      const listed = json ? null : await listOf(opened);
      const empty = (listed?.list ?? texts).length === 0 ? await opened.emptyText("sessions") : null;
      const not_pushed = (await inside(daybook).notPushed()) ?? undefined;
      const code = await opened.done();
      if (listed === null) printJson(io, { schema_version: 1, sessions: opened.hideTexts(texts), not_pushed });
      else if (empty !== null) io.out(`${empty}\n`);
      else print(io, listed, opened);
      exit(code);
    });
};

interface Listed {
  list: SessionView[];
  /** Its title, otherwise its first request. */
  titles: string[];
  /** Their ids in brief. */
  ids: string[];
  total: number;
  leftOut: string;
}

type Opened = OpenedDaybook<QueryFor<"sessions">>;

async function listOf(opened: Opened): Promise<Listed> {
  const { daybook, hide } = opened;
  const list = hide(await daybook.sessions(opened.listQuery));
  // A session without a title still shows its first request.
  const untitled = list.filter(({ title, kind }) => title === null && kind === "root");
  const asked = hide(await inside(daybook).firstRequests(untitled));
  const first = new Map(untitled.map((session, i) => [session, asked[i] ?? ""]));
  return {
    list,
    titles: list.map((session) => {
      const known = session.title ?? first.get(session) ?? "";
      return known === "" && session.not_pushed ? "–" : askedLine(known);
    }),
    ids: list.map(await inside(daybook).naming(list)),
    total: await totalOf(opened, list.length, () => inside(daybook).count("sessions", opened.query)),
    leftOut: await ownLeftOut(opened, "sessions"),
  };
}

async function listLost(io: Io, opened: Opened): Promise<number> {
  const { daybook, query, paint, json } = opened;
  const lost = opened.hide(await daybook.lost(json ? query : { ...query, limit: undefined }));
  const code = await opened.done();
  if (json) {
    printJson(io, { schema_version: 1, lost_prompts: lost } satisfies LostPromptsAnswer);
    return code;
  }
  // All lost prompts are known at this point, so the limit is applied here.
  const shown = lost.slice(0, opened.listQuery.limit);
  for (const { time, source, project, text, path, line } of shown) {
    const at = time === null ? "no time         " : daybook.zone.clock(Date.parse(time)).slice(0, 16);
    const who = `${source}${project === null ? "" : ` ${plain(project)}`}`;
    const [head = "", below] = beforePath(`${at}  ${who}`, `${path}:${line}`, io.columns);
    io.out(`${paint.bold(at)}${head.slice(at.length)}\n${below === undefined ? "" : `${paint.dim(below)}\n`}`);
    io.out(`  ${oneLine(askedLine(text), io.columns - 2)}\n`);
  }
  const count = tally(shown.length, lost.length, ["prompt without a transcript", "prompts without a transcript"]);
  io.out(`${lost.length > 0 ? "\n" : ""}${paint.dim(count)}\n`);
  return code;
}

function print(io: Io, { list, titles, ids, total, leftOut }: Listed, { daybook, paint }: Opened): void {
  const times = list.map((s) =>
    s.started_at === null ? "" : daybook.zone.clock(Date.parse(s.started_at)).slice(0, 16),
  );
  const hasMarks = list.some(({ marks }) => marks !== null);
  const rows = list.map((s, i) => [
    times[i] ?? "",
    s.source,
    s.project,
    ...(hasMarks ? [marksCell(s)] : []),
    s.kind === "root" ? oneLine(titles[i] ?? "", 200) : `↳ ${s.kind}${s.role ? ` ${oneLine(s.role, 24)}` : ""}`,
    groupDigits(s.turns),
    s.tools.failed > 0
      ? `${groupDigits(s.tools.total)} (${groupDigits(s.tools.failed)} failed)`
      : groupDigits(s.tools.total),
    shortNumber(
      s.usage.input_tokens + s.usage.cached_input_tokens + s.usage.cache_write_tokens + s.usage.output_tokens,
    ),
    cost(s.usage),
    ids[i] ?? "",
  ]);
  const columns: Column[] = [
    { head: "started", brief: times.map(withoutYear) },
    { head: "agent", dropOrder: 3 },
    { head: "project", minWidth: 12, dropOrder: 6, paint: (cell) => paint.cyan(cell) },
    ...(hasMarks ? [{ head: "marks", minWidth: 12, dropOrder: 7, paint: (cell: string) => paint.yellow(cell) }] : []),
    { head: "title", grow: true },
    { head: "requests", align: "right", dropOrder: 4 },
    { head: "tools", align: "right", dropOrder: 2, brief: list.map((s) => groupDigits(s.tools.total)) },
    { head: "tokens", align: "right", dropOrder: 1 },
    { head: "cost", align: "right", dropOrder: 5 },
    { head: "id", paint: (cell) => paint.dim(cell) },
  ];
  io.out(
    `${table(columns, rows, io.columns, paint.bold)}\n\n${paint.dim(tally(list.length, total, "session", leftOut))}\n`,
  );
}

/** The marks on the session itself, followed by its marked turns. */
function marksCell({ marks }: SessionView): string {
  if (!marks) return "";
  const turns = marks.turns.map((turn) => [turn.turn_ref, ...marksInBrief(turn)].join(" "));
  return oneLine([...marksInBrief(marks), ...turns].join(" "), 40);
}
