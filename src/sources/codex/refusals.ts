/**
 * Messages about calls that were not allowed to run: refused by the human, the approval policy, a rule, a hook or an
 * automatic reviewer. The wording is Codex's, from its source and from files. Each must be at the beginning of the
 * text, because the output of a command may contain anything.
 */
const REFUSALS: readonly RegExp[] = [
  // The human.
  /^[\w` -]{0,40}(?:rejected|declined|denied) by (?:the )?user\b/i,
  /^(?:the )?user (?:rejected|declined|cancelled)\b/i,
  // The approval policy; its value may be a structure of several lines.
  /^approval policy is [\s\S]{1,500}?; reject command\b/i,
  /^approval (?:required by policy|policy changed to never|settings changed|request timed out)\b/i,
  /^rejected by configuration\b/i,
  // Rules: the whole command, then the verdict, then a reason that a person wrote.
  /^`[\s\S]{1,4000}?` rejected: /,
  /^[^\n]{0,160}rejected: (?:blocked by policy|policy forbids)\b/i,
  /^(?:exec command|patch) rejected\b/i,
  // Hooks.
  /^(?:Command|Tool call) blocked by PreToolUse hook\b/i,
  // The automatic reviewer; if it does not answer in time, the call does not run either.
  /^this action was rejected\b/i,
  /^automatic approval review denied\b/i,
  /^the automatic permission approval review did not finish\b/i,
];

/** How much of the text is searched: a rule quotes the whole command before the verdict. */
const REACH = 6000;

/** A Rust error that wraps the message: `exec_command failed: CreateProcess { message: "Rejected(\"…\")" }`. */
const WRAPPED =
  /^(?:exec_command|shell|exec|write_stdin|unified exec) failed\b[\s\S]{0,4000}?CreateProcess \{ message: "Rejected\(\\*"/;

/**
 * Whether the text is a refusal, possibly wrapped in an error. `Rejected` alone can also mean that a process did not
 * start.
 */
export function isRefusal(text: string): boolean {
  const said = text.slice(0, REACH).trimStart();
  const wrapped = WRAPPED.exec(said);
  const inner = wrapped ? said.slice(wrapped[0].length) : said;
  return REFUSALS.some((words) => words.test(inner));
}
