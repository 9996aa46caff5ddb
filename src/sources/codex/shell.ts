import type { RecordBody, UserBody } from "../../format/record.ts";
import { finishByItem } from "./calls.ts";
import { listOf, numberOf, stringOf, wordOf, type Fields } from "./fields.ts";
import { nativeTurnId } from "./native.ts";
import { verdict, type ClassifyContext, type Verdict } from "./verdict.ts";
import { fromCommand, settlementOf, type Settlement } from "./settlement.ts";
import { shellTranscript } from "./typed.ts";

/**
 * A command that the human typed with `!`. Its first record is the trigger; the transcript message after it is an echo.
 */
function shellTrigger(
  ctx: ClassifyContext,
  id: string,
  command: string,
  end: Settlement | null,
  output: string,
): RecordBody[] {
  const { state, record } = ctx;
  const root = state.kind === "root";
  const turn = nativeTurnId(record) ?? state.turn?.id ?? null;
  const body: UserBody = { type: "user", author: root ? "human" : "agent", text: `!${command}` };
  if (turn !== null) body.native_turn_id = turn;
  if (state.turn) body.ends_stated = true;
  if (root) {
    body.kind = "shell";
    body.entry = state.entry;
  }
  if (state.turn && state.turn.prompts === 0) state.turn.silent = true;
  const call = { id, name: "user_shell", input: { command }, turn };
  return [body, ...finishByItem(ctx, call, end, { output })];
}

/** `CommandExecution` or `exec_command_end` with source `user_shell`. */
export function shellFromCommand(ctx: ClassifyContext, item: Fields, id: string): Verdict {
  const command = commandText(item);
  ctx.state.shell = command;
  const output = stringOf(item.aggregated_output) ?? stringOf(item.formatted_output) ?? "";
  const records = shellTrigger(ctx, id, command, fromCommand(item), output);
  return verdict(ctx.state.kind === "root" ? "trigger" : "reaction", "codex.user_shell.command", records);
}

/** The `<user_shell_command>` message: an echo after a command item, or the only record in files without such items. */
export function shellFromTranscript(ctx: ClassifyContext, text: string): Verdict {
  const { state, record } = ctx;
  const transcript = shellTranscript(text);
  if (state.shell !== null && (transcript === null || transcript.command === state.shell)) {
    state.shell = null;
    return verdict("echo", "codex.user_shell.transcript");
  }
  if (transcript === null) return verdict("reaction", "codex.user_shell.unreadable");
  const { command, exitCode, durationMs, output } = transcript;
  const end: Settlement =
    exitCode === null
      ? settlementOf("ok")
      : { ...settlementOf(exitCode === 0 ? "ok" : "failed"), exitCode, durationMs };
  const records = shellTrigger(ctx, `line-${record.line}`, command, end, output);
  return verdict(state.kind === "root" ? "trigger" : "reaction", "codex.user_shell.transcript_only", records);
}

/** The command as a person would write it, without the shell invocation that Codex adds. */
export function commandText(item: Fields): string {
  if (typeof item.command === "string") return item.command;
  const words = listOf(item.command).flatMap((word) => wordOf(word) ?? numberOf(word)?.toString() ?? []);
  const [shell, flag, script] = words;
  const wrapped = words.length === 3 && /(?:sh|bash|zsh|pwsh|powershell|cmd)(?:\.exe)?$/i.test(shell ?? "");
  return wrapped && /^[-/]/.test(flag ?? "") ? (script ?? "") : words.join(" ");
}
