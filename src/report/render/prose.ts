import { markup, type Content, type Markup } from "./markup.ts";
import { excerpt } from "./phrases.ts";

/** Maximum number of lines shown of one answer. */
const MOST_LINES = 60;

/** Agents put code between backticks; a page shows it as code. */
export function withCode(text: string): Content {
  return text
    .split(/(`{1,2}[^`\n]{1,300}`{1,2})/)
    .map((part, i) => (i % 2 === 1 ? markup`<code>${part.replace(/^`+|`+$/g, "")}</code>` : strong(part)));
}

function strong(text: string): Content {
  return text
    .split(/(\*\*[^*\n]{1,300}\*\*)/)
    .map((part, i) => (i % 2 === 1 ? markup`<b>${part.slice(2, -2)}</b>` : part));
}

/**
 * Renders an answer as agents write it: paragraphs, lists, headings, code blocks, tables. Only the Markdown that is
 * hard to read unrendered is supported; nothing in the text becomes a link or a tag.
 */
export function prose(text: string, chars: number): Markup[] {
  const lines = shortened(text, chars).split("\n");
  const out: Markup[] = [];
  for (let i = 0; i < lines.length;) {
    const kind = kindOf(lines[i] ?? "");
    let end = i + 1;
    if (kind === "fence") while (end < lines.length && kindOf(lines[end] ?? "") !== "fence") end++;
    else if (kind !== "head") while (end < lines.length && kindOf(lines[end] ?? "") === kind) end++;
    const block = lines.slice(i, end);
    if (kind === "fence") out.push(code(block.slice(1)));
    else if (kind !== "blank") out.push(blockOf(kind, block));
    i = kind === "fence" ? end + 1 : end;
  }
  return out;
}

type Kind = "fence" | "table" | "list" | "head" | "text" | "blank";

function kindOf(line: string): Kind {
  if (/^\s*(?:```|~~~)/.test(line)) return "fence";
  if (/^\s*\|.*\|\s*$/.test(line)) return "table";
  if (/^\s*(?:[-*+]|\d{1,3}[.)])\s+\S/.test(line)) return "list";
  if (/^#{1,6}\s/.test(line)) return "head";
  return line.trim() === "" ? "blank" : "text";
}

function blockOf(kind: Kind, lines: readonly string[]): Markup {
  if (kind === "table") return code(lines);
  if (kind === "head") return markup`<p><b>${(lines[0] ?? "").replace(/^#+\s+/, "")}</b></p>`;
  if (kind === "text") return markup`<p>${lines.map((line, i) => [i > 0 ? markup`<br>` : null, withCode(line)])}</p>`;
  const isNumbered = /^\s*\d/.test(lines[0] ?? "");
  const items = lines.map((line) => markup`<li>${withCode(line.replace(/^\s*(?:[-*+]|\d{1,3}[.)])\s+/, ""))}</li>`);
  return isNumbered ? markup`<ol>${items}</ol>` : markup`<ul>${items}</ul>`;
}

function code(lines: readonly string[]): Markup {
  return markup`<pre>${lines.join("\n")}</pre>`;
}

/** The beginning of a text, including the blank lines that separate paragraphs. */
function shortened(text: string, chars: number): string {
  const lines = text.replaceAll("\r\n", "\n").split("\n");
  const short = lines.slice(0, MOST_LINES).join("\n");
  const isCut = lines.length > MOST_LINES || short.length > chars;
  if (!isCut) return short.trim();
  const start = short.slice(0, chars).replace(/[\ud800-\udbff]$/, "");
  return `${start.trim()} …`;
}

/** A human's words, as they were typed. */
export function words(text: string, lines: number, chars: number): Content {
  return withCode(excerpt(text, lines, chars));
}
