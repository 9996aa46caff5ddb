import { isAbsolute } from "node:path";
import { z } from "zod";
import type { BlameLine, BlameView } from "../../../answers/blame/view.ts";
import { DaybookError } from "../../../base/errors.ts";
import { askedLine } from "../../../base/text/asked-line.ts";
import { money, plural } from "../../../base/text/units.ts";
import type { Zone } from "../../../base/time/zone.ts";
import { cursor, lineOf, tool, type Tool, whenOf } from "../tool.ts";

/**
 * Who wrote the lines of a file. The text itself is not included: this must not give access to files the client
 * cannot read.
 */
export const blame: Tool = tool({
  name: "blame",
  description:
    "Which request wrote the lines of a file, proven by recorded edits; `unknown` where that cannot be proven.",
  input: z.object({ target: z.string().max(2000).describe("FILE[:LINE[-LINE]]"), cursor }),
  answer: async ({ target }, { daybook, caller }) => {
    if (caller.cwd === null && !isAbsolute(target))
      throw new DaybookError("an absolute path is needed: the caller's directory is not known", {
        code: "usage",
        op: "blame",
      });
    const view = await daybook.blame(target, { cwd: caller.cwd ?? undefined });
    const { lines, attributed } = view.counts;
    return {
      about: `${attributed} of ${plural(lines, "line")} attributed`,
      text: blameText(view, daybook.zone),
    };
  },
});

function blameText({ path, lines, turns }: BlameView, zone: Zone): string {
  return [
    path,
    ...ranges(lines),
    ...turns.flatMap((one) => [
      "",
      lineOf([`${one.turn}:${one.request_line}`, one.project, whenOf(zone, one.time), one.model, money(one.cost_usd)]),
      `  asked: ${askedLine(one.request)}`,
    ]),
  ].join("\n");
}

/** Consecutive lines with the same author, as one range. */
function ranges(lines: readonly BlameLine[]): string[] {
  const out: { first: number; last: number; who: string }[] = [];
  for (const one of lines) {
    const who =
      one.turn ?? lineOf([`unknown: ${one.unknown ?? ""}`, one.commit && `commit ${one.commit.hash.slice(0, 10)}`]);
    const before = out.at(-1);
    if (before?.who === who && before.last === one.line - 1) before.last = one.line;
    else out.push({ first: one.line, last: one.line, who });
  }
  return out.map(({ first, last, who }) => `${first === last ? first : `${first}-${last}`}: ${who}`);
}
