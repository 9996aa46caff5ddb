/** A sentence of an agent's message, and the headline of the list it stands in. */
export interface Sentence {
  text: string;
  /** Of a list or section; null when the sentence stands in running text. */
  under: string | null;
}

/** Characters read, counted from the end of a message: what came long before was said in passing. */
const LONGEST = 6000;

const FENCE = /(?:^|\n)[ \t]{0,8}(?:```|~~~)[^]*?(?:\n[ \t]{0,8}(?:```|~~~)[^\n]*|$)/g;
const BULLET = /^\s{0,12}(?:[-*+•‣–]|\(?\d{1,3}[.)]|\[[ xX]\])\s+/;
const TABLE = /^\s*\|.*\|\s*$/;
const QUOTE = /^\s*>/;
/**
 * Sentence ends, including those of Chinese and Japanese. A dot inside `0.9.0`, `e.g.` or a path ends nothing, nor does
 * the one of `3. September`.
 */
const END = /(?<=[.!?…])(?<!(?:^|[\s(])\d{1,2}\.)["'’”)\]*_`]{0,4}\s+(?=\S)|(?<=[。！？])/;

/** The sentences of a message without code, tables and quotes; Markdown markup is removed. */
export function sentencesOf(message: string): Sentence[] {
  const cut = message.length > LONGEST;
  const head = cut ? message.slice(0, -LONGEST) : "";
  // A code block that began before the cut still hides its content.
  const fenced = head.split("```").length % 2 === 0 ? "```\n" : "";
  const text = `${fenced}${message.slice(-LONGEST)}`.replace(FENCE, "\n");
  const out: Sentence[] = [];
  let under: string | null = null;
  for (const raw of text.split("\n")) {
    if (TABLE.test(raw) || QUOTE.test(raw)) continue;
    const item = BULLET.test(raw);
    const line = bare(raw.replace(BULLET, ""));
    if (line === "") continue;
    const headline = headlineOf(raw, line);
    if (headline !== null && !item) {
      under = headline;
      // `Not done: the docs.` is a headline with its content on the same line; a headline alone is not a sentence.
      if (headline === line.replace(/[:：]$/, "")) continue;
    } else if (!item) under = null;
    for (const sentence of line.split(END)) {
      const trimmed = sentence.trim();
      if (trimmed !== "") out.push({ text: trimmed, under });
    }
  }
  return out;
}

const SHORT_QUESTION = 25;

/** The question that a message ends with, also when a list of what to choose from follows; null when it ends otherwise. */
export function endsInQuestion(message: string): string | null {
  const lines = message
    .slice(-LONGEST)
    .replace(FENCE, "\n")
    .split("\n")
    .filter((line) => line.trim() !== "");
  const last = lines.findLast((line) => !BULLET.test(line)) ?? "";
  const sentences = bare(last).split(END);
  const sentence = sentences.at(-1)?.trim() ?? "";
  if (!/[?？؟]["'’”)\]*_`]{0,4}$/.test(sentence)) return null;
  // `Acceptable?` says nothing without the sentence before.
  const before = sentence.length < SHORT_QUESTION ? sentences.at(-2)?.trim() : undefined;
  return before === undefined ? sentence : `${before} ${sentence}`;
}

/** `## Next steps`, `**Still open**`, `Remaining:`; for `Tests: not run` the part before the colon. */
function headlineOf(raw: string, line: string): string | null {
  if (/^\s{0,3}#{1,6}\s/.test(raw) || /^\s*\*\*[^*]{1,80}\*\*[:：]?\s*$/.test(raw)) return line.replace(/[:：]$/, "");
  // `Works. Next steps if you want:`
  const [, last] = /(?:^|[.!?。！？]\s*)([^.!?。！？:：]{1,60})[:：]$/.exec(line) ?? [];
  const [, before] = /^([^.!?。！？:：]{1,60})[:：]\s/.exec(line) ?? [];
  return last ?? before ?? null;
}

/** Without emphasis, links and headings; code spans keep their words. */
function bare(line: string): string {
  return line
    .replace(/^\s*#{1,6}\s+/, "")
    .replace(/!?\[([^\]\n]{0,200})\]\([^)\n]{0,500}\)/g, "$1")
    .replace(/\*\*|__|(?<![\w*])\*(?=\S)|(?<=\S)\*(?![\w*])/g, "")
    .trim();
}
