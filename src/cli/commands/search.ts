import { DaybookError } from "../../errors.ts";
import { SEARCH_KINDS, type InstructionPlace, type InstructionPlaces, type SearchResult } from "../../daybook.ts";
import type { Io } from "../io.ts";
import type { Paint } from "../paint.ts";
import type { SearchAnswer } from "../../daybook/json.ts";
import { printJson } from "../json.ts";
import { collect, commonFlags, openDaybook, type CommonFlags } from "../options.ts";
import type { Register } from "../register.ts";
import { plain, plural } from "../text.ts";

interface Flags extends CommonFlags {
  kind?: string[];
}

export const search: Register = (program, io, exit) => {
  commonFlags(program.command("search"))
    .description(
      "find words in prompts, replies, reasoning, commands, tool input and output, and instructions, in any language",
    )
    .argument("<query...>", 'words, "exact phrases", beginnings*')
    .option("--kind <kind>", `only ${SEARCH_KINDS.join(", ")} (repeatable)`, collect)
    .addHelpText(
      "after",
      "\nExamples:\n  daybook search flaky test\n  daybook search '\"connection reset\"' --kind output --since 7d",
    )
    .action(async (words: string[], flags: Flags) => {
      for (const kind of flags.kind ?? []) {
        if (!(SEARCH_KINDS as readonly string[]).includes(kind)) {
          throw new DaybookError(`unknown kind: ${kind}`, {
            code: "usage",
            op: "search",
            hint: `one of ${SEARCH_KINDS.join(", ")}`,
          });
        }
      }
      const opened = openDaybook(io, flags);
      const results = await opened.daybook.search(words.join(" "), {
        ...opened.query,
        kinds: flags.kind ?? [],
        redact: flags.redact,
      });
      const code = await opened.done();
      if (opened.json) printJson(io, { schema_version: 1, results } satisfies SearchAnswer);
      else print(io, results, opened.paint, opened.daybook.zone.clock.bind(opened.daybook.zone));
      exit(code);
    });
};

function print(io: Io, results: readonly SearchResult[], paint: Paint, clock: (time: number) => string): void {
  for (const r of results) {
    const where = `${r.session_id}${r.turn_ref ? `/${r.turn_ref}` : ""}:${r.line}`;
    const when = r.time === null ? "" : clock(Date.parse(r.time)).slice(0, 16);
    io.out(`${paint.dim(when)} ${paint.cyan(plain(r.project))} ${paint.magenta(r.kind)} ${paint.dim(where)}\n`);
    io.out(`  ${marked(r, paint)}\n`);
    if (r.instructions) io.out(`  ${paint.dim(inForce(r.instructions, clock))}\n`);
  }
  io.out(`${results.length > 0 ? "\n" : ""}${paint.dim(plural(results.length, "result"))}\n`);
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

function marked(result: SearchResult, paint: Paint): string {
  const parts: string[] = [];
  let at = 0;
  for (const [from, to] of result.matches) {
    if (from < at) continue;
    parts.push(plain(result.snippet.slice(at, from)), paint.bold(paint.yellow(plain(result.snippet.slice(from, to)))));
    at = to;
  }
  parts.push(plain(result.snippet.slice(at)));
  return parts.join("").replace(/\s+/g, " ").trim();
}
