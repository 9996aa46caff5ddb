/**
 * A session as VS Code stores it: one document, or a log of changes to one, of which every line sets, appends to or
 * deletes something inside it.
 */
import { parseDocument } from "../kit/document-lines.ts";
import { list, num, obj, type Native } from "../kit/native.ts";

const [WHOLE, SET, PUSH, DELETE] = [0, 1, 2, 3];

/** Names that lead out of a plain object. */
const UNSAFE: ReadonlySet<unknown> = new Set(["__proto__", "constructor", "prototype"]);

/** The document a file states; null while there is none. A line that cannot be applied is skipped: the others stand. */
export function documentIn(text: string): Native | null {
  const whole = text.replace(/^\uFEFF/, "");
  if (!isLog(whole)) return parsedObject(whole);
  let document: Native | null = null;
  for (const line of whole.split("\n")) {
    const change = line.trim() === "" ? null : parsedObject(line);
    if (!change) continue;
    if (change["kind"] === WHOLE) document = obj(change["v"]);
    else if (document) apply(document, change);
  }
  return document;
}

/** Whether the text begins with the first line of a log. */
export function isLog(text: string): boolean {
  return /^\s*\{\s*"kind"\s*:\s*0\s*,\s*"v"\s*:/.test(text);
}

function parsedObject(text: string): Native | null {
  try {
    return obj(parseDocument(text));
  } catch {
    // Half written, or not VS Code's: `read.ts` reports a document that is missing.
    return null;
  }
}

function apply(document: Native, { kind, k, v, i }: Native): void {
  const path = list(k);
  const last = path.at(-1);
  const parent = containerAt(document, path.slice(0, -1));
  if (!parent || last === undefined || UNSAFE.has(last)) return;
  if (Array.isArray(parent)) {
    const at = num(last);
    // A place that does not exist would make a list of any length.
    if (at === null || !Number.isInteger(at) || at < 0 || at > parent.length) return;
    if (kind === SET) parent[at] = v;
    else if (kind === PUSH) parent[at] = pushed(parent[at], v, i);
    return;
  }
  const name = stepOf(last);
  if (name === null) return;
  if (kind === SET) parent[name] = v;
  else if (kind === DELETE) delete parent[name];
  else if (kind === PUSH) parent[name] = pushed(parent[name], v, i);
}

function stepOf(step: unknown): string | null {
  return typeof step === "string" || typeof step === "number" ? String(step) : null;
}

/** Everything from index `i` on is removed before the new items are appended. */
function pushed(items: unknown, v: unknown, i: unknown): unknown[] {
  const kept = num(i);
  const before = list(items);
  return [...(kept === null ? before : before.slice(0, Math.max(0, kept))), ...list(v)];
}

function containerAt(document: Native, path: readonly unknown[]): Native | unknown[] | null {
  let at: unknown = document;
  for (const step of path) {
    if (UNSAFE.has(step)) return null;
    if (Array.isArray(at)) at = (at as unknown[])[num(step) ?? -1];
    else at = obj(at)?.[stepOf(step) ?? ""];
  }
  return Array.isArray(at) ? (at as unknown[]) : obj(at);
}
