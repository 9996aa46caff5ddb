import { plain } from "../../text/inert.ts";

/** HTML that is safe to put into HTML. Only the `markup` tag makes it, so text cannot get in unescaped. */
export class Markup {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

export type Content = Markup | string | number | null | readonly Content[];

/**
 * A template whose holes are escaped unless they are markup already. Null leaves nothing, and the indentation of the
 * source does not reach the page. (Not called `html`: formatters would rewrite what is inside.)
 */
export function markup(strings: TemplateStringsArray, ...holes: readonly Content[]): Markup {
  const texts = strings.map((text) => text.replace(/\n\s*/g, "\n"));
  let out = texts[0] ?? "";
  for (const [i, hole] of holes.entries()) out += write(hole) + (texts[i + 1] ?? "");
  return new Markup(out);
}

function write(content: Content): string {
  if (content === null) return "";
  if (content instanceof Markup) return content.text;
  if (typeof content === "number") return String(content);
  if (typeof content === "string") return escape(content);
  return content.map(write).join("");
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

function escape(text: string): string {
  return plain(text).replace(/[&<>"']/g, (c) => ENTITIES[c] ?? c);
}
