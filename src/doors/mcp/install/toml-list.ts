import { parse, stringify } from "smol-toml";
import { DaybookError } from "../../../base/errors.ts";
import type { ServerEntry } from "./server-list.ts";

/** Server lists in TOML: a server is a table of its own at the end of the file, and nothing else is touched. */

export function tomlEntry(text: string, key: string, name: string): unknown {
  const list = parsed(text)[key];
  return typeof list === "object" && list !== null ? (list as Record<string, unknown>)[name] : undefined;
}

export function withTomlEntry(text: string, key: string, name: string, entry: ServerEntry): string {
  parsed(text);
  const eol = text.includes("\r\n") ? "\r\n" : "\n";
  const before = text === "" ? "" : `${text}${text.endsWith("\n") ? "" : eol}${eol}`;
  const table = stringify({ [key]: { [name]: entry } }).trim();
  const after = `${before}${table.replaceAll("\n", eol)}${eol}`;
  // An inline list cannot be extended by a table.
  if (tomlEntry(after, key, name) === undefined) throw byHand();
  return after;
}

export function withoutTomlEntry(text: string, key: string, name: string): string[] {
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
