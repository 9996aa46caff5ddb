import { MARKS } from "./languages.ts";
import { BARE, matcher, QUOTED, WRAPPED, type Groups } from "./literals.ts";
import type { Name } from "./named.ts";
import { block } from "./blocks.ts";
import { nameKind } from "./names.ts";
import { pair } from "./pairs.ts";

/**
 * How sure it is that a name is followed by its value, and by nothing else:
 *
 * certain   `NAME=value`, `<name>value</name>`, `--name value`, SQL's `PASSWORD 'value'`
 * data      alone on a line among other names and values: YAML, INI
 * quoted    `"name": "value"`         or a description in a form or a schema
 * argument  `get("name", "value")`    or a list of names
 * query     `&name=value`             or an assignment in code
 * parameter `?name=value`             in an address
 * line      `name: value` alone on a line, or a type annotation
 * option    `--name value …`          or prose about an option
 * word      `name: value …`           or prose or code
 */
export type Certainty = "certain" | "data" | "quoted" | "argument" | "parameter" | "query" | "line" | "option" | "word";

export interface Place {
  start: number;
  end: number;
  certainty: Certainty;
}

/** Undefined when the text is not in this notation; null when it is, and there is certainly no secret. */
type Notation = (text: string, name: Name) => Place | null | undefined;

const CLOSING = String.raw`(?:\\{0,7}["'${"`"}]\]?|\]|\)|\*\*|__|\[\d{0,4}\])?`;
const OPERATOR = String.raw`(?:=>|::?=|::(?=[ \t])|\|\|=|\?\??=|->|<-|${MARKS.arrow}|===?|=|:|${MARKS.colon}|${MARKS.equals})`;
const GAP = String.raw`[ \t]{0,24}`;

const ELEMENT = matcher(
  String.raw`(?:[ \t][^<>\n]{0,100})?>(?:\s{0,40}<value>)?(?:<!\[CDATA\[)?(?<bare>[^<>\n]{1,4096}?)(?:\]\]>)?(?=<\/)`,
  "i",
);

/** `<password>value</password>` */
const element: Notation = (text, { start, end }) => {
  if (!/<(?:\w{1,20}:)?$/.test(text.slice(Math.max(0, start - 22), start))) return undefined;
  const place = ELEMENT(text, end)?.["bare"];
  if (!place) return undefined;
  // Encrypted by Maven or Jenkins, or the name of a variable: `{value}`.
  const isBraced = /^\{\w[^{}]*\}$/.test(text.slice(...place));
  return isBraced
    ? { start: place[0] + 1, end: place[1] - 1, certainty: "line" }
    : { start: place[0], end: place[1], certainty: "certain" };
};

const DEFAULT = matcher(String.raw`(?::[-=]?|-)(?<bare>[^}\n$]{1,400})\}`);

/** `${NAME:-value}` */
const expansion: Notation = (text, { start, end }) => {
  if (text.slice(start - 2, start) !== "${") return undefined;
  const place = DEFAULT(text, end)?.["bare"];
  return place ? { start: place[0], end: place[1], certainty: "certain" } : null;
};

const OTHER_DEFAULT = matcher(
  String.raw`${CLOSING}${GAP}[:=]${GAP}["']?\$\{[A-Za-z_]\w{0,60}:?[-=](?<bare>[^}\n$]{1,400})\}`,
);

const EMBEDDED_DEFAULT = matcher(
  String.raw`${CLOSING}${GAP}[:=]${GAP}["']?(?:<%=|\{\{)[^%}\n]{1,100}(?:\|\||\bor\b|default)[ \t(]{1,4}${QUOTED}`,
);

/** `NAME: ${OTHER:-value}`, `name: <%= ENV["OTHER"] || "value" %>` */
const otherExpansion: Notation = (text, { end }) => {
  if (!":=".includes(nextAfter(text, end))) return undefined;
  const place = OTHER_DEFAULT(text, end)?.["bare"] ?? EMBEDDED_DEFAULT(text, end)?.["quoted"];
  return place && { start: place[0], end: place[1], certainty: "certain" };
};

