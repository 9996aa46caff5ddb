import { existsSync } from "node:fs";
import { AxeBuilder } from "@axe-core/playwright";
import { chromium, type Browser, type Page, type Request } from "playwright-core";
import { afterAll, beforeAll, describe, expect } from "vitest";
import { Daybook } from "../../src/daybook.ts";
import type { RunningServer } from "../../src/http/listen.ts";
import { serveDaybook } from "../../src/http/server.ts";
import { scratch, type Roots } from "../store/fixture.ts";

const PLACES = [
  process.env["CHROMIUM"] ?? "",
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
];
const found = PLACES.find((path) => path !== "" && existsSync(path));
if (found === undefined) process.stderr.write("no Chromium here (CHROMIUM names one): the page is not tried\n");

/** Where the browser is; undefined where there is none. */
export const CHROMIUM: string | undefined = found;

/** Tests in a real browser; left out where there is none, which is said. */
export const inBrowser: ReturnType<typeof describe.skipIf> = describe.skipIf(found === undefined);

export interface Opened {
  page: Page;
  /** What the page wrote to its console as a warning or an error, and what it threw. */
  complaints: string[];
  /** Every address that was asked for. */
  asked: string[];
  /** Waits until the page has what it asked for: all but the news, which never end. */
  settled: () => Promise<void>;
}

export interface Site {
  url: string;
  open(path: string, options?: { width?: number; dark?: boolean }): Promise<Opened>;
}

/** A server over these sessions, and a browser to look at it. */
export function site(roots: () => Roots, options: { now?: number; sample?: boolean } = {}): Site {
  let browser: Browser | null = null;
  let serving: RunningServer | null = null;
  let daybook: Daybook | null = null;
  const made: Site = { url: "", open };
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
    made.url = serving.url;
    browser = await chromium.launch({ executablePath: found ?? "", args: ["--no-sandbox"] });
  });
  afterAll(async () => {
    await browser?.close();
    await serving?.close();
    daybook?.close();
  });

  async function open(path: string, { width = 1280, dark = false } = {}): Promise<Opened> {
    if (browser === null) throw new Error("the browser is not there yet");
    const context = await browser.newContext({
      viewport: { width, height: 900 },
      colorScheme: dark ? "dark" : "light",
    });
    const page = await context.newPage();
    const [complaints, asked]: [string[], string[]] = [[], []];
    page.on("console", (message) => {
      if (["error", "warning"].includes(message.type())) complaints.push(message.text());
    });
    page.on("pageerror", (error) => complaints.push(error.message));
    const waiting = new Set<Request>();
    page.on("request", (request) => {
      asked.push(request.url());
      if (!request.url().endsWith("/api/events")) waiting.add(request);
    });
    page.on("requestfinished", (request) => waiting.delete(request));
    page.on("requestfailed", (request) => waiting.delete(request));
    page.setDefaultTimeout(120_000);
    await page.goto(new URL(path, made.url).href);
    const settled = async (): Promise<void> => {
      await page.getByRole("heading", { level: 1 }).waitFor();
      await expect.poll(() => waiting.size, { timeout: 120_000 }).toBe(0);
    };
    return { page, complaints, asked, settled };
  }
  return made;
}

/** What a person who cannot see or use a mouse would stumble over. */
export async function barriers(page: Page): Promise<string[]> {
  const { violations } = await new AxeBuilder({ page }).analyze();
  return violations.flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.html.slice(0, 160)}`));
}
