import { afterAll, beforeAll, expect, it } from "vitest";
import { chromium, type Browser, type Page } from "playwright-core";
import type { StoreAdmin } from "../../src/team/admin.ts";
import type { RunningServer } from "../../src/doors/http/listen.ts";
import { serveTeam } from "../../src/doors/http/team/server.ts";
import { addWork } from "../team/people.ts";
import { NO_POSTGRES, teamStore, withClient } from "../team/postgres.ts";
import { NOW, teamServing } from "../team/serving.ts";
import { accessibilityViolations, CHROMIUM, inBrowser } from "./browser.ts";

const ELEMENT = "<img src=x onerror=document.title='taken'>";

/** The page of a team, as a lead, a developer and a stranger see it. */
inBrowser("the page of a team", () => {
  let browser: Browser | null = null;
  let serving: RunningServer | null = null;
  const tokens = { ann: "", bea: "", dan: "", kim: "", new: "", pushing: "" };
  let admin: StoreAdmin | null = null;
  beforeAll(async () => {
    if (NO_POSTGRES !== null) return;
    const store = await teamStore({ smallestGroup: 3 });
    const { invite, admin: storeAdmin } = teamServing(store);
    admin = storeAdmin;
    const people = [
      await invite("ann", { role: "lead" }),
      await invite("bea"),
      await invite("cyd"),
      await invite("eva"),
    ];
    const dan = await invite("dan", { role: "lead", team: "tiny" });
    Object.assign(tokens, { ann: people[0]?.token, bea: people[1]?.token, dan: dan.token });
    tokens.kim = (await invite("kim", { role: "auditor" })).token;
    tokens.new = (await invite("new", { team: "newcomers" })).token;
    await storeAdmin.budget("backend", 100);
    tokens.pushing = (await invite("bea", { scope: "push" })).token;
    await withClient(store.url, async (client) => {
      for (const [i, { owner }] of people.entries())
        for (const day of ["2026-05-04", "2026-05-07", "2026-05-11"])
          await addWork(client, owner, { day, pico: 3e12 * (i + 1), source: i === 0 ? "claude-code" : "codex" });
      // Only one person works on it: another project is hidden with it, so that it cannot be computed from the total.
      await addWork(client, people[1]?.owner ?? "", { project: "moonlight" });
      for (const { owner } of people.slice(0, 3)) await addWork(client, owner, { project: "docs" });
      // Names chosen by others: HTML, right-to-left text, an empty name, the placeholder for an empty name, and a long one.
      for (const project of [ELEMENT, "\u202egpj.exe\u001b[31m", "", "unnamed project", "x".repeat(300)])
        await addWork(client, people[3]?.owner ?? "", { project });
    });
    serving = await serveTeam({
      store: store.apiUrl,
      port: 0,
      host: "127.0.0.1",
      publicUrl: null,
      oidc: null,
      page: true,
      now: () => NOW,
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
    page.setDefaultTimeout(20_000);
    await page.goto(serving?.url ?? "");
    await page.getByLabel("Your token").fill(token);
    await page.getByRole("button", { name: "Sign in" }).click();
    return { page, complaints };
  }

  /** Waits until every section shows its answer: each has its own request, and they end in any order. */
  const loaded = async (page: Page): Promise<void> =>
    await expect.poll(() => page.locator("main section[aria-busy=true]").count(), { timeout: 20_000 }).toBe(0);

  it.skipIf(NO_POSTGRES !== null)("shows a lead the team, and says what is withheld", async () => {
    const { page, complaints } = await signedIn(tokens.ann);
    await page.getByRole("heading", { level: 1, name: "backend" }).waitFor();
    await page.getByText("4 of 4").waitFor();
    for (const text of ["shop", "shell"]) await page.getByText(text, { exact: true }).waitFor();
    await loaded(page);
    const text = await page.locator("body").innerText();
    expect(text).not.toContain("{}");
    expect(text).not.toContain("moonlight");
    expect(text).toContain("This store does not show numbers of single persons");
    expect(text).toContain("Other projects");
    for (const heading of ["What was it spent on?", "How requests ended", "Where calls failed", "Who uses which agent"])
      expect(text).toContain(heading);
    const [saved] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "Save as CSV" }).click(),
    ]);
    expect(saved.suggestedFilename()).toMatch(/^daybook backend \d{4}-\d{2}-\d{2} \d{4}-\d{2}-\d{2}\.csv$/);
    expect(text).toMatch(/\d+ %\s+of the budget for these days, \$\d/);
    expect(text).toContain("Whole weeks only. What fewer than 3 people did in a week is added to “other”");
    expect(await accessibilityViolations(page)).toEqual([]);
    expect(complaints).toEqual([]);
    await page.getByRole("link", { name: "Mine" }).click();
    await page.getByRole("heading", { level: 1, name: "Mine" }).waitFor();
    await page.getByText("Requests", { exact: true }).waitFor();
    expect(await page.locator("main").innerText()).not.toContain("used agents");
  });

  it.skipIf(NO_POSTGRES !== null)(
    "shows an auditor teams, persons and their requests, with every name as plain text",
    async () => {
      const { page, complaints } = await signedIn(tokens.kim, 390);
      for (const name of ["Everybody", "backend", "tiny"]) await page.getByRole("link", { name }).waitFor();
      await page.getByText("4 of 7").waitFor();
      await page.getByRole("link", { name: "People", exact: true }).click();
      await loaded(page);
      for (const button of await page.getByRole("button", { name: /show all/ }).all()) await button.click();
      const text = await page.locator("main").innerText();
      expect(text).toContain(ELEMENT);
      expect(text).toContain("·gpj.exe·[31m");
      expect(text.split("unnamed project")).toHaveLength(3);
      expect(await page.title()).toBe("Everybody · Daybook");
      expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(390);
      expect(await accessibilityViolations(page)).toEqual([]);
      await page.getByRole("link", { name: "bea", exact: true }).press("Enter");
      await page.getByRole("heading", { level: 1, name: "bea" }).waitFor();
      await page.getByText("moonlight").first().waitFor();
      expect(await accessibilityViolations(page)).toEqual([]);
      expect(complaints).toEqual([]);
    },
  );

  it.skipIf(NO_POSTGRES !== null)(
    "says what to do if nothing was pushed, a token was revoked, or it is only for pushing",
    async () => {
      const { page } = await signedIn(tokens.new);
      await page.getByText("Nothing was pushed for these days.").waitFor();
      await page.getByText("daybook push --to").waitFor();
      await page.getByRole("link", { name: "Show a year" }).click();
      await page.getByRole("link", { name: "Show a year" }).waitFor({ state: "detached" });
      // The token is revoked while the page is open.
      await admin?.revoke("new");
      await page.getByRole("link", { name: "7 days" }).click();
      await page.getByText("no valid token").waitFor();
      await page.getByLabel("Your token").fill(tokens.pushing);
      await page.keyboard.press("Enter");
      await page.getByText("this token is only for pushing").waitFor();
      expect(await accessibilityViolations(page)).toEqual([]);
    },
  );

  it.skipIf(NO_POSTGRES !== null)("shows a developer their own numbers, also on a phone", async () => {
    const { page, complaints } = await signedIn(tokens.bea, 390);
    await page.getByText("moonlight").first().waitFor();
    await page.getByRole("link", { name: "Mon 4 May" }).click();
    await expect.poll(() => page.getByText("moonlight").count(), { timeout: 60_000 }).toBe(0);
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(390);
    expect(await accessibilityViolations(page)).toEqual([]);
    expect(complaints).toEqual([]);
    // Another tab does not have the token, nor has this one after signing out.
    const tab = await page.context().newPage();
    await tab.goto(serving?.url ?? "");
    await tab.getByLabel("Your token").waitFor();
    await page.getByRole("button", { name: "sign out" }).click();
    await page.getByLabel("Your token").waitFor();
    await page.reload();
    await page.getByLabel("Your token").waitFor();
  });

  it.skipIf(NO_POSTGRES !== null)(
    "shows no numbers of a team that is too small, and only the sign-in form for an unknown token",
    async () => {
      const { page } = await signedIn(tokens.dan);
      await page.getByText("the team has 1 person; groups of fewer than 3 are not shown").waitFor();
      expect(await page.locator("main section").count()).toBe(0);
      const { page: other } = await signedIn(`daybook_read_${"a".repeat(43)}`);
      await other.getByRole("alert").waitFor();
      await other.getByLabel("Your token").waitFor();
      expect(await other.locator("main section").count()).toBe(0);
    },
  );
});
