export interface InlinePart {
  text: string;
  as: "plain" | "code" | "strong";
}

/** Cuts a line of prose into plain words, what stands between backticks, and what stands between double stars. */
export function inlineParts(text: string): InlinePart[] {
  return text
    .split(/(`[^`\n]+`|\*\*[^*\n]+\*\*)/)
    .filter((part) => part !== "")
    .map((part) => {
      if (/^`[^`\n]+`$/.test(part)) return { text: part.slice(1, -1), as: "code" };
      if (/^\*\*[^*\n]+\*\*$/.test(part)) return { text: part.slice(2, -2), as: "strong" };
      return { text: part, as: "plain" };
    });
}
