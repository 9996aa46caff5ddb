import { isMap, isScalar, parseDocument, stringify, type Document, type Pair, type YAMLMap } from "yaml";
import { DaybookError } from "../../../base/errors.ts";
import type { ServerEntry } from "./server-list.ts";

/**
 * Server lists in YAML: a server is inserted before the others, line by line, and no other byte of the file changes. A
 * document of the `yaml` package would be written anew, with its own spacing in lists and before comments.
 */

export function yamlEntry(text: string, key: string, name: string): unknown {
  const found: unknown = documentOf(text).toJS();
  const list = isObject(found) ? found[key] : undefined;
  return isObject(list) ? list[name] : undefined;
}

export function withYamlEntry(text: string, key: string, name: string, entry: ServerEntry): string {
  const document = documentOf(text);
  const after = added(text, document, key, name, entry);
  if (after === null || !isObject(yamlEntry(after, key, name))) throw byHand();
  return after;
}

/** Candidates for the file before the entry was added, followed by the file without the entry wherever it is now. */
export function withoutYamlEntry(text: string, key: string, name: string): string[] {
  const list = pairOf(rootOf(documentOf(text)), key);
  const servers = list?.value;
  const own = isMap(servers) ? pairOf(servers, name) : undefined;
  if (!list || !isMap(servers) || !own) throw byHand();
  if (servers.flow === true) return [withoutFlow(text, servers, name, yamlEntry(text, key, name))];
  const [from, to] = [startOf(text, own), endOf(text, servers, own)];
  const without = cut(text, from, to);
  // If it is the only entry, the list may have been added with it.
  return servers.items.length > 1 ? [without] : [cut(text, startOf(text, list), to), without];
}

function added(text: string, document: Document, key: string, name: string, entry: ServerEntry): string | null {
  const root = rootOf(document);
  const list = pairOf(root, key);
  const eol = eolOf(text);
  if (!list) {
    if (root?.flow === true) return null;
    return `${text}${text === "" || text.endsWith("\n") ? "" : eol}${block({ [key]: { [name]: entry } }, 0, eol)}`;
  }
  if (isMap(list.value) && list.value.flow === true) return withFlow(text, list.value, name, entry);
  if (isMap(list.value)) {
    const [first] = list.value.items;
    const at = first ? startOf(text, first) : -1;
    if (!first || !/^\s*$/.test(text.slice(at, offsetOf(first)))) return null;
    const own = block({ [name]: entry }, offsetOf(first) - at, eol);
    return text.slice(0, at) + own + text.slice(at);
  }
  // A key without a value, except for a comment.
  const { from, to } = lineOf(text, offsetOf(list));
  const isEmpty = isScalar(list.value) && list.value.value === null && list.value.source === "";
  const end = text.slice(from, to).endsWith("\n") ? "" : eol;
  return isEmpty ? text.slice(0, to) + end + block({ [name]: entry }, 2, eol) + text.slice(to) : null;
}

/** For a list in braces: JSON is valid YAML. */
function flowEntry(name: string, entry: unknown, isAlone: boolean): string {
  return `${JSON.stringify(name)}: ${JSON.stringify(entry)}${isAlone ? "" : ", "}`;
}

function withFlow(text: string, list: YAMLMap, name: string, entry: ServerEntry): string {
  const at = (list.range?.[0] ?? 0) + 1;
  return text.slice(0, at) + flowEntry(name, entry, list.items.length === 0) + text.slice(at);
}

function withoutFlow(text: string, list: YAMLMap, name: string, entry: unknown): string {
  const at = (list.range?.[0] ?? 0) + 1;
  const own = flowEntry(name, entry, list.items.length === 1);
  if (!text.startsWith(own, at)) throw byHand();
  return cut(text, at, at + own.length);
}

function block(value: unknown, depth: number, eol: string): string {
  const lines = stringify(value, { lineWidth: 0 }).trimEnd().split("\n");
  return lines.map((line) => `${" ".repeat(depth)}${line}${eol}`).join("");
}

function pairOf(map: YAMLMap | null, key: string): Pair | undefined {
  return map?.items.find((pair) => isScalar(pair.key) && pair.key.value === key);
}

function rootOf({ contents }: Document): YAMLMap | null {
  if (contents === null || (isScalar(contents) && contents.value === null)) return null;
  if (!isMap(contents)) throw broken(null);
  return contents;
}

function offsetOf({ key }: Pair): number {
  return isScalar(key) ? (key.range?.[0] ?? 0) : 0;
}

/** The start of a pair's line. */
function startOf(text: string, pair: Pair): number {
  return lineOf(text, offsetOf(pair)).from;
}

/** The start of the line after a pair: comments and blank lines below it belong to the next one. */
function endOf(text: string, map: YAMLMap, pair: Pair): number {
  const value = pair.value as { range?: [number, number, number] | null } | null;
  const end = value?.range?.[1] ?? offsetOf(pair);
  const next = map.items[map.items.indexOf(pair) + 1];
  const most = next ? startOf(text, next) : text.length;
  const body = text.slice(0, end).trimEnd().length;
  return Math.min(lineOf(text, body - 1).to, most);
}

function lineOf(text: string, at: number): { from: number; to: number } {
  const end = text.indexOf("\n", at);
  return { from: text.lastIndexOf("\n", at - 1) + 1, to: end === -1 ? text.length : end + 1 };
}

function cut(text: string, from: number, to: number): string {
  return text.slice(0, from) + text.slice(to);
}

function eolOf(text: string): string {
  return text.includes("\r\n") ? "\r\n" : "\n";
}

function documentOf(text: string): Document {
  const document = parseDocument(text);
  const [error] = document.errors;
  if (error) throw broken(error);
  rootOf(document);
  return document;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function broken(cause: unknown): DaybookError {
  return new DaybookError("the file is not valid YAML", {
    code: "invalid",
    op: "read configuration",
    hint: "fix it first; nothing was changed",
    cause,
  });
}

function byHand(): DaybookError {
  return new DaybookError("the servers are listed in a form that cannot be edited automatically", {
    code: "invalid",
    op: "change configuration",
    hint: "edit it by hand; nothing was changed",
  });
}
