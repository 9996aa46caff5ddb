/** What precedes and follows the content of a message. Neither can occur inside a JSON string. */
const MESSAGE = /"message":\{([^{}[\]]*"content":\[)/;
const AFTER = '],"stop_reason":';

/** A line and the position of its message content. */
export interface SplitLine {
  text: string;
  /** The message fields before the content. */
  about: string;
  from: number;
  to: number;
}

/** Locates the message content of a line; null when the line has another structure. */
export function splitLine(text: string): SplitLine | null {
  const begin = MESSAGE.exec(text);
  if (begin === null) return null;
  const [whole, about = ""] = begin;
  const from = begin.index + whole.length;
  const to = text.lastIndexOf(AFTER);
  return to < from ? null : { text, about, from, to };
}

/** A message id; without one every line counts as a separate response. */
const NAMED = /"id":"[^"]/;
/** The usage object; searched for from `lastIndex`, after the content. */
const USAGE = /"usage":\{(?:[^{}"\\]|"[^"\\]*"|\{(?:[^{}"\\]|"[^"\\]*")*\})*\}/g;
const REQUEST = /"requestId":"[^"]*"/;
/**
 * Part of `isAbortedMidStream`, the only field outside the message that makes repeated usage new. Starting at the rare
 * capital letter makes the search faster.
 */
const CUT = "AbortedMidStream";

/**
 * Every line of a response states the usage of the whole response, so half of all lines repeat the line before. They
 * are recognised by comparing the text of the message's first fields, the usage and the request id, without parsing.
 */
export function isRepeated(line: SplitLine, last: SplitLine): boolean {
  if (line.about !== last.about || !NAMED.test(line.about) || line.text.includes(CUT)) return false;
  const usage = usageIn(line);
  if (usage === null || usage !== usageIn(last)) return false;
  const request = requestIn(line);
  return request !== null && request === requestIn(last);
}

function usageIn({ text, to }: SplitLine): string | null {
  USAGE.lastIndex = to;
  return USAGE.exec(text)?.[0] ?? null;
}

/** The request id is before or after the message, depending on the version. */
function requestIn({ text, from, to }: SplitLine): string | null {
  return (REQUEST.exec(text.slice(0, from)) ?? REQUEST.exec(text.slice(to)))?.[0] ?? null;
}
