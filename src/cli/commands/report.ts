import { fileURLToPath } from "node:url";
import { SAMPLES } from "../../places.ts";
import type { DaybookOptions } from "../../service.ts";
import { commonFlags, openDaybook, printJson, type CommonFlags } from "../options.ts";
import type { Register } from "../register.ts";
import { turnList } from "../turn-list.ts";

export const report: Register = (program, io, exit) => {
  commonFlags(program.command("report", { isDefault: true }))
    .description("the turns of the newest day with work (default command)")
    .option("--date <day>", "another day")
    .option("--sample", "use the bundled sample sessions")
    .action(async (flags: CommonFlags & { date?: string; sample?: boolean }) => {
      let opened = openDaybook(io, flags, flags.sample === true ? sampleRoots() : {});
      if (flags.sample !== true && flags.root === undefined && opened.daybook.opened().refs.length === 0) {
        io.err("daybook: no agent sessions found on this machine; showing the bundled samples\n");
        opened = openDaybook(io, flags, sampleRoots());
      }
      const { daybook, query } = opened;
      const all = await daybook.turns(
        flags.date === undefined ? query : { ...query, since: flags.date, until: flags.date },
      );
      const newest = all.findLast((turn) => turn.trigger.time !== null)?.trigger.time;
      const day = newest ? daybook.zone.day(Date.parse(newest)) : null;
      const bounded = flags.date ?? query.since ?? query.until;
      const shown =
        bounded === undefined && day !== null
          ? all.filter((turn) => turn.trigger.time !== null && daybook.zone.day(Date.parse(turn.trigger.time)) === day)
          : all;
      const code = await opened.done();
      if (opened.json) printJson(io, { schema_version: 1, date: day, turns: shown });
      else io.out(turnList(shown, daybook.zone, opened.paint, io.columns));
      exit(code);
    });
};

function sampleRoots(): Partial<DaybookOptions> {
  return {
    roots: {
      codex: [fileURLToPath(new URL("codex", SAMPLES))],
      "claude-code": [fileURLToPath(new URL("claude-code", SAMPLES))],
    },
  };
}
