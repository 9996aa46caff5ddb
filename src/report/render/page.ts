import { createHash } from "node:crypto";
import { markup, type Content } from "./markup.ts";

/** A page that needs nothing else: no script, no font, no request, and a policy that forbids all of them. */
export function page(title: string, style: string, sections: Content, footer: Content): string {
  const policy = `default-src 'none'; style-src 'sha256-${createHash("sha256").update(style).digest("base64")}'; base-uri 'none'; form-action 'none'`;
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
</body>
</html>
`;
  // The style sheet goes in as it is: its hash is what the policy allows.
  return head.text + style + body.text;
}
