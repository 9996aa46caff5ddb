import { NAME_FIELD } from "./redact-pairs.ts";
import { BARE, matcher, QUOTED, valueOf } from "./literals.ts";
import type { Name } from "./named.ts";
import type { Place } from "./notations.ts";

/**
 * A name and its value as two fields: `{"name": "DB_PASSWORD", "value": "…"}`, `- name: X` and `value: …` on two lines,
 * `<add key="X" value="…"/>`, `<key>X</key><string>…</string>`, `variable "x" { default = "…" }`.
 */
export const VALUE_FIELD: string = String.raw`(?:[A-Za-z]{0,12}[_-]?)?(?:value|val|default|plaintext)`;
const ASSIGN = String.raw`\\{0,7}["']?[ \t]{0,8}[:=][ \t]{0,8}`;

/** Ends where the name begins. */
const NAMED_BY = new RegExp(
  String.raw`(?:^|[\s{,;(<"'\\]|- )\\{0,7}["']?${NAME_FIELD}${ASSIGN}\\{0,7}["']?$|<${NAME_FIELD}>\s{0,8}$|\bvariable[ \t]{1,4}"$`,
  "i",
);

/** Other fields of the same object; not another name. */
const OTHERS = String.raw`(?:(?!["'\s{,;]${NAME_FIELD}["']?\s{0,4}[:=])[^{}<>]){0,200}?`;

const AFTER = matcher(
  String.raw`\\{0,7}["']?[ \t]{0,8}(?:\{[^{}]{0,300}?)?${OTHERS}[\s,;{"'\\]\\{0,7}["']?${VALUE_FIELD}${ASSIGN}(?:${QUOTED}|${BARE})`,
  "i",
);
/** `<key>X</key><string>…</string>`, `<x name="X" value="…"/>`, `<x name="X"><value>…</value>`, `<x name="X">…</x>` */
const AFTER_XML = matcher(
  String.raw`(?:["'][^<>]{0,100}>(?:\s{0,40}<value>)?|<\/[\w:.-]{1,40}>\s{0,40}<[\w:.-]{1,40}>)(?<bare>[^<>\s][^<>\n]{0,4095}?)(?=<\/)`,
  "i",
);

/** A part of a form: `name="X"`, a blank line and the value. */
const AFTER_FORM = matcher(
  String.raw`["']?[ \t]{0,4}(?:\r?\n[\w-]{1,40}:[^\n]{0,100}){0,2}(?:\r?\n|\\{1,7}r\\{1,7}n){2}(?<bare>[^\r\n\\]{4,400})`,
);

/** `{"value": "…", "name": "X"}`: the slice ends where the name field begins. */
const BEFORE = new RegExp(
  String.raw`["'\s{,;]${VALUE_FIELD}${ASSIGN}(?:(?<quote>\\{0,7}["'])(?<quoted>[^"'\n\\]{1,200})\k<quote>|(?<bare>[^\s"',;{}]{1,200}))[\s,;]{0,40}$`,
  "di",
);

/** Undefined when the name is not the value of a name field; null when it is one without a value beside it. */
export function pair(text: string, { start, end }: Name): Place | null | undefined {
  if (!isValue(text, start)) return undefined;
  const from = Math.max(0, start - 60);
  const field = NAMED_BY.exec(text.slice(from, start));
  if (!field) return undefined;
  const after = valueOf(
    AFTER(text, end) ?? AFTER_XML(text, end) ?? (isForm(text, start) ? AFTER_FORM(text, end) : null),
  );
  if (after) return { start: after.start, end: after.end, certainty: after.isQuoted ? "quoted" : "data" };
  const at = from + field.index + 1;
  const back = Math.max(0, at - 300);
  const before = valueOf(BEFORE.exec(text.slice(back, at))?.indices?.groups ?? null);
  return before ? { start: back + before.start, end: back + before.end, certainty: "quoted" } : null;
}

function isForm(text: string, start: number): boolean {
  return /form-data;[ \t]{0,2}name=["']?$/.test(text.slice(Math.max(0, start - 20), start));
}

/** A cheap filter: before a value is an operator or the end of a tag, but for spaces and quotes. */
function isValue(text: string, start: number): boolean {
  let at = start - 1;
  while (at >= 0 && start - at < 20 && AROUND_VALUE.has(text.charCodeAt(at))) at--;
  if (!":=>".includes(text.charAt(at)) || at < 0)
    return text.charAt(start - 1) === '"' && text.slice(at - 7, at + 1) === "variable";
  return FIELD_END.test(text.slice(Math.max(0, at - 24), at));
}

const AROUND_VALUE = new Set([..." \t\n\r\"'\\"].map((char) => char.charCodeAt(0)));
const FIELD_END = /(?:name|key|variable|field|property|option|param(?:eter)?|setting|header|env)[\\"' \t]{0,12}$/i;

/** The name of a variable or setting, not a sentence. */
const IS_NAME = /^[\w.:/-]{1,80}$/;
const IS_NAME_FIELD = new RegExp(`^${NAME_FIELD}$`, "i");
const IS_VALUE_FIELD = new RegExp(`^${VALUE_FIELD}$`, "i");

/** A name and its value that are two fields of an object, or the two elements of a list: which one is the value. */
export function pairIn(holder: object): { name: string; valueKey: string } | null {
  if (Array.isArray(holder)) {
    const [name, value, ...more] = holder as readonly unknown[];
    const isPair = typeof name === "string" && typeof value === "string" && more.length === 0;
    return isPair && IS_NAME.test(name) ? { name, valueKey: "1" } : null;
  }
  let name: string | null = null;
  let valueKey: string | null = null;
  for (const key in holder) {
    const value = (holder as Record<string, unknown>)[key];
    if (typeof value !== "string") continue;
    if (IS_NAME_FIELD.test(key) && IS_NAME.test(value)) name ??= value;
    else if (IS_VALUE_FIELD.test(key)) valueKey ??= key;
  }
  return name !== null && valueKey !== null ? { name, valueKey } : null;
}
