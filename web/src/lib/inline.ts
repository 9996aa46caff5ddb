/** Cuts a line of prose into plain words and what stands between backticks. */
export function inlineParts(text: string): { text: string; code: boolean }[] {
  return text
    .split(/(`[^`\n]+`)/)
    .filter((part) => part !== "")
    .map((part) => (/^`[^`\n]+`$/.test(part) ? { text: part.slice(1, -1), code: true } : { text: part, code: false }));
}
