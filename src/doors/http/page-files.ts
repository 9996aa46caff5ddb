import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { brotliCompressSync, constants } from "node:zlib";
import type { Context } from "hono";
import type { Overview } from "./answers.ts";
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

/**
 * How long a page waits for its first answers, in ms: when sessions are read for the first time, they take minutes.
 */
const FIRST_ANSWERS_WAIT_MS = 300;

interface PageFile {
  body: Buffer;
  kind: string;
  compressed: Buffer | null;
}

/** Placeholders in the built page: for its token, and for its first answers. */
const TOKEN = "__DAYBOOK_TOKEN__";
const FIRST = "__FIRST_ANSWERS__";

/** Files a path needs in addition, preloaded before the page's script asks for them. */
const NEEDED: readonly [RegExp, RegExp][] = [[/^\/session\//, /^\/assets\/Session-/]];

/** The main stylesheet, as the build names it. */
const STYLESHEET = /<link rel="stylesheet"[^>]* href="(\/assets\/index-[^"]+\.css)">/;

/** The HTML document, with placeholders for its token and answers. */
interface Document {
  text: string;
  policy: string;
}

/** The files of the page, read once: a requested path never reaches the disk. */
export class PageFiles {
  readonly #files = new Map<string, PageFile>();
  readonly #document: Document | null;

  /** `index`: the document that all paths of the page are served with. */
  constructor(dir: string, index: string = "/index.html") {
    for (const path of filesIn(dir)) {
      const body = readFileSync(path);
      const kind = KINDS[path.slice(path.lastIndexOf(".") + 1)] ?? "application/octet-stream";
      this.#files.set(`/${relative(dir, path).split(sep).join("/")}`, { body, kind, compressed: null });
    }
    this.#document = this.#read(index);
  }

  get isBuilt(): boolean {
    return this.#document !== null;
  }

  /** Compresses the files every page needs, so that the first request does not wait for it. */
  prepare(): void {
    const named = [...(this.#document?.text.matchAll(/"(\/assets\/[^"]+)"/g) ?? [])].map(([, name = ""]) => name);
    for (const name of named) {
      const file = this.#files.get(name);
      if (file) packed(file);
    }
  }

  /** With the main stylesheet inlined, so that the page is drawn before anything else is fetched. */
  #read(index: string): Document | null {
    const html = this.#files.get(index)?.body.toString("utf8");
    if (html === undefined) return null;
    const [link = "", name = ""] = STYLESHEET.exec(html) ?? [];
    const style = this.#files.get(name)?.body.toString("utf8");
    if (style === undefined) return { text: html, policy: policyOf([]) };
    const hash = createHash("sha256").update(style).digest("base64");
    return { text: html.replace(link, () => `<style>${style}</style>`), policy: policyOf([`'sha256-${hash}'`]) };
  }

  /** `first`: the first answers of the page, as JSON. */
  respond(c: Context, token: string, first: () => Promise<string>): Response {
    const { path } = c.req;
    const file = this.#files.get(path);
    // Names of built files contain a content hash, so they never change.
    if (file && !path.endsWith(".html")) {
      const isNamed = path.startsWith("/assets/");
      return this.#send(c, file, isNamed ? "public, max-age=31536000, immutable" : "no-cache");
    }
    const page = this.#document;
    if (!page || path.startsWith("/assets/")) return problem(c, 404, `nothing at ${path}`);
    const [before = "", after = ""] = page.text.replaceAll(TOKEN, token).split(FIRST);
    const head = before.replace("</head>", () => `${this.#needs(path)}</head>`);
    // A page without the placeholder asks for everything itself.
    const answers = page.text.includes(FIRST) ? first : async (): Promise<string> => "";
    return c.body(streamPage(head, answers, after), 200, {
      "content-type": KINDS["html"] ?? "",
      "cache-control": "no-store",
      "content-security-policy": page.policy,
    });
  }

  #needs(path: string): string {
    const names = NEEDED.flatMap(([place, files]) => (place.test(path) ? [files] : []));
    const links = [...this.#files.keys()].filter((name) => names.some((files) => files.test(name)));
    return links
      .map(
        // Preloaded without blocking: nothing of the first view depends on these styles.
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
  return (file.compressed ??= brotliCompressSync(file.body, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }));
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

/** Sends the head first, so that the browser fetches the page's script while the first answers are computed. */
function streamPage(before: string, first: () => Promise<string>, after: string): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  return new ReadableStream({
    async start(controller) {
      controller.enqueue(encoder.encode(before));
      // Lets the first part be sent.
      await new Promise((resolve) => setImmediate(resolve));
      // After an error or a timeout the page asks for the answers itself.
      const answers = await Promise.race([
        first().catch(() => "{}"),
        sleep(FIRST_ANSWERS_WAIT_MS, "{}", { ref: false }),
      ]);
      controller.enqueue(encoder.encode(answers + after));
      controller.close();
    },
  });
}

/** JSON answers by their address. */
type FirstAnswers = ReadonlyMap<string, string>;

/**
 * The answers a page asks for when it is opened, by its path. They are embedded in the page, so that it can be shown
 * as soon as its script is loaded. Passed on as text, without parsing.
 */
export async function firstAnswers(
  answerTo: (asked: Request) => Response | Promise<Response>,
  asked: Request,
): Promise<FirstAnswers> {
  const { origin, pathname, search } = new URL(asked.url);
  const answers = new Map<string, string>();
  const ask = async (address: string): Promise<string | null> => {
    const response = await answerTo(new Request(`${origin}${address}`, { headers: asked.headers }));
    // A refused request is repeated by the page, which has the token and shows the error.
    if (!response.ok) return null;
    const text = await response.text();
    answers.set(address, text);
    return text;
  };
  const overview = await ask("/api/overview");
  if (overview === null) return answers;
  const { opens_on } = JSON.parse(overview) as Overview;
  if (pathname === "/") await Promise.all([ask(`/api/report?date=${opens_on}`), ask("/api/now")]);
  const session = /^\/session\/([^/]+)\/([^/]+)$/.exec(pathname);
  if (session) {
    const base = `/api/sessions/${session[1]}/${session[2]}`;
    await ask(`${base}/requests`);
    // A link to a single line starts loading there, not at the first turn.
    if (search === "") await ask(`${base}/records?limit=200&turn=T0001`);
  }
  return answers;
}

/** As text that can be embedded in a page: nothing in it can close the surrounding element. */
export function embedInPage(answers: FirstAnswers): string {
  const pairs = [...answers].map(([address, text]) => `${JSON.stringify(address)}:${text}`);
  return `{${pairs.join(",")}}`.replaceAll("<", String.raw`\u003c`);
}
