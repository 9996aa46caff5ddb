/** The header that agents write before the output of a command: command, directory, duration, exit code. */
const HEAD =
  /^(?:Command|Chunk ID|Exit code|Wall time|Script (?:completed|failed|running))\b[^]{0,20000}?(?:^|\n)Output:/;

/** Status lines that agents add around the output. */
const AROUND =
  /^(?:Exit code:? -?\d+|Error: \(none\)|Signal: (?:\(none\)|\d+)|Background PIDs: .*|Process Group PGID: .*|Command exited with code -?\d+|Process exited with code -?\d+|<exited with exit code -?\d+>|<shellId: \S+ completed with exit code -?\d+>|\{"exit_code":-?\d+\}|Total output lines: \d+|\((?:empty|no output|Bash completed with no output)\))$/i;

/** Some agents wrap the output in JSON. */
const WRAPPED = /^\{"output":("(?:[^"\\]|\\.)*")/;

/** What the command itself printed, without the header and status lines that the agent added. */
export function commandOutput(output: string): string {
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
