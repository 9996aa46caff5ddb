/** A line that was pasted rather than typed: a log, a stack trace, data, code, markup. */
const PASTED =
  /^(?:\s*at\s+\S+|\s*File "|Traceback|\s*\d{4}-\d\d-\d\d[T ]\d\d:|\[?\d\d:\d\d:\d\d|\s*[{}[\]<>|+=~^*#-]{3,}|\s*[{[]\s*"?|\s*<\/?[a-z!?]|\s*(?:import|from|const|let|var|function|class|def|return|export|#include|package|use|fn|pub)\b.*[;{(:]\s*$|(?:npm|pnpm|yarn) (?:ERR|error|warn)|(?:error|warning)(?:\[\w+\])?:|thread '|\$ |> |\+{3} |-{3} |@@ |diff --git|\s*\d+\s*\|)/i;
/** Markdown headings and horizontal rules, which instruction files begin with. */
const HEADING = /^\s*(?:#{1,6}\s+|\*\*|={3,}|-{3,})/;

/** A line shorter than this is shown together with the next line. */
const SHORT_LINE = 24;

function filledLines(text: string): string[] {
  const lines = text.slice(0, 20_000).split("\n");
  return lines.map((line) => line.trim()).filter((line) => /[\p{L}\p{N}]/u.test(line));
}

function isTyped(line: string): boolean {
  return !PASTED.test(line) && !HEADING.test(line);
}

/** True when at least one line looks typed by a person, or is a heading. */
export function hasOwnLine(text: string): boolean {
  return filledLines(text).some((line) => isTyped(line) || HEADING.test(line));
}

/** Summarises a request in one line: its first line that looks typed by a person. */
export function askedLine(text: string): string {
  const filled = filledLines(text);
  const own = filled.find(isTyped);
  const first = own ?? filled.find((one) => HEADING.test(one)) ?? filled[0] ?? "";
  // A short line such as `it says:` means nothing without the line after it.
  const next = first.length < SHORT_LINE ? (filled[filled.indexOf(first) + 1] ?? "") : "";
  const line = `${first} ${next}`.trim();
  return (
    line
      .replace(/^\s*#{1,6}\s+/, "")
      // Removes paired `**`, and a single `**` whose partner is on another line.
      .replace(/^\*\*([^*]+)\*\*/, "$1")
      .replace(/\*\*([^*]+)\*\*$/, "$1")
      .replace(/^\*\*(?!.*\*\*)/, "")
      .replace(/\s+/g, " ")
      .trim()
  );
}
