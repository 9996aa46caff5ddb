export interface InlinePart {
  text: string;
  as: "plain" | "code" | "strong";
}

/** Splits a line of prose into plain text, `code` and **bold** parts. */
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
