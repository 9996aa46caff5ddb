import type { SessionView } from "../../answers/session-view.ts";
import { askedLine } from "../../report/asked-line.ts";
import type { Io } from "../io.ts";
import type { LostPromptsAnswer } from "../../daybook/json.ts";
import { printJson } from "../json.ts";
import { commonFlags, openDaybook, type CommonFlags } from "../options.ts";
import type { Register } from "../register.ts";
import { shortIds } from "../short-ids.ts";
import { table, type Column } from "../table.ts";
import { cost, grouped, oneLine, plain, plural, short, withoutYear } from "../text.ts";

export const sessions: Register = (program, io, exit) => {
  commonFlags(program.command("sessions"))
    .description("list sessions, newest first")
    .option("--lost", "prompts that only an agent's input history has: their session left no transcript")
    .addHelpText(
      "after",
      "\nExamples:\n  daybook sessions --since 7d\n  daybook sessions --project my-app --json\n  daybook sessions --lost",
    )
    .action(async (flags: CommonFlags & { lost?: boolean }) => {
      const opened = openDaybook(io, flags);
      if (flags.lost === true) return exit(await listLost(io, opened));
      const { daybook, query, json } = opened;
      const texts = json ? await daybook.sessionTexts(query) : [];
      const list = json ? [] : opened.hide(await daybook.sessions(query));
      const code = await opened.done();
      if (json) printJson(io, { schema_version: 1, sessions: opened.hideTexts(texts) });
      else print(io, list, opened);
      exit(code);
    });
};

async function listLost(io: Io, opened: ReturnType<typeof openDaybook>): Promise<number> {
  const { daybook, query, paint, json } = opened;
  const lost = opened.hide(await daybook.lost(query));
  const code = await opened.done();
  if (json) {
    printJson(io, { schema_version: 1, lost_prompts: lost } satisfies LostPromptsAnswer);
    return code;
  }
  for (const { time, source, project, text, path, line } of lost) {
    const at = time === null ? "no time         " : daybook.zone.clock(Date.parse(time)).slice(0, 16);
    io.out(
      `${paint.bold(at)}  ${source}${project === null ? "" : ` ${paint.cyan(plain(project))}`}  ${paint.dim(`${plain(path)}:${line}`)}\n`,
    );
    io.out(`  ${oneLine(text, io.columns - 2)}\n`);
  }
  io.out(`${lost.length > 0 ? "\n" : ""}${paint.dim(`${plural(lost.length, "prompt")} without a transcript`)}\n`);
  return code;
}

function print(io: Io, list: readonly SessionView[], { daybook, paint }: ReturnType<typeof openDaybook>): void {
  if (list.length === 0) {
    io.out("No sessions found. `daybook doctor` shows where Daybook looked.\n");
    return;
  }
  const ids = shortIds(list.map((s) => s.session_id));
  const times = list.map((s) =>
    s.started_at === null ? "" : daybook.zone.clock(Date.parse(s.started_at)).slice(0, 16),
  );
  const rows = list.map((s, i) => [
    times[i] ?? "",
    s.source,
    s.project,
    s.kind === "root"
      ? oneLine(askedLine(s.title ?? ""), 200)
      : `↳ ${s.kind}${s.role ? ` ${oneLine(s.role, 24)}` : ""}`,
    grouped(s.turns),
    s.tools.failed > 0 ? `${grouped(s.tools.total)} (${grouped(s.tools.failed)} failed)` : grouped(s.tools.total),
    short(s.usage.input_tokens + s.usage.cached_input_tokens + s.usage.cache_write_tokens + s.usage.output_tokens),
    cost(s.usage),
    s.session_id.slice(0, 18),
  ]);
  const columns: Column[] = [
    { head: "started", brief: times.map(withoutYear) },
    { head: "agent", leaves: 3 },
    { head: "project", least: 12, leaves: 6, paint: (cell) => paint.cyan(cell) },
    { head: "title", grow: true },
    { head: "turns", align: "right", leaves: 4 },
    { head: "tools", align: "right", leaves: 2, brief: list.map((s) => grouped(s.tools.total)) },
    { head: "tokens", align: "right", leaves: 1 },
    { head: "cost", align: "right", leaves: 5 },
    { head: "id", brief: ids, paint: (cell) => paint.dim(cell) },
  ];
  io.out(`${table(columns, rows, io.columns, paint.bold)}\n\n${paint.dim(plural(list.length, "session"))}\n`);
}
