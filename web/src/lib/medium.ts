import { hasContext, setContext } from "svelte";

const KEY = Symbol("document");

/**
 * Whether a component is drawn into a document: a file that is read without a script and without the server. Everything
 * is in it then, folded where the page would ask for it, and it has no buttons.
 */
export function isDocument(): boolean {
  return hasContext(KEY);
}

export function setDocument(): void {
  setContext(KEY, true);
}

/** The longest text of a document, where nobody can ask for the rest: the native line has it. */
const LONGEST = 20_000;

export function cutForDocument(text: string): string {
  if (text.length <= LONGEST) return text.trimEnd();
  return `${text.slice(0, LONGEST).replace(/[\ud800-\udbff]$/, "")} …`;
}
