import { afterAll, beforeAll, expect, it } from "vitest";
import { chromium, type Browser, type Page } from "playwright-core";
import type { Serving } from "../../src/http/listen.ts";
import { serveTeam } from "../../src/http/team/server.ts";
import { addWork } from "../team/people.ts";
import { NO_POSTGRES, teamStore, withClient } from "../team/postgres.ts";
import { NOW, teamServing } from "../team/serving.ts";
import { barriers, CHROMIUM, inBrowser } from "./browser.ts";

/** The page of a team, as a lead, a developer and a stranger see it. */
inBrowser("the page of a team", () => {
  let browser: Browser | null = null;
  let serving: Serving | null = null;
  const tokens = { ann: "", bea: "", dan: "" };
  beforeAll(async () => {
    if (NO_POSTGRES !== null) return;
    const store = await teamStore({ smallestGroup: 3 });
    const { invite } = teamServing(store);
    const people = [
      await invite("ann", { role: "lead" }),
      await invite("bea"),
      await invite("cyd"),
      await invite("eva"),
    ];
    const dan = await invite("dan", { role: "lead", team: "tiny" });
    Object.assign(tokens, { ann: people[0]?.token, bea: people[1]?.token, dan: dan.token });
    await withClient(store.url, async (client) => {
      for (const [i, { owner }] of people.entries())
        for (const day of ["2026-05-04", "2026-05-07", "2026-05-11"])
          await addWork(client, owner, { day, pico: 3e12 * (i + 1), source: i === 0 ? "claude-code" : "codex" });
      // One person's alone: another project is hidden with it, so that nobody finds it by what is missing.
      await addWork(client, people[1]?.owner ?? "", { project: "moonlight" });
      for (const { owner } of people.slice(0, 3)) await addWork(client, owner, { project: "docs" });
    });
    serving = await serveTeam({
      ...{ store: store.apiUrl, port: 0, host: "127.0.0.1", publicUrl: null, oidc: null, page: true, now: () => NOW },
      failed: (error) => {
        throw error;
      },
    });
    browser = await chromium.launch({ executablePath: CHROMIUM ?? "", args: ["--no-sandbox"] });
  });
  afterAll(async () => {
    await browser?.close();
    await serving?.close();
  });

  async function signedIn(token: string, width = 1280): Promise<{ page: Page; complaints: string[] }> {
    const context = await (browser as Browser).newContext({ viewport: { width, height: 900 } });
    const page = await context.newPage();
    const complaints: string[] = [];
    page.on("console", (message) => {
      if (["error", "warning"].includes(message.type())) complaints.push(message.text());
    });
    page.on("pageerror", (error) => complaints.push(error.message));
    page.setDefaultTimeout(120_000);
    await page.goto(serving?.url ?? "");
    await page.getByLabel("Your token").fill(token);
    await page.getByRole("button", { name: "Sign in" }).click();
    return { page, complaints };
  }

  it.skipIf(NO_POSTGRES !== null)("shows a lead the team, and says what it does not show", async () => {
    const { page, complaints } = await signedIn(tokens.ann);
    await page.getByRole("heading", { level: 1, name: "backend" }).waitFor();
    await page.getByText("people at work").waitFor();
    for (const text of ["shop", "2 projects of too few people come as one group", "shell"])
      await page.getByText(text, { exact: true }).waitFor();
    const text = await page.locator("body").innerText();
    expect(text).not.toContain("{}");
    expect(text).not.toContain("moonlight");
    expect(text).toContain("this store shows no numbers of single persons");
    expect(await barriers(page)).toEqual([]);
    expect(complaints).toEqual([]);
    await page.getByRole("link", { name: "Mine" }).click();
    await page.getByRole("heading", { level: 1, name: "Mine" }).waitFor();
    expect(await page.locator("main").innerText()).not.toContain("at work");
  });

  it.skipIf(NO_POSTGRES !== null)("shows a developer their own numbers, also on a phone", async () => {
    const { page, complaints } = await signedIn(tokens.bea, 390);
    await page.getByText("moonlight").waitFor();
    await page.getByRole("link", { name: "Mon 4 May" }).click();
    await expect.poll(() => page.getByText("moonlight").count(), { timeout: 60_000 }).toBe(0);
    expect(await page.getByText("people at work").count()).toBe(0);
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(390);
    expect(await barriers(page)).toEqual([]);
    expect(complaints).toEqual([]);
    // Another tab does not know the token, and nor does this one after signing out.
    await page.getByRole("button", { name: "sign out" }).click();
    await page.getByLabel("Your token").waitFor();
  });

  it.skipIf(NO_POSTGRES !== null)("shows nothing of a team that is too small, nor anything to a stranger", async () => {
    const { page } = await signedIn(tokens.dan);
    await page.getByText("the team has 1 person; nothing is shown of fewer than 3").waitFor();
    const { page: other } = await signedIn(`daybook_read_${"a".repeat(43)}`);
    await other.getByRole("alert").waitFor();
    expect(await other.getByLabel("Your token").count()).toBe(1);
  });
});
