import { readdirSync, readFileSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { brotliCompressSync, constants } from "node:zlib";
import type { Context } from "hono";
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

/** The files of the page, read once: no name that is asked for ever leads to the disk. */
export class PageFiles {
  readonly #files = new Map<string, PageFile>();

  constructor(dir: string) {
    for (const path of filesIn(dir)) {
      const body = readFileSync(path);
      const kind = KINDS[path.slice(path.lastIndexOf(".") + 1)] ?? "application/octet-stream";
      this.#files.set(`/${relative(dir, path).split(sep).join("/")}`, { body, kind, packed: null });
    }
  }

  get isBuilt(): boolean {
    return this.#files.has("/index.html");
  }

  /** `first`: what the page asks at once, as JSON. */
  respond(c: Context, token: string, first: () => Promise<string>): Response {
    const { path } = c.req;
    const file = this.#files.get(path);
    // Names of built files tell their content: they never change.
    if (file && path !== "/index.html") {
      const isNamed = path.startsWith("/assets/");
      return this.#send(c, file, isNamed ? "public, max-age=31536000, immutable" : "no-cache");
    }
    const index = this.#files.get("/index.html");
    if (!index || path.startsWith("/assets/")) return problem(c, 404, `nothing at ${path}`);
    const [before = "", after = ""] = index.body.toString("utf8").replaceAll(TOKEN, token).split(FIRST);
    const head = before.replace("</head>", `${this.#needs(path)}</head>`);
    return c.body(inSteps(head, first, after), 200, { "content-type": index.kind, "cache-control": "no-store" });
  }

  #needs(path: string): string {
    const names = NEEDED.flatMap(([place, files]) => (place.test(path) ? [files] : []));
    const links = [...this.#files.keys()].filter((name) => names.some((files) => files.test(name)));
    return links
      .map(
        (name) => `<link rel="${name.endsWith(".css") ? "stylesheet" : "modulepreload"}" crossorigin href="${name}">`,
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
    file.packed ??= brotliCompressSync(file.body, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } });
    return c.body(new Uint8Array(file.packed), 200, { ...headers, "content-encoding": "br" });
  }
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
      // Whatever goes wrong is told to the page when it asks; what takes long it asks for itself.
      const answers = await Promise.race([first().catch(() => "{}"), sleep(WAITS, "{}", { ref: false })]);
      controller.enqueue(encoder.encode(answers + after));
      controller.close();
    },
  });
}
