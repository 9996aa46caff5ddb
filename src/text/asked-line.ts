/** A line that somebody pasted: a log, a trace, data, code, markup. */
const PASTED =
  /^(?:\s*at\s+\S+|\s*File "|Traceback|\s*\d{4}-\d\d-\d\d[T ]\d\d:|\[?\d\d:\d\d:\d\d|\s*[{}[\]<>|+=~^*#-]{3,}|\s*[{[]\s*"?|\s*<\/?[a-z!?]|\s*(?:import|from|const|let|var|function|class|def|return|export|#include|package|use|fn|pub)\b.*[;{(:]\s*$|(?:npm|pnpm|yarn) (?:ERR|error|warn)|(?:error|warning)(?:\[\w+\])?:|thread '|\$ |> |\+{3} |-{3} |@@ |diff --git|\s*\d+\s*\|)/i;
/** Headings and rules that files of instructions begin with. */
const HEADING = /^\s*(?:#{1,6}\s+|\*\*|={3,}|-{3,})/;

/** A line that says little without the next. */
const SHORT = 24;

function filledLines(text: string): string[] {
  const lines = text.slice(0, 20_000).split("\n");
  return lines.map((line) => line.trim()).filter((line) => /[\p{L}\p{N}]/u.test(line));
}

function isOwn(line: string): boolean {
  return !PASTED.test(line) && !HEADING.test(line);
}

/** Whether any line of it looks as if a person had written it, or is a heading of what was. */
export function hasOwnLine(text: string): boolean {
  return filledLines(text).some((line) => isOwn(line) || HEADING.test(line));
}

/** What a request is about, in one line: the first that a person would have written. */
export function askedLine(text: string): string {
  const filled = filledLines(text);
  const own = filled.find(isOwn);
  const first = own ?? filled.find((one) => HEADING.test(one)) ?? filled[0] ?? "";
  // `it says` needs what it says.
  const next = first.length < SHORT ? (filled[filled.indexOf(first) + 1] ?? "") : "";
  const line = `${first} ${next}`.trim();
  return (
    line
      .replace(/^\s*#{1,6}\s+/, "")
      // A pair goes together; of one that began or ends in another line there is only half.
      .replace(/^\*\*([^*]+)\*\*/, "$1")
      .replace(/\*\*([^*]+)\*\*$/, "$1")
      .replace(/^\*\*(?!.*\*\*)/, "")
      .replace(/\s+/g, " ")
      .trim()
  );
}
