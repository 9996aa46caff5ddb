import { inside } from "../../../answers/daybook.ts";
import { printJson } from "../json.ts";
import { turns as question } from "../../../answers/questions/lists.ts";
import { openDaybook, ownLeftOut, questionCommand, totalOf, type CommonFlags } from "../options.ts";
import type { Register } from "../register.ts";
import { turnList } from "../turn-list.ts";

export const turns: Register = (program, io, exit) => {
  questionCommand(program, question, { isOfStore: true })
    .addHelpText("after", "\nExamples:\n  daybook turns --since yesterday\n  daybook turns --session 019e2f1c --json")
    .action(async (flags: CommonFlags) => {
      const opened = openDaybook(io, flags, { question });
      const { daybook, query, json } = opened;
      const texts = json ? await inside(daybook).turnTexts(query) : [];
      const list = json ? [] : opened.hide(await daybook.turns(opened.listQuery));
      const total = json ? 0 : await totalOf(opened, list.length, () => inside(daybook).count("turns", query));
      const leftOut = json ? "" : await ownLeftOut(opened, "turns");
      const empty = (json ? texts : list).length === 0 ? await opened.emptyText("turns") : null;
      const not_pushed = (await inside(daybook).notPushed()) ?? undefined;
      const code = await opened.done();
      if (json) printJson(io, { schema_version: 1, turns: opened.hideTexts(texts), not_pushed });
      else if (empty !== null) io.out(`${empty}\n`);
      else io.out(turnList(list, { total, leftOut }, daybook.zone, opened.paint, io.columns));
      exit(code);
    });
};
