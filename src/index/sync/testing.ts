import type { Entry } from "../../agents/contract.ts";

/** One change for each field that a page stores of a record. Any of them makes the page differ from the file. */
export const ENTRY_CHANGES: [string, (entry: Entry) => Entry][] = [
  ["bytes", (entry) => ({ ...entry, bytes: entry.bytes + 1 })],
  ["class", (entry) => ({ ...entry, class: "setup" })],
  ["reason", (entry) => ({ ...entry, reason: "other.rule" })],
  ["native", (entry) => ({ ...entry, native: "other" })],
  ["time", (entry) => ({ ...entry, time: (entry.time ?? 0) + 1 })],
  ["position", (entry) => ({ ...entry, position: entry.position + 100 })],
  ["turnId", (entry) => ({ ...entry, turnId: "other" })],
  ["identity", (entry) => ({ ...entry, identity: "other" })],
  ["records", (entry) => ({ ...entry, records: [] })],
];
