import { readdirSync, readFileSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { createHash } from "node:crypto";
import { brotliCompressSync, constants } from "node:zlib";
import type { Context } from "hono";
import { policyOf } from "./guard.ts";
import { problem } from "./problem.ts";

const KINDS: Readonly<Record<string, string>> = {
  css: "text/css; charset=utf-8",
  html: "text/html; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  svg: "image/svg+xml",
  webmanifest: "application/manifest+json",
  woff2: "font/woff2",
};

/** So long a page waits for its first answers, in ms: where sessions are read for the first time they take minutes. */
const WAITS = 300;

interface PageFile {
  body: Buffer;
  kind: string;
  packed: Buffer | null;
}

/** Where the page's own token stands in what is built, and where what it asks first. */
const TOKEN = "__DAYBOOK_TOKEN__";
const FIRST = "__FIRST_ANSWERS__";

/** What a place needs beside what all do: asked for before the page's program is there to ask. */
const NEEDED: readonly [RegExp, RegExp][] = [[/^\/session\//, /^\/assets\/Session-/]];

/** The rules by which the frame is drawn, as the build names them. */
const STYLESHEET = /<link rel="stylesheet"[^>]* href="(\/assets\/index-[^"]+\.css)">/;

/** The page's document, with its token and its answers still to be filled in. */
interface Document {
  text: string;
  policy: string;
}

/** The files of the page, read once: no name that is asked for ever leads to the disk. */
export class PageFiles {
  readonly #files = new Map<string, PageFile>();
  readonly #document: Document | null;

  /** `index`: the document that every place of the page is shown in. */
  constructor(dir: string, index: string = "/index.html") {
    for (const path of filesIn(dir)) {
      const body = readFileSync(path);
      const kind = KINDS[path.slice(path.lastIndexOf(".") + 1)] ?? "application/octet-stream";
      this.#files.set(`/${relative(dir, path).split(sep).join("/")}`, { body, kind, packed: null });
    }
    this.#document = this.#read(index);
  }

  get isBuilt(): boolean {
    return this.#document !== null;
  }

  /** Makes what every page needs ready to be sent, so that the first who asks does not wait for it. */
  prepare(): void {
    const named = [...(this.#document?.text.matchAll(/"(\/assets\/[^"]+)"/g) ?? [])].map(([, name = ""]) => name);
    for (const name of named) {
      const file = this.#files.get(name);
      if (file) packed(file);
    }
  }

  /** With the rules of the frame in it: so it is seen before anything else is fetched. */
  #read(index: string): Document | null {
    const html = this.#files.get(index)?.body.toString("utf8");
    if (html === undefined) return null;
    const [link = "", name = ""] = STYLESHEET.exec(html) ?? [];
    const style = this.#files.get(name)?.body.toString("utf8");
    if (style === undefined) return { text: html, policy: policyOf([]) };
    const hash = createHash("sha256").update(style).digest("base64");
    return { text: html.replace(link, () => `<style>${style}</style>`), policy: policyOf([`'sha256-${hash}'`]) };
  }

  /** `first`: what the page asks at once, as JSON. */
  respond(c: Context, token: string, first: () => Promise<string>): Response {
    const { path } = c.req;
    const file = this.#files.get(path);
    // Names of built files tell their content: they never change.
    if (file && !path.endsWith(".html")) {
      const isNamed = path.startsWith("/assets/");
      return this.#send(c, file, isNamed ? "public, max-age=31536000, immutable" : "no-cache");
    }
    const page = this.#document;
    if (!page || path.startsWith("/assets/")) return problem(c, 404, `nothing at ${path}`);
    const [before = "", after = ""] = page.text.replaceAll(TOKEN, token).split(FIRST);
    const head = before.replace("</head>", () => `${this.#needs(path)}</head>`);
    // A page that asks for everything itself has no place for answers.
    const answers = page.text.includes(FIRST) ? first : async (): Promise<string> => "";
    return c.body(inSteps(head, answers, after), 200, {
      ...{ "content-type": KINDS["html"] ?? "", "cache-control": "no-store", "content-security-policy": page.policy },
    });
  }

  #needs(path: string): string {
    const names = NEEDED.flatMap(([place, files]) => (place.test(path) ? [files] : []));
    const links = [...this.#files.keys()].filter((name) => names.some((files) => files.test(name)));
    return links
      .map(
        // Nothing of the frame is drawn by its rules: it need not wait for them.
        (name) =>
          `<link rel="${name.endsWith(".css") ? 'preload" as="style' : "modulepreload"}" crossorigin href="${name}">`,
      )
      .join("");
  }

  #send(c: Context, file: PageFile, cache: string): Response {
    const headers: Record<string, string> = {
      "content-type": file.kind,
      "cache-control": cache,
      vary: "accept-encoding",
    };
    if (!/\bbr\b/.test(c.req.header("accept-encoding") ?? "")) return c.body(new Uint8Array(file.body), 200, headers);
    return c.body(new Uint8Array(packed(file)), 200, { ...headers, "content-encoding": "br" });
  }
}

function packed(file: PageFile): Buffer {
  return (file.packed ??= brotliCompressSync(file.body, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }));
}

function filesIn(dir: string): string[] {
  try {
    return readdirSync(dir, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name));
  } catch {
    return [];
  }
}

/** The browser asks for the page's program while the first answers are found. */
function inSteps(before: string, first: () => Promise<string>, after: string): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  return new ReadableStream({
    async start(controller) {
      controller.enqueue(encoder.encode(before));
      // Until what was said is on its way.
      await new Promise((resolve) => setImmediate(resolve));
      // Whatever goes wrong is said to the page when it asks; what takes long it asks for itself.
      const answers = await Promise.race([first().catch(() => "{}"), sleep(WAITS, "{}", { ref: false })]);
      controller.enqueue(encoder.encode(answers + after));
      controller.close();
    },
  });
}
