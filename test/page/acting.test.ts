import { cpSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { scratch, type Roots } from "../store/fixture.ts";
import { accessibilityViolations, inBrowser, site } from "./browser.ts";

const MONTH = fileURLToPath(new URL("../fixtures/month/", import.meta.url));

function month(): Roots {
  const dir = scratch("acting");
  cpSync(MONTH, dir, { recursive: true });
  return { codex: [join(dir, "codex")], "claude-code": [join(dir, "claude")] };
}

inBrowser("acting on the page", () => {
  const app = site(month, { now: Date.UTC(2026, 8, 18, 20) });

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
    await expect.poll(() => done.count()).toBe(before - 1);
    await page.getByRole("button", { name: "Undo" }).click();
    await expect.poll(() => done.count()).toBe(before);
  });
});
