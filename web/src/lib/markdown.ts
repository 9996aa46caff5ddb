import { Marked, type Token, type Tokens } from "marked";

/** The elements that Markdown in a session may become: nothing in a text chooses an element itself. */
type MarkdownTag =
  | "a"
  | "blockquote"
  | "br"
  | "code"
  | "del"
  | "em"
  | "h1"
  | "h2"
  | "h3"
  | "h4"
  | "h5"
  | "h6"
  | "hr"
  | "li"
  | "ol"
  | "p"
  | "span"
  | "strong"
  | "table"
  | "tbody"
  | "td"
  | "th"
  | "thead"
  | "tr"
  | "ul";

/** Markdown as a tree that a component draws: text, a block of code, or an element with its contents. */
export type MarkdownNode =
  | { text: string }
  | { code: string; language: string }
  | { tag: MarkdownTag; attributes: Readonly<Record<string, string | number>>; inside: MarkdownNode[] };

/** Only these URLs become links. */
const LINK = /^(?:https?:\/\/|mailto:)/i;
/** Deeper nesting is shown as it was written. */
const DEEPEST = 30;
/** Quotes within quotes, which take the longer to read the deeper they are. */
const DEEP = /^(?:[ \t]*>){100}/m;
const HEADINGS = ["h1", "h2", "h3", "h4", "h5", "h6"] as const;

const marked = new Marked({ gfm: true, breaks: false, async: false });

/**
 * Reads Markdown. HTML inside the text is shown as text: whoever wrote it to an agent did not mean it to be rendered
 * here. Images are not loaded, because that would tell their server who is reading. A document (`isDocument`) has no
 * links to elsewhere.
 */
export function markdownNodes(text: string, isDocument: boolean): MarkdownNode[] {
  try {
    if (!DEEP.test(text)) return nodesOf(marked.lexer(text), isDocument, 0);
  } catch {
    // Nested too deeply for the reader of Markdown.
  }
  return [element("p", [{ text }])];
}

function element(
  tag: MarkdownTag,
  inside: MarkdownNode[] = [],
  attributes: Readonly<Record<string, string | number>> = {},
): MarkdownNode {
  return { tag, attributes, inside };
}

function nodesOf(tokens: readonly Token[], isDocument: boolean, depth: number): MarkdownNode[] {
  if (depth > DEEPEST) return tokens.map(({ raw }) => ({ text: raw }));
  return tokens.flatMap((token) => nodeOf(token as Tokens.Generic, isDocument, depth));
}

function nodeOf(token: Tokens.Generic, isDocument: boolean, depth: number): MarkdownNode | MarkdownNode[] {
  const inside = (tokens: readonly Token[] = token.tokens ?? []): MarkdownNode[] =>
    nodesOf(tokens, isDocument, depth + 1);
  switch (token.type) {
    case "space":
      return [];
    case "heading":
      return element(HEADINGS[(token as Tokens.Heading).depth - 1] ?? "h6", inside());
    case "paragraph":
      return element("p", inside());
    case "blockquote":
      return element("blockquote", inside());
    case "code":
      return { code: (token as Tokens.Code).text, language: (token as Tokens.Code).lang ?? "" };
    case "list": {
      const { ordered, start, items } = token as Tokens.List;
      const isFirst = start === "" || start === 1;
      return element(ordered ? "ol" : "ul", inside(items), ordered && !isFirst ? { start } : {});
    }
    case "list_item": {
      const { task, checked } = token as Tokens.ListItem;
      return element("li", [...(task ? [{ text: checked === true ? "☑ " : "☐ " }] : []), ...inside()]);
    }
    case "checkbox":
      return [];
    case "table": {
      const { header, rows } = token as Tokens.Table;
      const row = (cells: readonly Tokens.TableCell[], tag: "td" | "th"): MarkdownNode =>
        element(
          "tr",
          cells.map(({ tokens }) => element(tag, inside(tokens))),
        );
      const body = rows.map((cells) => row(cells, "td"));
      // A wide table scrolls, which the keyboard must be able to do as well.
      return element(
        "table",
        [element("thead", [row(header, "th")]), element("tbody", body)],
        isDocument ? {} : { tabindex: 0 },
      );
    }
    case "hr":
      return element("hr");
    case "br":
      return element("br");
    case "strong":
    case "em":
    case "del":
      return element(token.type, inside());
    case "codespan":
      return element("code", [{ text: (token as Tokens.Codespan).text }]);
    case "link":
      return linkOf(token as Tokens.Link, inside(), isDocument);
    case "image": {
      const { href, text } = token as Tokens.Image;
      const name = `[image${text === "" ? "" : `: ${text}`}] `;
      return element("span", [{ text: name }, element("code", [{ text: href }])], { class: "image" });
    }
    case "text":
      return token.tokens ? inside() : { text: decoded(token.raw) };
    case "escape":
      return { text: (token as Tokens.Escape).text };
    default:
      // HTML, definitions of links and whatever else: as it was written.
      return { text: token.raw };
  }
}

function linkOf(
  { href, text }: Tokens.Link,
  inside: MarkdownNode[],
  isDocument: boolean,
): MarkdownNode | MarkdownNode[] {
  if (!isDocument && LINK.test(href))
    // The title shows the target before the link is followed.
    return element("a", inside, { href, title: href, rel: "noreferrer noopener", target: "_blank" });
  if (text === href || `mailto:${text}` === href || `http://${text}` === href) return inside;
  return [...inside, { text: " " }, element("code", [{ text: href }])];
}

const ENTITIES: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: "\u00a0" };

/** Markdown knows the names of characters that HTML has. */
function decoded(text: string): string {
  return text.replaceAll(/&(amp|lt|gt|quot|apos|nbsp);/g, (name, word: string) => ENTITIES[word] ?? name);
}
