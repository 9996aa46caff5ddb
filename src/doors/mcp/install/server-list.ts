import { existsSync, readFileSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import {
  applyEdits,
  findNodeAtLocation,
  getNodeValue,
  modify,
  type Node,
  type ParseError,
  parseTree,
} from "jsonc-parser";
import { parse, stringify } from "smol-toml";
import { mcpInstallable, mcpServerList } from "../../../answers/daybook.ts";
import { DaybookError } from "../../../base/errors.ts";
import type { ConfigChange } from "../../../base/io/config-change.ts";
import { suggestion } from "../../../base/text/near.ts";
import { withoutYamlEntry, withYamlEntry, yamlEntry } from "./yaml-list.ts";

/** The configuration of one server. */
export type ServerEntry = Record<string, unknown>;

/** The name under which Daybook is listed. */
const NAME = "daybook";

export interface Place {
  env: Readonly<Record<string, string | undefined>>;
  home: string;
}

interface Form {
  entryOf: (text: string, key: string, name: string) => unknown;
  adding: (text: string, key: string, name: string, entry: ServerEntry) => string;
  removing: (text: string, key: string, name: string) => string[];
}

/** Each is loaded with the library for its format, so none is referenced before it is needed. */
function formOf(form: List["form"]): Form {
  switch (form) {
    case "json":
      return { entryOf: jsonEntry, adding: withJsonEntry, removing: withoutJsonEntry };
    case "toml":
      return { entryOf: tomlEntry, adding: withTomlEntry, removing: withoutTomlEntry };
    case "yaml":
      return { entryOf: yamlEntry, adding: withYamlEntry, removing: withoutYamlEntry };
  }
}

/** The change that adds Daybook to an agent's servers. */
export function installing(
  agent: string,
  place: Place,
  command: readonly string[],
  env: Readonly<Record<string, string>>,
): ConfigChange {
  const { list, path, before } = listOf(agent, place);
  const entry = list.entry(command, env);
  const text = before ?? "";
  const form = formOf(list.form);
  if (isDeepStrictEqual(form.entryOf(text, list.key, NAME), entry)) return { path, before, after: before };
  const base = form.entryOf(text, list.key, NAME) === undefined ? text : withoutEntry(list, text);
  return { path, before, after: form.adding(base, list.key, NAME, entry) };
}

/** The change that removes it again. */
export function uninstalling(agent: string, place: Place): ConfigChange {
  const { list, path, before } = listOf(agent, place);
  if (before === null || formOf(list.form).entryOf(before, list.key, NAME) === undefined)
    return { path, before, after: before };
  const after = withoutEntry(list, before);
  // A file that contained nothing else is deleted.
  return { path, before, after: /^\s*(?:\{\s*\})?\s*$/.test(after) ? null : after };
}

type List = NonNullable<ReturnType<typeof mcpServerList>>;

/** Picks the candidate that gives this file again when the entry is added: that is the original, byte for byte. */
function withoutEntry({ form, key }: List, text: string): string {
  const { entryOf, adding, removing } = formOf(form);
  const entry = entryOf(text, key, NAME) as ServerEntry;
  const before = removing(text, key, NAME);
  return before.find((one) => adding(one, key, NAME, entry) === text) ?? before.at(-1) ?? text;
}

function listOf(agent: string, { env, home }: Place): { list: List; path: string; before: string | null } {
  const known = mcpInstallable();
  // A name, or a prefix of one.
  const [name = agent] = known.includes(agent) ? [agent] : known.filter((one) => one.startsWith(agent));
  const list = mcpServerList(name);
  if (!list) {
    throw new DaybookError(`it is not known where ${agent} lists its servers`, {
      code: "usage",
      op: "change configuration",
      hint: suggestion(agent, known) || `known for: ${known.join(", ")}`,
    });
  }
  const files = list.files(env, home);
  const path = files.find((file) => existsSync(file)) ?? files[0] ?? "";
  return { list, path, before: existsSync(path) ? readFileSync(path, "utf8") : null };
}

/**
 * Server lists in JSON, with or without comments. An entry is inserted right after an opening brace, so that no other
 * byte of the file changes, and cut out again. jsonc-parser's own edits format the neighbouring entry, too: they are the
 * last resort for an entry that somebody changed.
 */
function jsonEntry(text: string, key: string, name: string): unknown {
  const node = treeOf(text);
  const entry = node && findNodeAtLocation(node, [key, name]);
  return entry && getNodeValue(entry);
}

function withJsonEntry(text: string, key: string, name: string, entry: ServerEntry): string {
  const whole = text.trim() === "" ? `{}${styleOf(text).eol}` : text;
  const root = treeOf(whole);
  if (root === undefined) throw broken();
  const list = findNodeAtLocation(root, [key]);
  const holder = list ?? root;
  if (holder.type !== "object") throw broken();
  const added = list
    ? property(whole, name, entry, 2, isEmpty(list))
    : property(whole, key, { [name]: entry }, 1, isEmpty(root));
  const at = holder.offset + 1;
  return whole.slice(0, at) + added + whole.slice(at);
}

/** Candidates for the file before the entry was added, followed by the file without the entry wherever it is now. */
function withoutJsonEntry(text: string, key: string, name: string): string[] {
  const root = treeOf(text);
  const list = root && findNodeAtLocation(root, [key]);
  if (!list) return [text];
  const entry = jsonEntry(text, key, name) as ServerEntry;
  const cut = (holder: Node, added: string): string[] => {
    const at = holder.offset + 1;
    return text.startsWith(added, at) ? [text.slice(0, at) + text.slice(at + added.length)] : [];
  };
  return [
    ...[true, false].flatMap((isAlone) => cut(root, property(text, key, { [name]: entry }, 1, isAlone))),
    ...[true, false].flatMap((isAlone) => cut(list, property(text, name, entry, 2, isAlone))),
    applyEdits(text, modify(text, [key, name], undefined, { formattingOptions: { keepLines: true } })),
  ];
}

/**
 * A property as inserted after a brace at this depth; if it is the only one, including the line break before the
 * closing brace.
 */
function property(text: string, name: string, value: unknown, depth: number, isAlone: boolean): string {
  const { eol, indent } = styleOf(text);
  const margin = eol + indent.repeat(depth);
  const lines = JSON.stringify({ [name]: value }, null, indent)
    .split("\n")
    .slice(1, -1);
  const inner = lines.map((line) => eol + indent.repeat(depth - 1) + line).join("");
  return isAlone ? inner + margin.slice(0, margin.length - indent.length) : `${inner},`;
}

function isEmpty({ children = [] }: Node): boolean {
  return children.length === 0;
}

function styleOf(text: string): { eol: string; indent: string } {
  return { eol: text.includes("\r\n") ? "\r\n" : "\n", indent: /^([ \t]+)"/m.exec(text)?.[1] ?? "  " };
}

/** Undefined for an empty file. */
function treeOf(text: string): Node | undefined {
  if (text.trim() === "") return undefined;
  const errors: ParseError[] = [];
  const root = parseTree(text, errors, { allowTrailingComma: true });
  if (errors.length > 0 || root?.type !== "object") throw broken();
  return root;
}

function broken(): DaybookError {
  return new DaybookError("the file is not valid JSON", {
    code: "invalid",
    op: "read configuration",
    hint: "fix it first; nothing was changed",
  });
}

/** Server lists in TOML: a server is a table of its own at the end of the file, and nothing else is touched. */

function tomlEntry(text: string, key: string, name: string): unknown {
  const list = parsed(text)[key];
  return typeof list === "object" && list !== null ? (list as Record<string, unknown>)[name] : undefined;
}

function withTomlEntry(text: string, key: string, name: string, entry: ServerEntry): string {
  parsed(text);
  const eol = text.includes("\r\n") ? "\r\n" : "\n";
  const before = text === "" ? "" : `${text}${text.endsWith("\n") ? "" : eol}${eol}`;
  const table = stringify({ [key]: { [name]: entry } }).trim();
  const after = `${before}${table.replaceAll("\n", eol)}${eol}`;
  // An inline list cannot be extended by a table.
  if (tomlEntry(after, key, name) === undefined) throw byHand();
  return after;
}

function withoutTomlEntry(text: string, key: string, name: string): string[] {
  const lines = text.split(/(?<=\n)/);
  const own = [key, name].map(quotable).join(String.raw`\s*\.\s*`);
  const header = new RegExp(String.raw`^\s*\[\s*${own}\s*(?:\.[^\]]*)?\]`);
  let isOwn = false;
  const rest = lines.filter((line) => {
    if (/^\s*\[/.test(line)) isOwn = header.test(line);
    return !isOwn;
  });
  const without = rest.join("");
  if (tomlEntry(without, key, name) !== undefined) throw byHand();
  // The empty line before the table was added with it.
  return [without.replace(/\r?\n$/, ""), without];
}

/** A key, bare or quoted. */
function quotable(key: string): string {
  return `["']?${key}["']?`;
}

function parsed(text: string): Record<string, unknown> {
  try {
    return parse(text);
  } catch (cause) {
    throw new DaybookError("the file is not valid TOML", {
      code: "invalid",
      op: "read configuration",
      hint: "fix it first; nothing was changed",
      cause,
    });
  }
}

function byHand(): DaybookError {
  return new DaybookError("the servers are listed in a form that cannot be edited automatically", {
    code: "invalid",
    op: "change configuration",
    hint: "edit it by hand; nothing was changed",
  });
}
