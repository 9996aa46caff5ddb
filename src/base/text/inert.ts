/**
 * Session text is hostile: it may hold escape sequences, bidirectional overrides and invisible characters. Everything
 * printed goes through `plain`, which makes such characters visible instead of effective.
 */
const UNSAFE =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u115f\u1160\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164\ufdd0-\ufdef\ufeff\uffa0\ufff9-\ufffb]|\u034f|\u17b4|\u17b5|[\u{e0000}-\u{e0fff}]|\p{Surrogate}|(?<![\p{L}\p{M}\p{Extended_Pictographic}\p{Emoji_Modifier}\ufe0f])[\u200c\u200d]|[\u200c\u200d](?![\p{L}\p{M}\p{Extended_Pictographic}])/gu;

/** Fast path for most texts: compiling the pattern above takes longer than printing most answers. */
const SAFE =
  /^[\t\n\u0020-\u007e\u00a1-\u00ac\u00ae-\u02ff\u2010-\u2027\u2030-\u205e\u2190-\u21ff\u2500-\u259f\u2713\u2717]*$/;

export function plain(text: string): string {
  if (SAFE.test(text)) return text;
  return text.replaceAll("\r\n", "\n").replace(UNSAFE, visible);
}

function visible(c: string): string {
  const code = c.codePointAt(0) ?? 0;
  if (code === 0x1b) return "␛";
  if (code < 0x20) return String.fromCodePoint(0x2400 + code);
  // A lone surrogate has no UTF-8 encoding, so writers would each replace it differently.
  if (code >= 0xd800 && code <= 0xdfff) return "\ufffd";
  return "·";
}

/** Escapes characters that a terminal would act on. The value stays the same: they occur only inside JSON strings. */
export function plainJson(json: string): string {
  return json.replace(UNSAFE, (c) =>
    c
      .split("")
      .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
      .join(""),
  );
}

/** One line, cut to a width in terminal columns. */
export function oneLine(text: string, width: number): string {
  // Cut first: printing eighty columns must not process a megabyte of prompt.
  const flat = plain(text.slice(0, width * 8 + 200))
    .replace(/\s+/g, " ")
    .trim();
  return fit(flat, width);
}

export function fit(text: string, width: number): string {
  if (displayWidth(text) <= width) return text;
  return `${take(text, width - 1)}…`;
}

/** The longest prefix of whole graphemes that fits the width. */
function take(text: string, width: number): string {
  let used = 0;
  let out = "";
  for (const segment of segmentsOf(text)) {
    const w = segmentWidth(segment);
    if (used + w > width) break;
    out += segment;
    used += w;
  }
  return out;
}

/** The offsets of a word in its text, and its printed width in columns. */
export interface WordSpan {
  from: number;
  to: number;
  width: number;
}

export function wordSpans(text: string): WordSpan[] {
  return Array.from(text.matchAll(/\S+/g), ({ 0: word, index: from }) => ({
    from,
    to: from + word.length,
    width: displayWidth(plain(word)),
  }));
}

/** At most `most` lines of at most `width` columns. Keeps line breaks; ends in `…` when text was left out. */
export function wrap(text: string, width: number, most: number): string[] {
  const room = width * most * 8 + 200;
  const out: string[] = [];
  for (const line of plain(text.slice(0, room)).split("\n")) {
    const words = line.split(/\s+/).filter((word) => word !== "");
    if (words.length === 0) continue;
    let current = "";
    for (const word of words) {
      if (current !== "" && displayWidth(current) + 1 + displayWidth(word) <= width) current += ` ${word}`;
      else {
        if (current !== "") out.push(current);
        current = word;
        // Breaks a word that is longer than the line.
        for (
          let head = take(current, width);
          head !== "" && head.length < current.length;
          head = take(current, width)
        ) {
          if (out.length > most) break;
          out.push(head);
          current = current.slice(head.length);
        }
      }
      if (out.length > most) break;
    }
    out.push(current);
    if (out.length > most) break;
  }
  if (out.length <= most && text.length <= room) return out;
  const shown = out.slice(0, most);
  shown[shown.length - 1] = `${take(shown.at(-1) ?? "", width - 2)} …`;
  return shown;
}

/** Latin letters, common punctuation, box drawing and arrows: each is one grapheme of one column. */
const NARROW =
  /^[\u0020-\u007e\u00a1-\u00ac\u00ae-\u02ff\u2010-\u2027\u2030-\u205e\u2190-\u21ff\u2500-\u259f\u2713\u2717]*$/;
/** The same plus East Asian letters, each one grapheme of two columns. */
const SIMPLE =
  /^[\u0020-\u007e\u00a1-\u00ac\u00ae-\u02ff\u2010-\u2027\u2030-\u205e\u2190-\u21ff\u2500-\u259f\u2713\u2717\u3001-\u3029\u3041-\u3096\u30a0-\u30ff\u4e00-\u9fff\uac00-\ud7a3\uff01-\uff60]*$/;

let segmenter: Intl.Segmenter | null = null;

/** The graphemes of a text. The segmenter is created lazily: it is slow to construct, and few texts need it. */
function* segmentsOf(text: string): Generator<string, void, undefined> {
  if (SIMPLE.test(text)) return yield* text;
  segmenter ??= new Intl.Segmenter("en", { granularity: "grapheme" });
  for (const { segment } of segmenter.segment(text)) yield segment;
}

/** Two columns: East Asian wide ranges, emoji, and characters that a variation selector turns into emoji. */
const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}\p{Emoji_Presentation}]|\p{Emoji}\ufe0f/u;

function segmentWidth(segment: string): number {
  return WIDE.test(segment) ? 2 : 1;
}

export function displayWidth(text: string): number {
  if (NARROW.test(text)) return text.length;
  let width = 0;
  for (const segment of segmentsOf(text)) width += segmentWidth(segment);
  return width;
}

export function pad(text: string, width: number, align: "left" | "right" = "left"): string {
  const space = " ".repeat(Math.max(0, width - displayWidth(text)));
  return align === "left" ? text + space : space + text;
}