const FLAG = matcher(
  String.raw`(?:${[
    "[ \\t]{1,8}",
    "[ \\t]{0,2}[=:][ \\t]{0,2}",
    String.raw`\\{0,7}["'],\s{0,40}(?=\\{0,7}["'])`,
    String.raw`["']?\n[ \t]{1,40}-[ \t]{1,4}`,
  ].join("|")})(?:${QUOTED}|${BARE})`,
);

/** `--name value`, `-name value`, `/name:value`, `"--name", "value"` */
const flag: Notation = (text, { start, end, text: name }) => {
  const dashes = /(?:^|[\s"'`([{,=])(?:--?|\/)$/.exec(text.slice(Math.max(0, start - 3), start))?.[0];
  if (dashes === undefined) return undefined;
  const groups = FLAG(text, end);
  const place = groups?.["quoted"] ?? groups?.["bare"];
  if (!place) return undefined;
  if (groups?.["quoted"] && isRest(text, place[0])) return null;
  // `-passin pass:word`, `-pass env:NAME`: how the word is given.
  if (/^(?:pass|env|file|fd|stdin):/.test(text.slice(place[0], place[1]))) return null;
  if (OPTION_NOUN.test(text.slice(...place))) return null;
  const joint = text.slice(end, place[0]);
  if (dashes.endsWith("/") && !joint.startsWith(":")) return undefined;
  if (!groups?.["quoted"] && text.startsWith("-", place[0])) return null;
  // One dash may begin any word of prose or code; the options of many programs have one.
  if (
    !dashes.endsWith("--") &&
    !/^[=:]/.test(joint) &&
    !/^[A-Za-z]*pass|^pwd?$|Password$|ApiKey$|Token$|Secret$/.test(name)
  )
    return undefined;
  if (/^(?:src|dest)?(?:store|key)pass$/.test(name)) return { start: place[0], end: place[1], certainty: "certain" };
  const isList = /[,\n]/.test(joint);
  // In a list, the option is a text of its own, and the next one is neither an option nor the name of a field.
  if (
    isList &&
    (!/(?:^|["'\s])-/.test(dashes) ||
      text.startsWith("-", place[0]) ||
      /^\\{0,7}["'][ \t]{0,4}:/.test(text.slice(place[1], place[1] + 14)))
  )
    return null;
  if (isList && joint.includes(",") && !/["']-/.test(dashes)) return null;
  return {
    start: place[0],
    end: place[1],
    certainty: isList || /^[=:](?![ \t])/.test(joint) ? "certain" : flagCertainty(text, place[1]),
  };
};

/** `the --password option` */
const OPTION_NOUN =
  /^(?:options?|flags?|arguments?|args?|param(?:eter)?s?|switch(?:es)?|commands?|settings?|fields?|values?)[.,;:)]*$/i;

/** In prose about a flag, words follow; in a command, nothing, another flag or the end of the command. */
function flagCertainty(text: string, end: number): Certainty {
  if (/[.,;:)!?]/.test(text.charAt(end - 1))) return "option";
  return /^\\{0,7}["']?(?:[ \t]{0,4}(?:$|[\n\\|&;>)#-])|[ \t]+(?:["'/.]|[\w-]{1,30}(?:\.[a-z]\w|:\/\/))|["'])/.test(
    text.slice(end, end + 50),
  )
    ? "certain"
    : "option";
}

const TYPED = matcher(
  String.raw`(?:(?:[ \t]{0,4}:[ \t]{0,4}[A-Za-z_&][\w<>[\]?|.&' ]{0,30}|[ \t](?:[Aa]s[ \t])?[A-Za-z]\w{1,20}(?:\(\w{1,5}\))?)[ \t]{0,4}=|[ \t](?:TYPE|PIC)[ \t][\w()]{1,20}[ \t]VALUE)[ \t]{0,4}${WRAPPED}${QUOTED}`,
);
/** The last of one to three literals or names. */
const CALLED = matcher(
  String.raw`\([ \t]{0,4}(?:(?:["'][^"'\n]{0,80}["']|[A-Za-z_][\w.]{0,40})[ \t]{0,4},[ \t]{0,4}){0,2}${QUOTED}[ \t]{0,4}[,)]`,
);
const ARGUMENT = matcher(
  String.raw`\\{0,7}["'${"`"}][ \t]{0,4},\s{0,40}${QUOTED}(?=\s{0,20}(?:[)}\]]|,[ \t]{0,4}[\dA-Za-z]))`,
);
/** A third argument says where a variable is set. */
const SETTING_ARGUMENT = matcher(String.raw`\\{0,7}["'${"`"}][ \t]{0,4},\s{0,40}${QUOTED}(?=\s{0,20}[,)])`);
const OTHERWISE = matcher(
  String.raw`(?:\\{0,7}["'${"`"}])?[\])]{0,2}[ \t]{0,4}(?:\|\|=?|\?\?=?|\?:|(?<=[)\]][ \t]{0,4})(?:or\b|\{))[ \t]{0,4}${QUOTED}`,
);
const SPACED = matcher(String.raw`[ \t]{1,24}${QUOTED}`);
const ASSIGNED = matcher(
  String.raw`${CLOSING}${GAP}(?<operator>${OPERATOR})(?:\*\*|__)?${GAP}(?:!{1,2}(?:unsafe|str|binary)[ \t]{1,4}|(?:\s|\\{1,3}n){0,12}string\(\d{1,4}\) )?(?:${WRAPPED}${QUOTED}|${BARE})`,
);

const quotedPlace = (text: string, groups: Groups | null, certainty: Certainty): Place | undefined => {
  const place = groups?.["quoted"];
  // Several texts of a list are no value.
  if (!place || isRest(text, place[0]) || /["'],[ \t]{0,2}["']/.test(text.slice(...place))) return undefined;
  return { start: place[0], end: place[1], certainty };
};

/** True when the quote before was the end of the text in which the name stands: `"password=" + value`. */
function isRest(text: string, start: number): boolean {
  return /[\s+)\],;]/.test(text.charAt(start));
}

/** `password: string = "value"`, `var password string = "value"` */
const typed: Notation = (text, { end }) =>
  text.charAt(end) === ":" || isSpace(text, end) ? quotedPlace(text, TYPED(text, end), "quoted") : undefined;

/** `setPassword("value")`, `PASSWORD('value')` */
const called: Notation = (text, { end, text: name }) => {
  if (text.charAt(end) !== "(" || !SETTER.test(name.slice(name.lastIndexOf(".") + 1))) return undefined;
  return quotedPlace(text, CALLED(text, end), "quoted");
};

const RETURNED = matcher(String.raw`\(\)[^{};"'\n]{0,40}(?:\{[ \t]{0,4}return|=>|=)[ \t(]{1,4}${QUOTED}`);

/** `String password() { return "value"; }` */
const returned: Notation = (text, { end }) =>
  text.charAt(end) === "(" && text.charAt(end + 1) === ")"
    ? quotedPlace(text, RETURNED(text, end), "quoted")
    : undefined;

/** Methods that enter a text into a field, or compare it with one. */
export const FILL =
  "(?:fill|type|send_?keys|set_?value|set_?text|enter_?text|input_?text|press_?sequentially|equals(?:IgnoreCase)?|compareTo)";
const FILLED = matcher(
  String.raw`["'\])]{0,6}(?:\.${FILL}\(|["'\]]{1,3}[ \t]{0,4},)[ \t]{0,4}${QUOTED}(?=[ \t]{0,4}\))`,
  "i",
);
/** `find(By.ID, "password").send_keys("value")`, `change(getByLabelText(/password/i), { target: { value: "value" } })` */
const FOUND = matcher(
  String.raw`(?:["'/]i?\){1,3}(?:\.${FILL}\(|,[ \t]{0,4}(?:with:[ \t]{0,4}|\{[ \t]{0,4}(?:target:[ \t]{0,4}\{[ \t]{0,4})?(?:value|with):[ \t]{0,4})?)|["'],[ \t]{0,4}with:[ \t]{0,4}|[A-Za-z]{0,20},[ \t]{0,4})${QUOTED}(?=[ \t]{0,4}[),}\n])`,
  "i",
);
/** Calls of tests that fill a field; without the first letter, which may be part of another word. */
const FILLS = new RegExp(
  String.raw`(?:\.|\b)(?:${FILL}|fill_?in|change|paste|type|str[nl]?cpy)\([^()\n]{0,40}(?:\([^()\n]{0,40})?$`,
  "i",
);

/** `password.sendKeys("value")`, `find("#password").type("value")`, `fill("#password", "value")` */
const filled: Notation = (text, { start, end }) => {
  const next = text.charAt(end);
  if (!/[.,"'\])/A-Z]/.test(next)) return undefined;
  const filled =
    next === "." || /[#=]["']?$/.test(text.slice(start - 2, start))
      ? quotedPlace(text, FILLED(text, end), "quoted")
      : undefined;
  if (filled || next === ".") return filled;
  const groups = FOUND(text, end);
  const isFill =
    groups && (text.slice(end, end + 60).includes(").") || FILLS.test(text.slice(Math.max(0, start - 90), start)));
  return isFill ? quotedPlace(text, groups, "quoted") : undefined;
};

/** Names of functions that take a secret; others return one: `getToken("name")`. */
const SETTER =
  /^(?:set|with|use|add|change|update|encode|new|store)?_?(?:[a-z]{1,8}_?)?(?:password|passwd|pwd|secret|(?:api|signing|signature|secret|private|encryption)_?key|(?:access|auth)_?token)$/i;

/** Calls whose second argument is the value of the variable or setting that the first one names. */
const SETTING =
  /(?:flag\.String|env(?:iron)?(?:\.(?:get|fetch|setdefault))?|getenv|setenv|putenv|SetEnvironmentVariable|define|(?:get|set)Property|getOrDefault)[ \t]{0,2}\(?[ \t]{0,2}\\{0,7}["']$/i;

/** `get("NAME", "value")` */
const argument: Notation = (text, { start, end, text: name }) => {
  if (!/["'`]/.test(text.charAt(start - 1)) || /^pass$/i.test(name)) return undefined;
  // Exactly two elements: more are a list of names.
  if (!/[([{]\s{0,4}\\{0,7}["'`]$/.test(text.slice(Math.max(0, start - 14), start))) return undefined;
  if (SETTING.test(text.slice(Math.max(0, start - 40), start)))
    return quotedPlace(text, SETTING_ARGUMENT(text, end), "certain");
  const groups = ARGUMENT(text, end);
  if (!groups) return undefined;
  if (/^[A-Z][A-Z0-9_]+$/.test(name)) return quotedPlace(text, groups, "certain");
  const isStored = /\.(?:set|put|get|add|append|setItem)\([ \t]{0,2}["']$/.test(
    text.slice(Math.max(0, start - 14), start),
  );
  return quotedPlace(text, groups, isStored ? "quoted" : "argument");
};

/** `process.env.NAME || "value"` */
const otherwise: Notation = (text, { end, text: name }) =>
  "|?o{".includes(nextAfter(text, end))
    ? quotedPlace(text, OTHERWISE(text, end), /[A-Z0-9_]{4}$/.test(name) ? "certain" : "quoted")
    : undefined;

/** Characters that may stand between a name and its operator: quotes, brackets, marks, an index, spaces. */
const BETWEEN = new Set("\\\"'`])*_[0123456789 \t");
const OPERATOR_STARTS = `=:|?-<${MARKS.arrow}${MARKS.colon}${MARKS.equals}`;

/** The next character that is not one of those: a cheap filter before the patterns. */
function nextAfter(text: string, end: number): string {
  let at = end;
  while (at - end < 80 && BETWEEN.has(text.charAt(at))) at++;
  return text.charAt(at) || "\n";
}

/** SQL's `PASSWORD 'value'`, `#define PASSWORD "value"`, Groovy's `storePassword "value"` */
const spaced: Notation = (text, { start, end, text: name }) => {
  // After the text `"Bearer "`, a quote ends it.
  if (!isSpace(text, end) || /^pass$/i.test(name) || text.charAt(start - 1) === text.charAt(end + 1)) return undefined;
  const isKeyword = /(?:^|[\s{(,]):$/.test(text.slice(Math.max(0, start - 2), start));
  const isNamed = isKeyword || /^[A-Z0-9_]+$|[a-z]Password$/.test(name);
  return quotedPlace(text, SPACED(text, end), isNamed ? "quoted" : "argument");
};

/** `NAME=value`, `"name": "value"`, `name => value` */
const assigned: Notation = (text, { start, end, text: name }) => {
  if (!OPERATOR_STARTS.includes(nextAfter(text, end))) return undefined;
  const groups = ASSIGNED(text, end);
  const [place, operator] = [groups?.["quoted"] ?? groups?.["bare"], groups?.["operator"]];
  if (!groups || !place || !operator) return undefined;
  const isQuoted = groups["quoted"] !== undefined;
  const sign = text.slice(...operator);
  // Part of a path: `Event::Pass => 1`.
  if (text.slice(start - 2, start) === "::") return null;
  if (isQuoted && isRest(text, place[0])) return null;
  // Another name and its value.
  if (isQuoted && /^[A-Za-z_]{2,40}=/.test(text.slice(place[0], place[1]))) return undefined;
  // A comparison, unless it is with a text.
  if (!isQuoted && sign.startsWith("==")) return null;
  // A call, an index or a template: code that computes the value.
  if (!isQuoted && /^(?:[([{$]|<[A-Za-z])/.test(text.slice(place[1], place[1] + 2))) return null;
  // `arn:aws:…:secret:name` names the location of a secret.
  if (sign === ":" && text.charAt(start - 1) === ":") return null;
  const isTight = sign === "=" && operator[0] === end && place[0] <= operator[1] + (isQuoted ? 8 : 0);
  if (isTight && /^[A-Z][A-Z0-9]*(?:_|$)/.test(name)) return { start: place[0], end: place[1], certainty: "certain" };
  return {
    start: place[0],
    end: place[1],
    certainty: isQuoted ? "quoted" : bareCertainty(text, start, place, isTight),
  };
};

const BRACED = matcher(String.raw`=\{(?<bare>[^{}\s]{3,200})\}`);

/** `;PWD={value}`: how connection strings quote. */
const braced: Notation = (text, { start, end }) => {
  if (text.charAt(end) !== "=" || text.charAt(end + 1) !== "{") return undefined;
  const place = /;[ \t]?$/.test(text.slice(Math.max(0, start - 2), start)) ? BRACED(text, end)?.["bare"] : undefined;
  return place && { start: place[0], end: place[1], certainty: "certain" };
};

const HTML_CELL = matcher(
  String.raw`<\/[\w-]{1,20}>\s{0,40}<[\w-]{1,20}(?:[ \t][^<>\n]{0,100})?>(?:<\w{1,10}>)?(?<bare>[^<>\n]{4,400}?)(?=<\/)`,
);

/** `<td>Password</td><td>value</td>` */
const cell: Notation = (text, { start, end }) => {
  if (text.charAt(end) !== "<" || text.charAt(start - 1) !== ">") return undefined;
  const place = HTML_CELL(text, end)?.["bare"];
  return place && { start: place[0], end: place[1], certainty: "line" };
};

const SERIALIZED = matcher(String.raw`\\{0,7}";s:\d{1,6}:\\{0,7}"(?<bare>[^"\\]{1,4096})`);

/** `s:8:"password";s:5:"value";`, as PHP writes values. */
const serialized: Notation = (text, { end }) => {
  const place = SERIALIZED(text, end)?.["bare"];
  return place && { start: place[0], end: place[1], certainty: "certain" };
};

const PARENTHESISED = matcher(
  String.raw`${CLOSING}${GAP}(?:=>|:?=|:)${GAP}[([][\s\\n]{0,60}${QUOTED}[\s\\n]{0,60}[)\]]`,
);

/** `password = ("value")`, often on several lines; `"password": ["value"]` */
const parenthesised: Notation = (text, { end }) =>
  OPERATOR_STARTS.includes(nextAfter(text, end)) ? quotedPlace(text, PARENTHESISED(text, end), "quoted") : undefined;

const BRACES = matcher(String.raw`\{[ \t]{0,4}${QUOTED}[ \t]{0,4}\}`);

/** `std::string password{"value"};` */
const initialized: Notation = (text, { end }) =>
  text.charAt(end) === "{" ? quotedPlace(text, BRACES(text, end), "quoted") : undefined;

const DEFAULTED = matcher(
  String.raw`(?:\\{0,7}["'][ \t]{0,4},[^()\n]{0,160}?|(?:[ \t]{0,2}:[^=()\n]{1,60})?[ \t]{0,2}=[ \t]{0,2}[\w.]{1,40}\((?:[^()\n]{0,120}?[ ,])?)\bdefault(?:_value)?[ \t]{0,2}[=:][ \t]{0,2}${QUOTED}`,
);

/** `option("--name", default="value")`, `name: str = Field(default="value")` */
const defaulted: Notation = (text, { end }) =>
  /^[ \t]{0,2}[:=]|^\\{0,7}["']/.test(text.slice(end, end + 8))
    ? quotedPlace(text, DEFAULTED(text, end), "quoted")
    : undefined;

const FORMATTED = matcher(String.raw`[=:][ \t]{0,2}\\{0,7}["']?%[sv][^"'%\n]{0,20}["'][ \t]{0,2},?[ \t]{1,4}${QUOTED}`);

/** `printf 'name=%s' 'value'` */
const formatted: Notation = (text, { end }) =>
  "=:".includes(text.charAt(end) || "\n") ? quotedPlace(text, FORMATTED(text, end), "quoted") : undefined;

const TUPLE = matcher(String.raw`[ \t]{0,4},[ \t]{0,4}(?:<<)?${QUOTED}(?:>>)?[ \t]{0,4}\}`);

/** `{name, <<"value">>}` of Erlang, `{:name, "value"}` of Elixir */
const tuple: Notation = (text, { start, end }) =>
  /[ ,]/.test(text.charAt(end)) && /\{[ \t]{0,2}:?$/.test(text.slice(Math.max(0, start - 4), start))
    ? quotedPlace(text, TUPLE(text, end), "quoted")
    : undefined;

const VALUE_OPTION = matcher(
  String.raw`["']?(?:[ \t]{1,4}[^\s;|&]{1,60}){0,3}?[ \t]{1,4}(?:--?(?:value|body|secret-value|plaintext|data)|\/d)[ \t=]{1,4}(?:${QUOTED}|${BARE})`,
  "i",
);

/** `set NAME --value value`, `reg add … /v NAME /t REG_SZ /d value` */
const option: Notation = (text, { end }) => {
  if (!/["' \t]/.test(text.charAt(end))) return undefined;
  const groups = VALUE_OPTION(text, end);
  const place = groups?.["quoted"] ?? groups?.["bare"];
  return place && { start: place[0], end: place[1], certainty: "argument" };
};

const CHANGED = matcher(String.raw`\\{0,7}["']?[ \t]{1,4}->[ \t]{1,4}${QUOTED}`);

/** The new value after an old one: `password = "old" -> "new"`. */
export function changed(text: string, { end, certainty }: Place): Place[] {
  if (!/^\\{0,7}["']?[ \t]{1,4}->/.test(text.slice(end, end + 16))) return [];
  const place = quotedPlace(text, CHANGED(text, end), certainty);
  return place ? [place] : [];
}

function isSpace(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code === 32 || code === 9;
}

/** What may stand before `name=value` if it is not code: another part of a connection string, a query, an option. */
const BEFORE_DATA =
  /(?:;[ \t]?(?:[A-Za-z]{1,20} )?|(?:\b|_)(?:user|host|dbname|port|username|uid)=[^\s=]{1,40}[ ,]|\/:|(?:^|\s)-{1,2}\w[\w-]{0,30}[ =]["']?|\bput [\w/.-]{1,60}(?: [^\s=]{1,40}=\S{1,60})? )$/i;

function bareCertainty(text: string, start: number, [, to]: readonly [number, number], isTight: boolean): Certainty {
  const before = text.slice(Math.max(0, start - 120), start);
  if (isTight && BEFORE_DATA.test(before)) return "certain";
  // A parameter of an address is no code; but a token is no word.
  if (isTight && (/[?&]$/.test(before) || /^&[\w.-]{1,40}=/.test(text.slice(to, to + 44)))) return "parameter";
  if (isHeader(text, before, to)) return "certain";
  const isAlone = /^[ \t]{0,4}(?:\r?\n|\\[rn]|$|#)/.test(text.slice(to, to + 8));
  if (isAlone && isDataLine(text, start, to)) return "data";
  // Between other names and values, as in a log.
  if (isTight && /^[ \t]\w{1,40}=/.test(text.slice(to, to + 44))) return "data";
  if (isTight) return "query";
  // A record as Go prints it: `{Host:db Password:value Port:5432}`
  if (!/\s/.test(text.charAt(to)) ? text.charAt(to) === "}" : /^ [A-Z]\w{0,40}:\S/.test(text.slice(to, to + 44)))
    return "line";
  return isAlone || isQuotedWhole(text, start, to) ? "line" : "word";
}

/** `-H 'name: value'` */
function isHeader(text: string, before: string, to: number): boolean {
  const quote = /(?:-H|--header)[ =]?(\\{0,7}["'])[\w-]{0,40}$/.exec(before)?.[1];
  return quote !== undefined && text.startsWith(quote, to);
}

/** `"name: value"` */
function isQuotedWhole(text: string, start: number, to: number): boolean {
  return /["'`]/.test(text.charAt(to)) && text.charAt(start - 1) === text.charAt(to);
}

/** A name and a value, or the beginning of a section, in YAML, INI or a file of properties; not code. */
const DATA_LINE =
  /^[ \t]*(?:-[ \t]+)?(?:["']?[\w./-]+["']?[ \t]*[:=](?:[ \t]*[^\s({][^({;]*)?|\[[\w. :"-]+\]|[#;].*|-[ \t]+\S+|---)[ \t\r]*$/;

/** True when the name begins its line, and the lines before and after are such lines too, or do not exist. */
function isDataLine(text: string, start: number, end: number): boolean {
  const own = lineBefore(text, start);
  if (!/^[ \t]*(?:[-*][ \t]+)?["'*]*[\w.' -]{0,40}$/.test(own)) return false;
  const begin = start - own.length;
  const rest = text.slice(end, end + LONGEST_LINE).indexOf("\n");
  const before = begin === 0 ? "" : lineBefore(text, begin - 1);
  const after = rest === -1 ? "" : lineAfter(text, end + rest + 1);
  return isDataOrBlank(before) && isDataOrBlank(after);
}

function isDataOrBlank(line: string): boolean {
  return line.trim() === "" || (DATA_LINE.test(line) && !/[,{(]\s*$/.test(line) && !TYPED_LINE.test(line));
}

/** A declaration: `user: str`. */
const TYPED_LINE =
  /[:=][ \t]*(?:str|string|int|integer|float|bool|boolean|number|any|object|bytes|None|null|Optional\b.*|[A-Z]\w*\[.*)[ \t\r]*$/;

const LONGEST_LINE = 300;

function lineBefore(text: string, end: number): string {
  const from = Math.max(0, end - LONGEST_LINE);
  const piece = text.slice(from, end);
  return piece.slice(piece.lastIndexOf("\n") + 1);
}

function lineAfter(text: string, start: number): string {
  const piece = text.slice(start, start + LONGEST_LINE);
  const end = piece.indexOf("\n");
  return end === -1 ? piece : piece.slice(0, end);
}

/** A number may say how the value is written: `password 7 …`. */
const ON_A_LINE = matcher(
  String.raw`\\{0,7}["']?[ \t]{1,24}(?:(?<number>\d{1,2})[ \t]{1,4})?(?:${QUOTED}|(?<bare>[^\s"'=:<>(){}|;&\\]{4,400}))[ \t]{0,4}(?=\r?\n|$|\\{1,7}[nr]|(?<=[ \t])--?[a-z]|[|;&])`,
);

/** Commands and directives that are followed by a name and its value: `ENV`, `config set`, `kv put`. */
const SETTING_WORD =
  /(?:^|[\s;&|])(?:ENV|setenv|setx|set|put|config|enable|write|secrets?|add|define|user-secrets|modify|[\w-]*set[_-]header|header_up|reset-[\w-]{1,20})(?:[ \t]+--?[\w-]+)*[ \t]+\\{0,7}["']?[\w/:.@-]*$/i;

/** Other words of a directive. */
const DIRECTIVE = /^[ \t]*(?:[\w.:/@*+-]+[ \t]+){0,16}[\w.-]*$/;

/** Words joined to one that is no word of prose: `requirepass`. */
const JOINED_NAME = /^[a-z]+(?:pass|pw|auth)$/;

/** `ENV NAME value`, `config set name value`, `db.password  value`: a name, a space and a value end a line. */
function line(text: string, { start, end, text: name }: Name): Place | undefined {
  const groups = ON_A_LINE(text, end);
  const place = groups?.["quoted"] ?? groups?.["bare"];
  if (!groups || !place) return undefined;
  const [from, to] = place;
  const before = lineBefore(text, start);
  const isSentence = /[.,;:)!?]/.test(text.charAt(to - 1));
  const isCompound = /[._/:-]|[a-z][A-Z]|^[A-Z0-9_]+$/.test(before.slice(-1) + name);
  if (SETTING_WORD.test(before)) {
    // A name like those of variables and settings; a plain word may be prose: `add secret keys`.
    if ((isCompound || JOINED_NAME.test(name)) && !isSentence) return { start: from, end: to, certainty: "certain" };
    return { start: from, end: to, certainty: groups["quoted"] ? "argument" : "option" };
  }
  if (name === "PASS" && /(?:^|\n)\W*USER \S+\s*$|quote $|> ?$/i.test(text.slice(Math.max(0, start - 80), start)))
    return { start: from, end: to, certainty: "certain" };
  if (name === "PASS" && /["']/.test(text.charAt(start - 1)) && /^\\{1,7}r/.test(text.slice(to, to + 8)))
    return { start: from, end: to, certainty: "certain" };
  if (isSentence || name === "PASS") return undefined;
  if (before.trim() === "" && (/[._-]/.test(name) || JOINED_NAME.test(name)))
    return { start: from, end: to, certainty: "data" };
  // Two columns.
  if (before.trim() === "" && /^[ \t]{2}/.test(text.slice(end, end + 2)) && nameKind(name) === "chosen")
    return { start: from, end: to, certainty: "line" };
  // Words before a name are a directive or a sentence.
  if (!DIRECTIVE.test(before)) return undefined;
  return isCompound || groups["number"] ? { start: from, end: to, certainty: "line" } : undefined;
}

/** A field of a form that is named by a variable: `type(passwordInput, "value")`. */
const FIELD_NAME = /(?:passw|pwd|secret|token).*(?:input|field|box|element|el|locator)$/i;

export function fieldValue(text: string, name: Name): Place | null | undefined {
  return FIELD_NAME.test(name.text) ? filled(text, name) : undefined;
}

export const NOTATIONS: readonly Notation[] = [
  element,
  serialized,
  initialized,
  parenthesised,
  defaulted,
  formatted,
  pair,
  cell,
  expansion,
  otherExpansion,
  flag,
  typed,
  called,
  returned,
  filled,
  argument,
  tuple,
  braced,
  block,
  assigned,
  otherwise,
  spaced,
  line,
  option,
];
