/** Scripts written without spaces. The engine splits at spaces only, so these runs are cut into overlapping pairs. */
const RUN =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]+/gu;
const HAS_RUN =
  /[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]|[\u{20000}-\u{3ffff}]/u;

/** Text as it is handed to the index. */
export function indexed(text: string): string {
  return HAS_RUN.test(text) ? text.replace(RUN, (run) => ` ${pairs(run).join(" ")} `) : text;
}

/** `数据库` → `数据 据库 库`: two characters find their text anywhere, one finds it by prefix, more by phrase. */
function pairs(run: string): string[] {
  const chars = [...run];
  if (chars.length === 1) return chars;
  return chars.map((c, i) => c + (chars[i + 1] ?? ""));
}

/**
 * A query as people type it (words, "phrases", prefix*) as an expression of the engine. Everything is quoted, so no character
 * of it is syntax; words must all match.
 */
export function expression(query: string): string {
  const terms: string[] = [];
  for (const match of query.matchAll(/"([^"]*)"|(\S+)/g)) {
    const phrase = match[1];
    const word = match[2] ?? "";
    if (phrase !== undefined) terms.push(...quoted(phrase, false));
    else if (word.endsWith("*")) terms.push(...quoted(word.slice(0, -1), true));
    else terms.push(...quoted(word, false));
  }
  return terms.join(" AND ");
}

function quoted(text: string, prefix: boolean): string[] {
  if (!/[\p{L}\p{N}]/u.test(text)) return [];
  if (!HAS_RUN.test(text)) return [`"${text.replaceAll('"', '""')}"${prefix ? "*" : ""}`];
  // The last character of a run stands alone in the index only at the run's end: it must not be asked for as a word.
  const cut = text.replace(RUN, (run) => {
    const chars = [...run];
    return ` ${(chars.length === 1 ? chars : pairs(run).slice(0, -1)).join(" ")} `;
  });
  const single = [...text].length === 1;
  return [`"${cut.trim().replaceAll('"', '""')}"${prefix || single ? "*" : ""}`];
}
