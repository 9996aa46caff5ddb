import { Marked, type Tokens } from "marked";

/** Only these URLs become links. */
const LINK = /^(?:https?:\/\/|mailto:)/i;

/*
 * Renders Markdown to HTML that must still be sanitised. HTML inside the text is shown as text: whoever wrote it to an
 * agent did not mean it to be rendered here. Images are not loaded, because that would tell their server who is
 * reading.
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
      // The title shows the target before the link is followed.
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
