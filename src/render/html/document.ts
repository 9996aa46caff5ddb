import { createHash } from "node:crypto";
import type { Component } from "svelte";
import { render } from "svelte/server";
import base from "../../../web/src/design/base.css?raw";
import tokens from "../../../web/src/design/tokens.css?raw";
import { plain } from "../../base/text/inert.ts";
import Document from "./Document.svelte";

interface DocumentHead {
  title: string;
  /** The zone in which components show times. */
  timezone: string;
  script?: string;
}

/**
 * A component as a self-contained file: no fonts, no requests, no script but the given one, and a content security
 * policy that forbids all others. The policy allows style and script by their hashes.
 */
export function renderDocument<Props extends Record<string, unknown>>(
  component: Component<Props>,
  props: Props,
  { title, timezone, script = "" }: DocumentHead,
): string {
  const inside = component as Component<Record<string, unknown>>;
  const { head, body } = render(Document, { props: { component: inside, props, timezone } });
  const used = [...head.matchAll(/<style[^>]*>([^]*?)<\/style>/g)].map(([, css]) => css);
  const style = squeezed([tokens, base, ...used].join(""));
  const scripts = script === "" ? "" : `script-src ${hashOf(script)}; `;
  const policy = `default-src 'none'; style-src ${hashOf(style)}; ${scripts}base-uri 'none'; form-action 'none'`;
  const code = script === "" ? "" : `<script>${script}</script>\n`;
  // Style and script are inserted as they are: the policy allows exactly these bytes.
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${escaped(policy)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>${escaped(plain(title))} · Daybook</title>
<style>${style}</style>
</head>
<body>
${inert(body)}
${code}</body>
</html>
`;
}

/** Elements that begin a line, so that the file can be read and compared as text. None of them is in preformatted text. */
const LINE = /^<(?:section|h2|details|div|nav|aside|form|table|tr|footer)[ >]/;

/** Comments that only a script on the page would need; tags; characters that Svelte leaves as they are. */
const PIECES = /<!--[^]*?-->|<\/?[a-z][^"<>]*(?:"[^"]*"[^"<>]*)*>|[>"']/gi;

/**
 * What Svelte wrote, without what could have an effect. Svelte escapes `&` and `<`, and `"` in attributes: enough for a
 * browser. Here the other characters of markup are escaped too, so that no text looks like a tag to anyone, and control
 * characters are made visible.
 */
function inert(body: string): string {
  return plain(body).replace(PIECES, (piece) => {
    if (piece.startsWith("<!--")) return "";
    if (piece.length === 1) return ENTITIES[piece] ?? piece;
    const begin = LINE.test(piece) ? "\n" : "";
    return begin + piece.replace(/"[^"]*"/g, (value) => value.replace(/[>']/g, (c) => ENTITIES[c] ?? c));
  });
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (c) => ENTITIES[c] ?? c);
}

/** A style sheet without comments and indentation. */
function squeezed(css: string): string {
  return css.replaceAll(/\/\*[^]*?\*\//g, "").replaceAll(/\s*\n\s*/g, "");
}

function hashOf(text: string): string {
  return `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
}
