import { createHash } from "node:crypto";
import { markup, type Content } from "./markup.ts";

/**
 * A self-contained page: no fonts, no requests, no script but the given one, and a content security policy that forbids
 * all others. The policy allows style and script by their hashes.
 */
export function renderPage(title: string, style: string, sections: Content, footer: Content, script = ""): string {
  const scripts = script === "" ? "" : `script-src ${hashOf(script)}; `;
  const policy = `default-src 'none'; style-src ${hashOf(style)}; ${scripts}base-uri 'none'; form-action 'none'`;
  const head = markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>${title} · Daybook</title>
<style>`;
  const body = markup`</style>
</head>
<body>
<main>
${sections}
<footer>${footer}</footer>
</main>
`;
  const code = script === "" ? "" : `<script>${script}</script>\n`;
  // Style and script are inserted unescaped: the policy allows exactly these bytes.
  return `${head.text}${style}${body.text}${code}</body>\n</html>\n`;
}

function hashOf(text: string): string {
  return `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
}
