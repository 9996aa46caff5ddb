import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { Daybook } from "../../daybook.ts";
import { commonFlags, openDaybook, type CommonFlags } from "../options.ts";
import type { Register } from "../register.ts";
import { cost, oneLine, short } from "../text.ts";
import type { UsageView } from "../../answers/usage-sum.ts";
import { parseJson } from "../../io/json.ts";

/** What Claude Code hands to its status line; every field may be missing. */
interface Hook {
  model?: { display_name?: string };
  cwd?: string;
  transcript_path?: string;
}

export const statusline: Register = (program, io, exit) => {
  commonFlags(program.command("statusline"))
    .description("one line for a shell prompt or Claude Code's status line: this session, today")
    .addHelpText(
      "after",
      '\nIn Claude Code\'s settings.json:\n  "statusLine": { "type": "command", "command": "daybook statusline" }',
    )
    .action(async (flags: CommonFlags) => {
      const hook = readHook(io.inIsTerminal !== false);
      // A prompt must not wait: today's sum comes from what was read before, the session from its own file.
      const opened = openDaybook(io, { ...flags, sync: false, quiet: true });
      const today = await opened.daybook.usage({
        since: "today",
        until: "today",
        group: "daily",
        by: "spent",
        breakdown: false,
        order: "asc",
      });
      const parts = [hook.model?.display_name, hook.cwd === undefined ? undefined : basename(hook.cwd)].filter(
        (part) => part !== undefined,
      );
      if (hook.transcript_path !== undefined) {
        const session = await usageOfFile(hook.transcript_path);
        if (session) parts.push(`session ${cost(session)} ${short(session.output_tokens)} out`);
      }
      parts.push(`today ${cost(today.totals)} ${short(today.totals.output_tokens)} out`);
      io.out(`${parts.map((part) => oneLine(part, 60)).join(" · ")}\n`);
      exit(0);
    });
};

function readHook(terminal: boolean): Hook {
  if (terminal) return {};
  try {
    const value: unknown = parseJson(readFileSync(0, "utf8"));
    return typeof value === "object" && value !== null ? value : {};
  } catch {
    return {};
  }
}

async function usageOfFile(path: string): Promise<UsageView | null> {
  try {
    const daybook = new Daybook({ roots: { "claude-code": [path] } });
    return (await daybook.usage({ group: "daily", by: "spent", breakdown: false, order: "asc" })).totals;
  } catch {
    return null;
  }
}
