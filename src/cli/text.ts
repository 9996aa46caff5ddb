/**
 * Session text is hostile: it may hold escape sequences, bidirectional overrides and invisible characters. Everything
 * printed to a terminal goes through `plain`, which makes such characters visible instead of effective.
 */
const UNSAFE =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|[\u{e0000}-\u{e007f}]/gu;

export function plain(text: string): string {
  return text.replaceAll("\r\n", "\n").replace(UNSAFE, (c) => {
    const code = c.codePointAt(0) ?? 0;
    if (code === 0x1b) return "␛";
    if (code < 0x20) return String.fromCodePoint(0x2400 + code);
    return "·";
  });
}

/** One line, cut to a width in terminal columns. */
export function oneLine(text: string, width: number): string {
  // A megabyte of prompt is not walked to print eighty columns of it.
  const flat = plain(text.slice(0, width * 8 + 200))
    .replace(/\s+/g, " ")
    .trim();
  return fit(flat, width);
}

export function fit(text: string, width: number): string {
  if (displayWidth(text) <= width) return text;
  let used = 0;
  let out = "";
  for (const { segment } of SEGMENTS.segment(text)) {
    const w = segmentWidth(segment);
    if (used + w > width - 1) break;
    out += segment;
    used += w;
  }
  return `${out}…`;
}

const SEGMENTS = new Intl.Segmenter("en", { granularity: "grapheme" });
// East Asian wide ranges and emoji take two columns.
const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u;

function segmentWidth(segment: string): number {
  return WIDE.test(segment) ? 2 : 1;
}

export function displayWidth(text: string): number {
  if (/^[\u0020-\u007e]*$/.test(text)) return text.length;
  let width = 0;
  for (const { segment } of SEGMENTS.segment(text)) width += segmentWidth(segment);
  return width;
}

export function pad(text: string, width: number, align: "left" | "right" = "left"): string {
  const space = " ".repeat(Math.max(0, width - displayWidth(text)));
  return align === "left" ? text + space : space + text;
}

/** 1234567 → 1.2M: for people; JSON keeps the number. */
export function short(n: number): string {
  if (n < 1000) return String(n);
  for (const [limit, unit] of [
    [1e6, "k"],
    [1e9, "M"],
    [1e12, "G"],
  ] as const) {
    if (n < limit) {
      const value = n / (limit / 1000);
      return `${value < 10 ? value.toFixed(1) : Math.round(value)}${unit}`;
    }
  }
  return `${Math.round(n / 1e12)}T`;
}

export function money(usd: number | null): string {
  if (usd === null) return "–";
  return usd !== 0 && Math.abs(usd) < 0.01 ? `$${usd.toFixed(4)}` : `$${usd.toFixed(2)}`;
}

export function duration(ms: number | null): string {
  if (ms === null) return "";
  if (ms < 1000) return `${ms}ms`;
  const s = ms / 1000;
  if (s < 60) return `${s.toFixed(s < 10 ? 1 : 0)}s`;
  if (s < 3600) return `${Math.floor(s / 60)}m${String(Math.floor(s % 60)).padStart(2, "0")}s`;
  return `${Math.floor(s / 3600)}h${String(Math.floor((s % 3600) / 60)).padStart(2, "0")}m`;
}

export function plural(n: number, one: string, many: string = `${one}s`): string {
  return `${n.toLocaleString("en-US")} ${n === 1 ? one : many}`;
}
