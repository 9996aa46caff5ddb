import { z } from "zod";
import { plural } from "../../../base/text/units.ts";
import { cursor, tool, type Tool } from "../tool.ts";

/** How one record was classified, and why. */
export const explain: Tool = tool({
  name: "explain",
  description: "How one native record was understood: its class, the rule that decided, the turn that owns it.",
  input: z.object({ target: z.string().max(1000).describe("SESSION:LINE"), cursor }),
  answer: async ({ target }, { daybook }) => {
    const found = daybook.redactor.all(await daybook.explain(target));
    return {
      about: plural(found.length, "record"),
      text: found
        .map((one) =>
          [
            `${one.session_path}:${one.line}`,
            `record: ${one.native}${one.tentative ? " (what follows may change the verdict)" : ""}`,
            `class: ${one.class}`,
            `rule: ${one.reason}`,
            `turn: ${one.turn_ref ?? (one.prepares === null ? "none" : `none; prepares ${one.prepares}`)}`,
            `gives: ${one.records.map(({ type }) => type).join(", ") || "nothing"}`,
            `line: ${one.excerpt === "" ? "(no longer there, or no text)" : one.excerpt}`,
          ].join("\n"),
        )
        .join("\n\n"),
    };
  },
});
