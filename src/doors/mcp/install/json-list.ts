import {
  applyEdits,
  findNodeAtLocation,
  modify,
  parseTree,
  getNodeValue,
  type Node,
  type ParseError,
} from "jsonc-parser";
import { DaybookError } from "../../../base/errors.ts";
import type { ServerEntry } from "./server-list.ts";

/**
 * Server lists in JSON, with or without comments. An entry is inserted right after an opening brace, so that no other
 * byte of the file changes, and cut out again. jsonc-parser's own edits format the neighbouring entry, too: they are the
 * last resort for an entry that somebody changed.
 */
export function jsonEntry(text: string, key: string, name: string): unknown {
  const node = treeOf(text);
  const entry = node && findNodeAtLocation(node, [key, name]);
  return entry && getNodeValue(entry);
}

export function withJsonEntry(text: string, key: string, name: string, entry: ServerEntry): string {
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
export function withoutJsonEntry(text: string, key: string, name: string): string[] {
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
