import { order } from "../base/text/order.ts";
import { commandsOf } from "../base/shell/commands.ts";
import { operands } from "../base/shell/options.ts";
import { programsOf, programsOfWords, type ProgramRun } from "../base/shell/program-runs.ts";

/** Counts of the tool calls that ran one program, or of one tool. */
export interface CommandCount {
  /** The tool; if several ran the command, the first by name. Null when the team store does not hold it. */
  tool: string | null;
  /** The program with its subcommand; null when the calls run none. */
  command: string | null;
  calls: number;
  /** Without calls whose exit code is an ordinary answer. */
  failed: number;
  denied: number;
  /** Sum over the calls whose duration is known. */
  duration_ms: number;
  longest_ms: number;
}

/** Merges counts of the same command or tool. The most frequent first. */
export function addCounts(counts: Iterable<CommandCount>): CommandCount[] {
  const sums = new Map<string, CommandCount>();
  for (const one of counts) {
    const key = one.command ?? `\t${one.tool}`;
    const sum = sums.get(key);
    if (!sum) {
      sums.set(key, { ...one });
      continue;
    }
    if (order(one.tool ?? "", sum.tool ?? "") < 0) sum.tool = one.tool;
    for (const column of ["calls", "failed", "denied", "duration_ms"] as const) sum[column] += one[column];
    sum.longest_ms = Math.max(sum.longest_ms, one.longest_ms);
  }
  return [...sums.values()].toSorted(
    (a, b) => b.calls - a.calls || b.failed - a.failed || order(a.command ?? a.tool ?? "", b.command ?? b.tool ?? ""),
  );
}

/** Programs that usually only prepare for the actual command. */
const PREPARATORY = new Set("bash sh zsh cd export set source . true echo pushd popd unset mkdir sleep".split(" "));
/** Programs whose subcommand is part of the name. */
const SUBCOMMANDS =
  /^(?:git|npm|pnpm|yarn|bun|cargo|go|docker|kubectl|gh|terraform|make|just|uv|poetry|pip3?|brew|apt|apt-get|dotnet|mvn|gradle|gradlew|swift|xcodebuild|npx|systemctl|helm|aws|gcloud|az)$/;
/** Options before the subcommand that take a value. */
const TAKES_WORD = /^(?:-[cC]|--prefix|--dir|--context|--namespace|-n)$/;
const PLACE = { roots: [], cwd: null };

/** `git commit`, `npm test`, `rg`; null when the call runs no command, or none that can be determined. */
export function programName(tool: string, input: unknown): string | null {
  for (const command of commandsOf(tool, input)) {
    const ran: readonly ProgramRun[] =
      typeof command === "string" ? programsOf(command, PLACE) : programsOfWords(command, PLACE);
    const meant = ran.find(({ program }) => program !== "" && !PREPARATORY.has(program)) ?? ran[0];
    if (meant === undefined || meant.program === "" || meant.program.includes("\0")) continue;
    const [word] = operands(meant.args, TAKES_WORD);
    const isNamed = word !== undefined && SUBCOMMANDS.test(meant.program) && /^[a-z][\w:.-]{0,30}$/i.test(word);
    return isNamed ? `${meant.program} ${word}` : meant.program;
  }
  return null;
}
