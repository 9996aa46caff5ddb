import { z } from "zod";
import type { UsageView } from "../../../views/usage-sum.ts";
import { cost, plural } from "../../../base/text/units.ts";
import { usage as question } from "../../../answers/questions/usage.ts";
import { cursor, inputsOf, lineOf, only, tool, type Tool } from "../tool.ts";

/** Tokens and cost. */
export const usage: Tool = tool({
  name: "usage",
  description: "Tokens and cost in dollars by day, week, month, session, turn or model, each token counted once.",
  input: z.object({
    group: z.enum(question.query.group.values).default("daily"),
    ...inputsOf(only(question.query, ["project", "session", "since", "until"])),
    cursor,
  }),
  answer: async ({ group, session, since, until, project: named }, { daybook, caller }) => {
    const asked = { group, session, since, until, project: caller.project(named) };
    const made = await daybook.usage({ ...asked, by: "spent", breakdown: false, order: "desc" });
    const rows = made.rows.map((row) => lineOf([row.period, ...sums(row)]));
    return {
      about: plural(rows.length, "row"),
      text: [lineOf(["total", ...sums(made.totals)]), ...rows].join("\n"),
    };
  },
});

function sums(one: UsageView): string[] {
  return [
    `input ${one.input_tokens}`,
    `cached ${one.cached_input_tokens}`,
    `cache write ${one.cache_write_tokens}`,
    `output ${one.output_tokens}`,
    cost(one),
    one.models.join(", "),
    one.unpriced_models.length === 0 ? "" : `without a price: ${one.unpriced_models.join(", ")}`,
  ];
}
