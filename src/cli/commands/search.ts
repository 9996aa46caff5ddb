import { SEARCH_KINDS, type InstructionPlace, type InstructionPlaces, type SearchFound } from "../../daybook.ts";
import { marksInBrief } from "../../answers/marks.ts";
import type { Io } from "../io.ts";
import type { SearchAnswer } from "../../daybook/json.ts";
import { printJson } from "../json.ts";
import { flow, tally } from "../layout.ts";
import { collect, commonFlags, openDaybook, type CommonFlags, type OpenedDaybook } from "../options.ts";
import type { Register } from "../register.ts";
import { unknown } from "../unknown.ts";
import { shortIds } from "../short-ids.ts";
import { marked } from "../snippet.ts";
import { displayWidth, oneLine, plain, plural, wrap } from "../text.ts";

interface Flags extends CommonFlags {
  kind?: string[];
}

export const search: Register = (program, io, exit) => {
  commonFlags(program.command("search"))
    .description(
      "find words in prompts, replies, reasoning, commands, tool input and output, instructions and notes, in any language",
    )
    .argument("<query...>", 'words, "exact phrases", beginnings*')
    .option("--kind <kind>", `only ${SEARCH_KINDS.join(", ")} (repeatable)`, collect)
    .addHelpText(
      "after",
      "\nExamples:\n  daybook search flaky test\n  daybook search '\"connection reset\"' --kind output --since 7d",
    )
    .action(async (words: string[], flags: Flags) => {
      for (const kind of flags.kind ?? []) {
        if (!(SEARCH_KINDS as readonly string[]).includes(kind)) throw unknown("kind", kind, SEARCH_KINDS);
      }
      const opened = openDaybook(io, flags);
      const { daybook, json } = opened;
      const limit = flags.limit?.trim() === "0" ? ALL : opened.query.limit;
      const query = { ...opened.query, limit, kinds: flags.kind ?? [], redact: flags.redact };
      const text = words.join(" ");
      const found = json
        ? { results: await daybook.search(text, query), total: null }
        : await daybook.searched(text, query);
      const empty = found.results.length === 0 ? await opened.none("results") : null;
      const among = json ? [] : await daybook.sessionIds();
      const code = await opened.done();
      if (json) printJson(io, { schema_version: 1, results: found.results } satisfies SearchAnswer);
      else if (empty !== null) io.out(`${empty}\n`);
      else print(io, found, among, opened);
      exit(code);
    });
};

/** More than any book has. */
const ALL = 10_000_000;

function print(
  io: Io,
  { results, total }: SearchFound,
  among: readonly string[],
  { daybook, paint }: OpenedDaybook,
): void {
  const clock = (time: number): string => daybook.zone.clock(time);
  const ids = shortIds(
    results.map((r) => r.session_id),
    among,
  );
  for (const [i, r] of results.entries()) {
    const when = r.time === null ? "" : clock(Date.parse(r.time)).slice(0, 16);
    const place = (id: string): string =>
      `${id}${r.turn_ref ? `/${r.turn_ref}` : ""}${r.line === null ? "" : `:${r.line}`}`;
    const said = [when, r.project, r.kind];
    const isWhole = displayWidth([...said, place(r.session_id)].join(" ")) <= io.columns;
    const where = place(isWhole ? r.session_id : (ids[i] ?? ""));
    const project = oneLine(r.project, Math.max(8, io.columns - displayWidth(`${when} ${r.kind} ${where}`) - 1));
    io.out(
      `${when === "" ? "" : `${paint.dim(when)} `}${paint.cyan(project)} ${paint.magenta(r.kind)} ${paint.dim(where)}\n`,
    );
    for (const line of marked(r, paint, io.columns - 2)) io.out(`  ${line}\n`);
    // A note is shown already.
    const signs = marksInBrief(r.kind === "note" && r.marks ? { ...r.marks, notes: [] } : r.marks);
    for (const line of flow(signs, io.columns - 2)) io.out(`  ${paint.yellow(line)}\n`);
    if (!r.instructions) continue;
    for (const line of wrap(inForce(r.instructions, clock), io.columns - 2, 4)) io.out(`  ${paint.dim(line)}\n`);
  }
  io.out(`\n${paint.dim(tally(results.length, total, "result"))}\n`);
}

/** One text, however many sessions were given it. */
function inForce(
  { kind, path, hash, sessions, first, last }: InstructionPlaces,
  clock: (time: number) => string,
): string {
  const at = ({ session_id, line, time }: InstructionPlace): string =>
    `${time === null ? "" : `${clock(Date.parse(time)).slice(0, 16)} `}${plain(session_id)}:${line}`;
  const places = sessions === 1 && first.line === last.line ? at(last) : `first ${at(first)}, last ${at(last)}`;
  return `${plain(path ?? kind)} (${hash.slice(0, 12)}), ${plural(sessions, "session")}: ${places}`;
}
