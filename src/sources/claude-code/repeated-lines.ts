/** What stands before and after the content of a line's message. Between quotes neither can stand. */
const MESSAGE = /"message":\{([^{}[\]]*"content":\[)/;
const AFTER = '],"stop_reason":';

/** A line and where the content of its message stands. */
export interface Parted {
  text: string;
  /** What the message says of itself before its content. */
  about: string;
  from: number;
  to: number;
}

/** Null when the line is built otherwise. */
export function parted(text: string): Parted | null {
  const begin = MESSAGE.exec(text);
  if (begin === null) return null;
  const [whole, about = ""] = begin;
  const from = begin.index + whole.length;
  const to = text.lastIndexOf(AFTER);
  return to < from ? null : { text, about, from, to };
}

/** A response of its own has an id; without one every line is a response. */
const NAMED = /"id":"[^"]/;
/** Behind the content, or anywhere. */
const USAGE = /"usage":\{(?:[^{}"\\]|"[^"\\]*"|\{(?:[^{}"\\]|"[^"\\]*")*\})*\}/g;
const REQUEST = /"requestId":"[^"]*"/;
/** Of the one field beside the message that makes a repeated statement new; its first letter is rare, so it is sought quickly. */
const CUT = "AbortedMidStream";

/**
 * Every line of a response states the usage of the whole: half of all lines say of tokens what the line before said. They are
 * known by the bytes of the message's beginning, its usage and the request, and not parsed.
 */
export function isRepeated(line: Parted, last: Parted): boolean {
  if (line.about !== last.about || !NAMED.test(line.about) || line.text.includes(CUT)) return false;
  const usage = usageIn(line);
  if (usage === null || usage !== usageIn(last)) return false;
  const request = requestIn(line);
  return request !== null && request === requestIn(last);
}

function usageIn({ text, to }: Parted): string | null {
  USAGE.lastIndex = to;
  return USAGE.exec(text)?.[0] ?? null;
}

/** It stands before the message or behind it, as the version of the agent has it. */
function requestIn({ text, from, to }: Parted): string | null {
  return (REQUEST.exec(text.slice(0, from)) ?? REQUEST.exec(text.slice(to)))?.[0] ?? null;
}
