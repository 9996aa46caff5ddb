import { Marked, type Tokens } from "marked";

/** Only these are addresses that a reader may be led to. */
const LINK = /^(?:https?:\/\/|mailto:)/i;

/*
 * Markdown as HTML that is still to be sanitised. Markup inside a text is shown as text: nobody who writes to an agent means it to
 * be drawn here. An image is not loaded: its address would be told who reads.
 */
const marked = new Marked({
  gfm: true,
  breaks: false,
  async: false,
  renderer: {
    html: ({ text }: Tokens.HTML | Tokens.Tag) => escaped(text),
    image: ({ href, text }: Tokens.Image) =>
      `<span class="image">[image${text === "" ? "" : `: ${escaped(text)}`}] <code>${escaped(href)}</code></span>`,
    link(this: { parser: { parseInline: (tokens: Tokens.Link["tokens"]) => string } }, { href, tokens }: Tokens.Link) {
      const text = this.parser.parseInline(tokens);
      if (!LINK.test(href)) return `${text} <code>${escaped(href)}</code>`;
      // Where it leads is shown before it is followed.
      return `<a href="${escaped(href)}" title="${escaped(href)}" rel="noreferrer noopener" target="_blank">${text}</a>`;
    },
    checkbox: ({ checked }: Tokens.Checkbox) => (checked ? "☑ " : "☐ "),
  },
});

export function markdownHtml(text: string): string {
  return marked.parse(text) as string;
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}
