import { z } from "zod";
import { inside } from "../../../answers/daybook.ts";
import type { SessionNaming } from "../../../answers/lists.ts";
import type { DecisionView } from "../../../views/decision-view.ts";
import { plural } from "../../../base/text/units.ts";
import type { Zone } from "../../../base/time/zone.ts";
import { decisions as question } from "../../../answers/questions/days.ts";
import { cursor, inputsOf, lineOf, only, tool, type Tool, turnCitation, whenOf } from "../tool.ts";

/** Questions to the human, and the answers. */
export const decisions: Tool = tool({
  name: "decisions",
  description: "Questions agents put to the human, with options and the answer, newest first.",
  input: z.object({
    ...inputsOf(only(question.query, ["project", "session", "since", "until", "unanswered"])),
    limit: z.number().int().min(1).max(100).default(20),
    cursor,
  }),
  answer: async ({ session, since, until, unanswered, limit, project: named }, { daybook, caller }) => {
    const isOwn = await caller.isOwn();
    const found = await daybook.decisions({ session, since, until, unanswered, project: caller.project(named) });
    // A session that is named explicitly is included, even the caller's own.
    const others = session === undefined ? found.filter((one) => !isOwn(one)) : found;
    const shown = others.slice(-limit).toReversed();
    const naming = await inside(daybook).naming(shown);
    return {
      about: `${shown.length} of ${plural(others.length, "decision")}`,
      text: shown.map((one) => decisionText(one, naming, daybook.zone)).join("\n"),
    };
  },
});

function decisionText(one: DecisionView, naming: SessionNaming, zone: Zone): string {
  const lines = [one.asked_line, one.answered_line].filter((line) => line !== null).join("-");
  const answer = lineOf([one.choice, one.free_text]);
  return [
    lineOf([`${turnCitation(one, naming)}${lines === "" ? "" : `:${lines}`}`, one.project, whenOf(zone, one.time)]),
    `  ${one.title ?? ""}`,
    ...(one.options ?? []).map(({ label }) => `  - ${label}${label === one.recommended ? " (recommended)" : ""}`),
    `  ${one.tier === "prose" ? "said" : "answer"}: ${one.answered ? answer || "in other words" : "none"}`,
  ].join("\n");
}
