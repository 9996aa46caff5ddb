import { plain } from "../../text/inert.ts";

/** HTML that is safe to put into HTML. Only the `html` tag makes it, so text cannot get in unescaped. */
export class Markup {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

export type Content = Markup | string | number | null | readonly Content[];

/** A template whose holes are escaped unless they are markup already. Null leaves nothing. */
export function html(strings: TemplateStringsArray, ...holes: readonly Content[]): Markup {
  let out = strings[0] ?? "";
  for (const [i, hole] of holes.entries()) out += write(hole) + (strings[i + 1] ?? "");
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
