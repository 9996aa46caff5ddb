/** The longest reason: about what a list of calls can show. The file has the rest. */
const LONGEST = 240;

/**
 * Why a command failed, according to what it printed: all of it if it is short, else its last lines, because programs
 * state the reason before they end. Null if it printed nothing.
 */
export function whyFailed(printed: string | null): string | null {
  const text = printed?.trim() ?? "";
  if (text.length <= LONGEST) return text === "" ? null : text;
  const [last = "", ...before] = text.slice(-LONGEST).split("\n").toReversed();
  // The first part is the rest of a line, unless it is the only one.
  if (before.length === 0) return `…${last}`;
  return ["…", ...before.slice(0, -1).toReversed(), last].join("\n");
}

/** What the command printed: the part of an output below its header. */
export function printedIn(text: string, from: number = 0): string | null {
  const mark = "\nOutput:";
  const at = text.indexOf(mark, from);
  return at === -1 ? null : text.slice(at + mark.length);
}

/** Codex's own message: the first line, or what a Rust error holds behind the whole command. */
export function messageIn(text: string): string {
  const message = quoted(WRAPPER.exec(text)?.[1]);
  return message === null ? firstLine(text) : shortened((quoted(REJECTED.exec(message)?.[1]) ?? message).trim());
}

const WRAPPER = /^\w+(?: \w+)? failed\b[\s\S]{0,4000}?CreateProcess \{ message: "((?:[^"\\]|\\.)*)" \}/;
const REJECTED = /^Rejected\("([\s\S]*)"\)$/;

/** The text of a Rust string literal. */
function quoted(inner: string | undefined): string | null {
  if (inner === undefined) return null;
  const escapes: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r" };
  return inner.replaceAll(/\\(u\{[\da-f]{1,6}\}|.)/gi, (_, escaped: string) =>
    escaped.startsWith("u{") ? String.fromCodePoint(codePoint(escaped)) : (escapes[escaped] ?? escaped),
  );
}

function codePoint(escaped: string): number {
  return Math.min(0x10_ff_ff, Number.parseInt(escaped.slice(2, -1), 16));
}

export function firstLine(text: string): string {
  return shortened(text.trim().split("\n", 1)[0] ?? "");
}

function shortened(text: string): string {
  return text.length <= LONGEST * 2 ? text : `${text.slice(0, LONGEST * 2)}…`;
}
