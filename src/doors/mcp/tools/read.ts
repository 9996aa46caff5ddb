import { inside } from "../../../answers/daybook.ts";
import { z } from "zod";
import { DaybookError } from "../../../base/errors.ts";
import { plural } from "../../../base/text/units.ts";
import { cursor, tool, type Tool, type ToolAnswer, type ToolContext } from "../tool.ts";
import { transcript, type Detail } from "../transcript.ts";

/** A session, a turn or a range of lines, as recorded. */
export const read: Tool = tool({
  name: "read",
  description:
    "A session, turn or line range in order, every statement with its native line. compact: requests, replies and one line per tool call; full: also reasoning, inputs and outputs.",
  input: z.object({
    target: z.string().max(1000).describe("SESSION[/TURN][:LINE[-LINE]], as cited"),
    detail: z.enum(["compact", "full"]).default("compact"),
    cursor,
  }),
  state: async ({ target }, { daybook }) => {
    const { session } = await daybook.find(placeOf(target).name);
    return inside(daybook).changeOf(session);
  },
  answer: async ({ target, detail }, asked) => {
    const { name, lines } = placeOf(target);
    return answerOf(name, lines, detail, asked);
  },
});

type Lines = readonly [first: number, last: number] | null;

function placeOf(target: string): { name: string; lines: Lines } {
  const [, name = target, first, last = first] = /^(.*?)(?::(\d+)(?:-(\d+))?)?$/.exec(target) ?? [];
  return { name, lines: first === undefined ? null : [Number(first), Number(last)] };
}

async function answerOf(name: string, lines: Lines, detail: Detail, { daybook }: ToolContext): Promise<ToolAnswer> {
  const { session, turn } = await daybook.find(name);
  const written = transcript(inside(daybook).sessionJson(session), daybook.zone, detail);
  const turns = turn ? [turn] : session.turns;
  for (const one of turns) written.expect(inside(daybook).turnJson(one));
  let count = 0;
  for await (const record of daybook.records(name)) {
    const line = record.origin.line ?? record.origin.row ?? 0;
    if (lines !== null && (line < lines[0] || line > lines[1])) continue;
    written.add(daybook.redactor.all(record));
    count++;
  }
  if (count === 0)
    throw new DaybookError("nothing was recorded there", {
      code: "not_found",
      op: "read session",
      hint: "leave the lines out to read all of it",
    });
  return { about: `${plural(count, "record")}, ${detail}`, text: written.text() };
}
