import { inside } from "../../../answers/daybook.ts";
import type { FileView, TouchingTurn } from "../../../answers/blame/file-view.ts";
import type { FileAnswer } from "../../../answers/json.ts";
import { askedLine } from "../../../base/text/asked-line.ts";
import type { Io } from "../io.ts";
import { printJson } from "../json.ts";
import { file as question } from "../../../answers/questions/code.ts";
import { openDaybook, questionCommand, type CommonFlags, type OpenedDaybook } from "../options.ts";
import type { Register } from "../register.ts";
import { shortIds } from "../short-ids.ts";
import { cost, money, NOT_PUSHED, oneLine, plain, plural, withoutYear } from "../text.ts";

export const file: Register = (program, io, exit) => {
  questionCommand(program, question)
    .description("the turns that touched a file, under any name it had, in order, with what they cost")
    .argument("<path>", "the file; it may be deleted")
    .addHelpText("after", "\nExamples:\n  daybook file src/app.ts\n  daybook file src/app.ts --since 28d --json")
    .action(async (path: string, flags: CommonFlags) => {
      const opened = openDaybook(io, flags, { question });
      const view = await opened.daybook.file(path, { ...opened.query, cwd: io.cwd, redact: flags.redact });
      const ids = opened.json ? [] : await inside(opened.daybook).sessionIds();
      const code = await opened.done();
      if (opened.json) printJson(io, { schema_version: 1, ...view } satisfies FileAnswer);
      else print(io, view, ids, opened);
      exit(code);
    });
};

function print(io: Io, { names, turns, cost_usd }: FileView, ids: readonly string[], opened: OpenedDaybook): void {
  if (turns.length === 0) io.out("No recorded turn touched it.\n");
  const short = shortIds(
    turns.map(({ session_id }) => session_id),
    ids,
  );
  for (const [i, turn] of turns.entries()) io.out(`${lineOf(turn, `${short[i]}/${turn.turn_ref}`, io, opened)}\n`);
  if (turns.length > 0) io.out(`\n${plural(turns.length, "turn")}, ${money(cost_usd)}\n`);
  for (const name of names.slice(1)) io.out(`before: ${plain(name)}\n`);
}

function lineOf(turn: TouchingTurn, name: string, io: Io, { daybook }: OpenedDaybook): string {
  const { trigger, changes, usage_with_children } = turn;
  const time = trigger.time === null ? "" : withoutYear(daybook.zone.clock(Date.parse(trigger.time)).slice(0, 16));
  const how = [...new Set(changes.map((change) => change.how))].join(", ");
  const head = `${time}  ${name}  ${cost(usage_with_children)}  ${how} :${changes[0]?.line ?? ""}  `;
  return `${head}${oneLine(trigger.text === null ? NOT_PUSHED : askedLine(trigger.text), Math.max(20, io.columns - head.length))}`;
}
