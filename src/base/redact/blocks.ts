import { BARE, matcher, QUOTED, valueOf } from "./literals.ts";
import type { Name } from "./named.ts";
import type { Place } from "./notations.ts";
import { isLetterSoup } from "./letters.ts";
import { VALUE_FIELD } from "./pairs.ts";
import { isJumbled, isRandom } from "./values.ts";

/**
 * Values on the lines below their names: `password:` and an indented line, a block of YAML, an object or a section that
 * has the value as `default` or `value`, a part of a form.
 */
const BREAK = String.raw`(?:\r?\n|\\{1,7}(?:r\\{1,7})?n)`;
const OPENED = matcher(
  String.raw`\\{0,7}["'${"`"}]?[ \t]{0,8}(?:[:=]|=>)?[ \t]{0,8}(?<next>\{|(?<=:[ \t]{1,8})[|>][+-]?|${BREAK})`,
);

const BELOW = matcher(
  String.raw`\\{0,7}["'${"`"}]?[ \t]{0,8}(?:(?<colon>[:=])[ \t]{0,8}(?<block>[|>][+-]?)?)?[ \t]{0,4}${BREAK}(?<indent>[ \t]{0,40})(?:${QUOTED}|(?<bare>[^\s"',:={}[\]()<>\\]{4,400}))[ \t]{0,4},?(?=${BREAK}|[ \t]{0,40}\}|$)`,
);
const FIELD = String.raw`\\{0,7}["']?${VALUE_FIELD}\\{0,7}["']?[ \t]{0,8}[:=][ \t]{0,8}(?:${QUOTED}|${BARE})`;
const IN_OBJECT = matcher(
  String.raw`\\{0,7}["'${"`"}]?[ \t]{0,8}(?:[:=]|=>)?[ \t]{0,8}\{(?:[^{}]{0,200}?[\s,;"'\\])?${FIELD}`,
  "i",
);
const IN_SECTION = matcher(
  String.raw`["']?:[ \t]{0,8}${BREAK}(?<indent>[ \t]{1,40})(?:[\w-]{1,40}:[^\n\\]{0,100}${BREAK}\k<indent>){0,5}${FIELD}`,
  "i",
);

/** Null when the name opens a block without a value. */
export function block(text: string, { start, end }: Name): Place | undefined {
  const next = OPENED(text, end)?.["next"];
  if (!next) return undefined;
  if (text.charAt(next[0]) === "{") {
    const value = valueOf(IN_OBJECT(text, end));
    return value && { start: value.start, end: value.end, certainty: "quoted" };
  }
  return below(text, start, end) ?? section(text, start, end);
}

function below(text: string, start: number, end: number): Place | undefined {
  const groups = BELOW(text, end);
  const value = valueOf(groups);
  if (!groups || !value) return undefined;
  const place = { start: value.start, end: value.end };
  if (value.isQuoted) return groups["colon"] ? { ...place, certainty: "quoted" } : undefined;
  if (groups["colon"] && !isDeeper(text, start, groups["indent"])) return undefined;
  if (groups["block"]) return { ...place, certainty: "data" };
  // Without a colon the name is the whole line: `cat initialAdminPassword` and its output.
  if (groups["colon"]) return { ...place, certainty: "line" };
  const found = text.slice(value.start, value.end);
  return /[a-z][A-Z]|[a-z][_-]/.test(text.slice(start, end)) &&
    (isRandom(found) || isJumbled(found) || isLetterSoup(found))
    ? { ...place, certainty: "line" }
    : undefined;
}

function section(text: string, start: number, end: number): Place | undefined {
  const groups = IN_SECTION(text, end);
  const value = valueOf(groups);
  if (!value || !isDeeper(text, start, groups?.["indent"])) return undefined;
  return { start: value.start, end: value.end, certainty: value.isQuoted ? "quoted" : "data" };
}

/** True when the indent is that of a line below the line of the name, not of the next one beside it. */
function isDeeper(text: string, start: number, indent: readonly [number, number] | undefined): boolean {
  const before = text.slice(Math.max(0, start - 80), start);
  const own = /^[ \t]*(?:-[ \t]+)?/.exec(before.slice(before.search(/[^\n]*$/)))?.[0].length ?? 0;
  return indent !== undefined && indent[1] - indent[0] > own - (/-[ \t]+$/.test(before) ? 2 : 0);
}
