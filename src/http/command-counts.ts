import type { ToolView } from "../answers/tool-view.ts";
import { commandsOf } from "../shell/commands.ts";
import { operands } from "../shell/options.ts";
import { programsOf, programsOfWords, type Ran } from "../shell/ran.ts";
import type { CommandCount } from "./answers.ts";
import { order } from "../text/order.ts";

/** They only lead to what was meant. */
const ON_THE_WAY = new Set("bash sh zsh cd export set source . true echo pushd popd unset mkdir sleep".split(" "));
/** Of these the word behind says what was done. */
const SUBCOMMANDS =
  /^(?:git|npm|pnpm|yarn|bun|cargo|go|docker|kubectl|gh|terraform|make|just|uv|poetry|pip3?|brew|apt|apt-get|dotnet|mvn|gradle|gradlew|swift|xcodebuild|npx|systemctl|helm|aws|gcloud|az)$/;
/** Options before the subcommand that take a word of their own. */
const TAKES_WORD = /^(?:-[cC]|--prefix|--dir|--context|--namespace|-n)$/;
const PLACE = { roots: [], cwd: null };

/** Tool calls counted by what was run: a shell's by its program, any other by its tool's name. The most failed first. */
export function commandCounts(calls: readonly ToolView[]): CommandCount[] {
  const counts = new Map<string, CommandCount>();
  for (const { name, input, status, expected_exit, duration_ms } of calls) {
    const command = programName(name, input);
    const key = command ?? `\t${name}`;
    const known = counts.get(key) ?? {
      tool: name,
      command,
      calls: 0,
      failed: 0,
      denied: 0,
      duration_ms: 0,
      longest_ms: 0,
    };
    counts.set(key, known);
    known.calls++;
    if (status === "failed" && expected_exit !== true) known.failed++;
    if (status === "denied") known.denied++;
    known.duration_ms += duration_ms ?? 0;
    known.longest_ms = Math.max(known.longest_ms, duration_ms ?? 0);
  }
  return [...counts.values()].toSorted(
    (a, b) => b.calls - a.calls || b.failed - a.failed || order(a.command ?? a.tool, b.command ?? b.tool),
  );
}

/** `git commit`, `npm test`, `rg`; null where the call runs no command, or none that can be told. */
export function programName(tool: string, input: unknown): string | null {
  for (const command of commandsOf(tool, input)) {
    const ran: Ran[] = typeof command === "string" ? programsOf(command, PLACE) : programsOfWords(command, PLACE);
    const meant = ran.find(({ program }) => program !== "" && !ON_THE_WAY.has(program)) ?? ran[0];
    if (meant === undefined || meant.program === "" || meant.program.includes("\0")) continue;
    const [word] = operands(meant.args, TAKES_WORD);
    const isNamed = word !== undefined && SUBCOMMANDS.test(meant.program) && /^[a-z][\w:.-]{0,30}$/i.test(word);
    return isNamed ? `${meant.program} ${word}` : meant.program;
  }
  return null;
}
