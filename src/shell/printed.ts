/** What agents write before the output of a command: what ran, where, how long, how it ended. */
const HEAD =
  /^(?:Command|Chunk ID|Exit code|Wall time|Script (?:completed|failed|running))\b[^]{0,20000}?(?:^|\n)Output:/;

/** Lines that agents write around it. */
const AROUND =
  /^(?:Exit code:? -?\d+|Error: \(none\)|Signal: (?:\(none\)|\d+)|Background PIDs: .*|Process Group PGID: .*|Command exited with code -?\d+|Process exited with code -?\d+|<exited with exit code -?\d+>|<shellId: \S+ completed with exit code -?\d+>|\{"exit_code":-?\d+\}|Total output lines: \d+|\((?:empty|no output|Bash completed with no output)\))$/i;

/** Some wrap it in JSON. */
const WRAPPED = /^\{"output":("(?:[^"\\]|\\.)*")/;

/** What a command printed, without what the agent wrote around it. */
export function printed(output: string): string {
  let text = output.trim();
  const [, literal] = WRAPPED.exec(text) ?? [];
  if (literal !== undefined) text = parsed(literal);
  return text
    .replace(HEAD, "")
    .split("\n")
    .filter((line) => !AROUND.test(line.trim()))
    .join("\n")
    .trim();
}

function parsed(literal: string): string {
  try {
    return String(JSON.parse(literal));
  } catch {
    return literal;
  }
}
