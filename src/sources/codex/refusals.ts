/**
 * Calls that were never let run: by the human, by the approval policy, by a rule, a hook or an automatic reviewer. The words
 * are Codex's own, read in its source and in files; each begins the text, because what a command prints may say anything.
 */
const REFUSALS: readonly RegExp[] = [
  // The human.
  /^[\w` -]{0,40}(?:rejected|declined|denied) by (?:the )?user\b/i,
  /^(?:the )?user (?:rejected|declined|cancelled)\b/i,
  // The approval policy; its name may be a structure of several lines.
  /^approval policy is [\s\S]{1,500}?; reject command\b/i,
  /^approval (?:required by policy|policy changed to never|settings changed|request timed out)\b/i,
  /^rejected by configuration\b/i,
  // Rules: the whole command stands before the verdict, then a reason that a person wrote.
  /^`[\s\S]{1,4000}?` rejected: /,
  /^[^\n]{0,160}rejected: (?:blocked by policy|policy forbids)\b/i,
  /^(?:exec command|patch) rejected\b/i,
  // Hooks.
  /^(?:Command|Tool call) blocked by PreToolUse hook\b/i,
  // The automatic reviewer; one that did not answer in time let nothing run either.
  /^this action was rejected\b/i,
  /^automatic approval review denied\b/i,
  /^the automatic permission approval review did not finish\b/i,
];

/** How far a refusal may reach into a text: a rule quotes the command before it says no. */
const REACH = 6000;

/** An error that wraps what was said in Rust's words: `exec_command failed: CreateProcess { message: "Rejected(\"…\")" }`. */
const WRAPPED =
  /^(?:exec_command|shell|exec|write_stdin|unified exec) failed\b[\s\S]{0,4000}?CreateProcess \{ message: "Rejected\(\\*"/;

/** Whether the text says that a call was refused, as it is or inside an error. `Rejected` alone also means that nothing could start. */
export function isRefusal(text: string): boolean {
  const said = text.slice(0, REACH).trimStart();
  const wrapped = WRAPPED.exec(said);
  const inner = wrapped ? said.slice(wrapped[0].length) : said;
  return REFUSALS.some((words) => words.test(inner));
}
