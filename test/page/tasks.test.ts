import type { Locator, Page } from "playwright-core";
import { expect, it } from "vitest";
import { accessibilityViolations, inBrowser, site } from "./browser.ts";
import { scratch } from "../store/fixture.ts";
import { EVENING, month } from "./month.ts";

/** What a person does most days takes at most so many clicks, keys and typed texts. */
const MOST = 3;

interface Hands {
  page: Page;
  click: (target: Locator) => Promise<void>;
  type: (text: string) => Promise<void>;
  press: (key: string) => Promise<void>;
}

inBrowser("everyday tasks, each in at most three actions", () => {
  // An agent goes on where it worked: those directories are there.
  const app = site(() => month(scratch("person")), { now: EVENING });

  /** Opens the page and counts what is done there. */
  async function begin(path = "/"): Promise<Hands> {
    const { page, settled } = await app.open(path, { width: 1440 });
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await settled();
    let actions = 0;
    const act = async (done: Promise<void>): Promise<void> => {
      actions += 1;
      expect(actions).toBeLessThanOrEqual(MOST);
      await done;
    };
    return {
      page,
      click: (target) => act(target.click()),
      type: (text) => act(page.keyboard.type(text)),
      press: (key) => act(page.keyboard.press(key)),
    };
  }
  const clipboard = (page: Page): Promise<unknown> => page.evaluate("navigator.clipboard.readText()");
  const textOf = (target: Locator) => expect.poll(() => target.innerText(), { timeout: 30_000 });

  it("what did I do today, and yesterday", async () => {
    const { page, press } = await begin();
    await textOf(page.locator("main")).toContain("500 orders/min hold at p95 212 ms");
    await press("ArrowLeft");
    await textOf(page.getByRole("heading", { level: 1 })).toBe("Thursday 17 September");
    await textOf(page.getByRole("region", { name: "quarry" })).toMatch(/requests? · \$/);
  });

  it("what is left open, what shows it and what would close it", async () => {
    const { page, click } = await begin();
    await page.getByRole("heading", { name: "Waiting for you" }).waitFor();
    const first = page.getByRole("list", { name: "What waits" }).getByRole("listitem").first();
    await textOf(first).toMatch(/◔ .+ · (?:shop-api|platform-infra|trailmate-ios) · .+ · closes with .+/);
    await click(first.getByRole("link").first());
    await page.locator("section[data-turn]").first().waitFor();
  });

  it("where was that conversation: words that are not in it", async () => {
    const { page, press, type } = await begin();
    await press("Control+k");
    await type("Customers were billed a second time when the phone app tried again");
    const meant = page.getByRole("group", { name: "In other words" }).getByRole("option").first();
    await meant.waitFor();
    expect(await page.getByRole("group", { name: "Found word for word" }).count()).toBe(0);
    await press("Enter");
    await page.waitForURL(/\/session\/.*513a27d0-1862-403d-a923-efb69113f8a2/);
  });

  it("what did it cost: by day, project and model", async () => {
    const { page, click } = await begin();
    await click(page.getByRole("link", { name: "Usage" }));
    await textOf(page.getByRole("list", { name: "By project" })).toMatch(/shop-api\s+\$\d/);
    await textOf(page.getByRole("region", { name: "Models" })).toMatch(/claude-opus-5-5[\s\S]*\$\d/);
    const day = page
      .getByRole("figure", { name: "Cost over time" })
      .getByRole("link", { name: /^Fri 18 Sep: \$0\.46/ });
    await day.hover();
    await textOf(page.getByRole("figure", { name: "Cost over time" })).toContain("Fri 18 Sep $0.46");
  });

  it("go on with it: the agent's own command is in the clipboard", async () => {
    const { page, click } = await begin();
    await click(page.getByRole("button", { name: "Resume" }).first());
    await page.getByText("Copied. Paste it in a terminal").waitFor();
    expect(await clipboard(page)).toMatch(/(?:claude --resume|codex resume) [0-9a-f-]{36}/);
  });

  it("hand it to another agent", async () => {
    const { page, click } = await begin();
    await click(page.getByRole("button", { name: "Hand off" }).first());
    const copy = page.getByRole("dialog").getByRole("button", { name: "Copy brief" });
    await expect.poll(() => copy.isEnabled(), { timeout: 30_000 }).toBe(true);
    await click(copy);
    await page.getByText("Copied the brief").waitFor();
    expect(String(await clipboard(page))).toContain("## The goal, in the human's words");
  });

  it("share a request, after seeing what is in it", async () => {
    const { page, click } = await begin();
    await click(page.getByRole("button", { name: /^What to do with .*black friday prep/ }));
    await click(page.getByRole("menuitem", { name: "Share…" }));
    const dialog = page.getByRole("dialog", { name: "Share" });
    await textOf(dialog.getByLabel("What is in it")).toMatch(/^1 request/);
    const [file] = await Promise.all([
      page.waitForEvent("download"),
      click(dialog.getByRole("link", { name: "Save HTML" })),
    ]);
    expect(file.suggestedFilename()).toMatch(/-T\d{4}\.html$/);
  });

  it("mark it, and find it again by the mark", async () => {
    const marking = await begin("/session/claude-code/513a27d0-1862-403d-a923-efb69113f8a2");
    await marking.press("l");
    await marking.page.getByRole("textbox", { name: "Label" }).waitFor();
    await marking.type("ticket=PAY-7");
    await marking.press("Enter");
    await marking.page.getByText("Label saved.").waitFor();

    const finding = await begin();
    await finding.press("Control+k");
    await finding.type("pay-7");
    await finding.page.getByRole("option", { name: /^ticket=PAY-7/ }).waitFor();
    await finding.press("Enter");
    await textOf(finding.page.getByRole("list", { name: "Sessions" })).toContain("ticket=PAY-7");
    expect(await finding.page.getByRole("list", { name: "Sessions" }).getByRole("link").count()).toBe(1);
  });

  it("why did this fail: the error, the project, the request, and the call", async () => {
    const { page, click } = await begin();
    await click(page.getByRole("link", { name: "Tools" }));
    const call = page
      .getByRole("list", { name: "Tool calls" })
      .getByRole("link")
      .filter({ hasText: "npm test" })
      .first();
    await textOf(call).toMatch(/exit 1/i);
    await textOf(call).toMatch(/(?:shop-api|weather-etl|quarry|trailmate-ios|platform-infra) · .+ · “.+”/);
    await click(call);
    await page.locator(".call.target, [data-target]").first().waitFor();
  });

  it("which request changed this file, and how", async () => {
    const { page, click } = await begin("/files");
    await click(page.locator('main a[href^="/files?path="]').filter({ hasText: "quarry" }).first());
    await page.getByText(/\d+ requests? changed this file/).waitFor();
    await textOf(page.locator("main .diff").first()).toMatch(/[+−]/);
  });

  it("what was decided, and where", async () => {
    const { page, click } = await begin();
    await click(page.getByRole("link", { name: "Decisions" }));
    await textOf(page.locator("main")).toMatch(/I suggest the timeout only on that path\.\s+“yes only that path/);
    await click(page.locator("main").getByRole("link", { name: "For now I suggest the timeout only on that path." }));
    await page.waitForURL(/\/session\/codex\/.+T\d{4}/);
  });

  it("this week against the last", async () => {
    const { page, click } = await begin();
    await click(page.getByRole("link", { name: "Usage" }));
    await click(page.getByRole("link", { name: "Compare weeks" }));
    await textOf(page.locator("main")).toMatch(/cost · before \$\d/);
    await textOf(page.getByRole("list", { name: "By project" })).toMatch(/before \$\d/);
    const days = page.getByRole("figure", { name: "Cost over time" }).getByRole("link");
    expect(await days.count()).toBe(7);
    expect(await days.first().getAttribute("aria-label")).toMatch(/^Mon 14 Sep: \$\d.*, before: \$\d/);
  });

  it.each([
    "/week/2026-09-14",
    "/session/claude-code/513a27d0-1862-403d-a923-efb69113f8a2",
    "/search?q=why+is+checkout+slow",
    "/usage?since=2026-09-14&until=2026-09-18",
  ])("%s has no accessibility violations in light and dark, wide and narrow", async (path) => {
    for (const [dark, width] of [
      [false, 1440],
      [true, 1440],
      [true, 390],
    ] as const) {
      const { page, complaints, requested, settled } = await app.open(path, { dark, width });
      await settled();
      expect(await accessibilityViolations(page), `${path} ${width}`).toEqual([]);
      const over = await page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth");
      expect(over, `${path} is wider than ${width}`).toBeLessThanOrEqual(0);
      expect(complaints).toEqual([]);
      expect(requested.filter((url) => !url.startsWith(app.url))).toEqual([]);
      await page.context().close();
    }
  });

  it.each([
    ["settings", "/", (page: Page) => page.keyboard.press(",")],
    ["a calendar", "/usage", (page: Page) => page.getByRole("button", { name: /^From/ }).click()],
    ["a list of choices", "/sessions", (page: Page) => page.getByRole("button", { name: /^Project/ }).click()],
    [
      "finding in a session",
      "/session/claude-code/513a27d0-1862-403d-a923-efb69113f8a2",
      (page: Page) => page.keyboard.press("Control+f"),
    ],
  ])("%s has no accessibility violations, in light and dark", async (_, path, open) => {
    for (const dark of [false, true]) {
      const { page, complaints, settled } = await app.open(path, { dark });
      await settled();
      await open(page);
      await settled();
      expect(await accessibilityViolations(page)).toEqual([]);
      expect(complaints).toEqual([]);
      await page.context().close();
    }
  });
});
