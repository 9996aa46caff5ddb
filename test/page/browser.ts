import { existsSync } from "node:fs";
import { AxeBuilder } from "@axe-core/playwright";
import { chromium, type Browser, type Page, type Request } from "playwright-core";
import { afterAll, beforeAll, describe, expect } from "vitest";
import { Daybook } from "../../src/answers/daybook.ts";
import { type DaybookServer, serveDaybook } from "../../src/doors/http/server.ts";
import { scratch, type Roots } from "../store/fixture.ts";

const PLACES = [
  process.env["CHROMIUM"] ?? "",
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
];
const chromiumPath = PLACES.find((path) => path !== "" && existsSync(path));
if (chromiumPath === undefined)
  process.stderr.write("tests of the page are skipped: no Chromium was found (CHROMIUM may name one)\n");

/** The path of the browser; undefined if there is none. */
export const CHROMIUM: string | undefined = chromiumPath;

/** `describe` for tests in a real browser; they are skipped, with a message, if there is none. */
export const inBrowser: ReturnType<typeof describe.skipIf> = describe.skipIf(chromiumPath === undefined);

/** A page without requests for this long has loaded, in ms. */
const QUIET = 250;

export interface Opened {
  page: Page;
  /** What the page wrote to its console as a warning or an error, and what it threw. */
  complaints: string[];
  /** The URLs of all requests. */
  requested: string[];
  /** Waits until the page has drawn its heading and sends no more requests, except for the stream of events. */
  settled: () => Promise<void>;
}

export interface Site {
  url: string;
  /** What a client other than the browser sends. */
  token: string;
  open(path: string, options?: { width?: number; dark?: boolean }): Promise<Opened>;
}

/** One for all sites of a file: to start it takes longer than most tests. */
let browser: Promise<Browser> | null = null;
let sites = 0;

/** A server over these sessions, and a browser that opens its pages. */
export function site(roots: () => Roots, options: { now?: number; sample?: boolean } = {}): Site {
  sites += 1;
  let serving: DaybookServer | null = null;
  let daybook: Daybook | null = null;
  const result: Site = { url: "", token: "", open };
  beforeAll(async () => {
    const now = options.now ?? Date.now;
    daybook = new Daybook({
      book: scratch("page"),
      roots: roots(),
      timezone: "UTC",
      env: { HOME: "/nowhere" },
      noSync: true,
      now,
    });
    await daybook.sync();
    serving = await serveDaybook({
      daybook,
      port: 0,
      host: "127.0.0.1",
      token: null,
      page: true,
      sample: options.sample === true,
      now: () => (typeof now === "number" ? now : now()),
      failed: (error) => {
        throw error;
      },
    });
    result.url = serving.url;
    result.token = serving.token;
    await (browser ??= chromium.launch({ executablePath: chromiumPath ?? "", args: ["--no-sandbox"] }));
  });
  afterAll(async () => {
    sites -= 1;
    if (sites === 0) {
      await (await browser)?.close();
      browser = null;
    }
    await serving?.close();
    daybook?.close();
  });

  async function open(path: string, { width = 1280, dark = false } = {}): Promise<Opened> {
    if (browser === null) throw new Error("the browser is not there yet");
    const context = await (
      await browser
    ).newContext({
      viewport: { width, height: 900 },
      colorScheme: dark ? "dark" : "light",
    });
    // The browser gets its cookie as by opening the printed address.
    await context.request.get(serving?.addressOnce() ?? "");
    const page = await context.newPage();
    const [complaints, requested]: [string[], string[]] = [[], []];
    page.on("console", (message) => {
      if (["error", "warning"].includes(message.type())) complaints.push(message.text());
    });
    page.on("pageerror", (error) => complaints.push(error.message));
    const waiting = new Set<Request>();
    let lastChange = Date.now();
    const ended = (request: Request): void => {
      if (waiting.delete(request)) lastChange = Date.now();
    };
    page.on("request", (request) => {
      requested.push(request.url());
      if (request.url().endsWith("/api/events")) return;
      waiting.add(request);
      lastChange = Date.now();
    });
    page.on("requestfinished", ended);
    page.on("requestfailed", ended);
    page.setDefaultTimeout(120_000);
    await page.goto(new URL(path, result.url).href);
    const settled = async (): Promise<void> => {
      await page.getByRole("heading", { level: 1 }).waitFor();
      // The heading may appear before the first request, and an answer may cause the next one.
      const isQuiet = (): boolean => waiting.size === 0 && Date.now() - lastChange > QUIET;
      await expect.poll(isQuiet, { timeout: 120_000 }).toBe(true);
    };
    return { page, complaints, requested, settled };
  }
  return result;
}

/** Accessibility violations that axe finds. */
export async function accessibilityViolations(page: Page): Promise<string[]> {
  const { violations } = await new AxeBuilder({ page }).setLegacyMode().analyze();
  return violations.flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.html.slice(0, 160)}`));
}
