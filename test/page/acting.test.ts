import { expect, it } from "vitest";
import { accessibilityViolations, inBrowser, site } from "./browser.ts";
import { EVENING, month } from "./month.ts";

inBrowser("acting on the page", () => {
  const app = site(() => month(), { now: EVENING });

  it("shares what its preview shows, from the header of a session", async () => {
    const { page, settled, complaints } = await app.open("/sessions");
    await settled();
    await page.locator('main a[href^="/session/"]').first().click();
    await page.getByRole("button", { name: "Share", exact: true }).click();
    const dialog = page.getByRole("dialog", { name: "Share" });
    await expect.poll(() => dialog.getByRole("group", { name: "Preview" }).innerText()).toContain("# ");
    expect(await dialog.getByLabel("What is in it").innerText()).toMatch(/\d+ requests?/);
    expect(await accessibilityViolations(page)).toEqual([]);
    const [file] = await Promise.all([
      page.waitForEvent("download"),
      dialog.getByRole("link", { name: "Save HTML" }).click(),
    ]);
    expect(file.suggestedFilename()).toMatch(/\.html$/);
    await dialog.waitFor({ state: "hidden" });
    expect(complaints).toEqual([]);
  });

  it("labels a session from its row's menu, with the keyboard alone", async () => {
    const { page, settled, complaints } = await app.open("/sessions");
    await settled();
    const menu = page.getByRole("button", { name: /^What to do with/ }).first();
    await menu.focus();
    await page.keyboard.press("Enter");
    await page.getByRole("menuitem", { name: "Resume" }).waitFor();
    expect(await accessibilityViolations(page)).toEqual([]);
    for (let i = 0; i < 3; i++) await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await page.getByRole("textbox", { name: "Label" }).fill("ticket=ABC-2");
    await page.keyboard.press("Enter");
    await page.getByRole("list", { name: "Sessions" }).getByText("ticket=ABC-2").waitFor();
    expect(complaints).toEqual([]);
  });

  it("hands the row with the focus off with one key, within the chosen length", async () => {
    const { page, settled } = await app.open("/sessions");
    await settled();
    await page.keyboard.press("j");
    await page.keyboard.press("a");
    const dialog = page.getByRole("dialog", { name: "Hand off" });
    await dialog.getByLabel("1,000 tokens").check();
    await expect
      .poll(async () => Number(/^([\d,]+) tokens/m.exec(await dialog.innerText())?.[1]?.replace(",", "")))
      .toBeLessThanOrEqual(1000);
    expect(await dialog.getByRole("group", { name: "The brief" }).innerText()).toContain("#");
    expect(await accessibilityViolations(page)).toEqual([]);
  });

  it("closes what waits, and takes that back", async () => {
    const { page, settled } = await app.open("/day/2026-09-16");
    await settled();
    const done = page.getByRole("button", { name: "Done", exact: true });
    const before = await done.count();
    expect(before).toBeGreaterThan(0);
    await done.first().click();
    await expect.poll(() => done.count(), { timeout: 30_000 }).toBe(before - 1);
    await page.getByRole("button", { name: "Undo" }).click();
    await expect.poll(() => done.count(), { timeout: 30_000 }).toBe(before);
  });

  it("goes through the filtered list beside a session with j and k", async () => {
    const { page, settled, complaints } = await app.open("/sessions?project=quarry&sort=oldest", { width: 1440 });
    await settled();
    const rows = page.getByRole("list", { name: "Sessions" }).getByRole("link");
    const titles = await rows.evaluateAll((all) => all.slice(0, 3).map((one) => one.getAttribute("href")));
    await rows.first().click();
    const beside = page.getByRole("navigation", { name: "Sessions beside this one" });
    await beside.getByText(/sessions, filtered/).waitFor();
    await expect.poll(() => new URL(page.url()).pathname).toBe(titles[0]);
    await beside.getByRole("link").nth(1).focus();
    await page.keyboard.press("j");
    await expect.poll(() => new URL(page.url()).pathname).toBe(titles[1]);
    await expect.poll(() => beside.locator("[aria-current]").getAttribute("href")).toBe(titles[1]);
    await page.keyboard.press("j");
    await expect.poll(() => new URL(page.url()).pathname).toBe(titles[2]);
    await page.keyboard.press("k");
    await expect.poll(() => new URL(page.url()).pathname).toBe(titles[1]);
    expect(complaints).toEqual([]);
  });

  it("finds a text in a part of a session that is not loaded, and goes there", async () => {
    const { page, settled } = await app.open("/session/claude-code/513a27d0-1862-403d-a923-efb69113f8a2");
    await settled();
    await page.keyboard.press("Control+f");
    await page.getByRole("textbox", { name: "Find in this session" }).fill("cleanup");
    const bar = page.getByRole("search", { name: "Find in this session" });
    await bar.getByText(/^1 of \d+/).waitFor();
    await page.keyboard.press("Enter");
    await bar.getByText(/^2 of \d+/).waitFor();
    await page.locator("[data-target], .call.target").first().waitFor();
    expect(new URL(page.url()).searchParams.get("line")).toMatch(/^\d+$/);
    await page.keyboard.press("Escape");
    await bar.waitFor({ state: "detached" });
  });
});
