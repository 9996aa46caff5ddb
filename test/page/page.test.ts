import { appendFileSync, cpSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { A, CALL, E, event, M, OUT, R, TC, TD, TS, write } from "../cases/build.ts";
import { scratch, type Roots } from "../store/fixture.ts";
import { barriers, inBrowser, site } from "./browser.ts";

const SAMPLES = fileURLToPath(new URL("../../samples/", import.meta.url));

function samples(): Roots {
  const dir = scratch("samples");
  cpSync(SAMPLES, dir, { recursive: true });
  return { codex: [join(dir, "codex")], "claude-code": [join(dir, "claude-code")] };
}

inBrowser("the page, for a newcomer", () => {
  // Weeks after the samples' last day: it opens there all the same.
  const here = site(samples, { sample: true, now: Date.UTC(2026, 5, 30, 20) });

  it("shows the day, what came of it, and says that these are samples", async () => {
    const { page, complaints } = await here.open("/");
    await page.getByRole("heading", { level: 1 }).waitFor();
    await page.getByText("These are Daybook's bundled samples").waitFor();
    await page.locator('main a[href^="/session/"]').first().waitFor();
    expect(complaints).toEqual([]);
  });

  it("has its frame before its program is there, where the program will draw it", async () => {
    const { page, settled } = await here.open("/");
    await settled();
    const places = page.getByRole("navigation", { name: "Main" });
    const drawn = await places.getByRole("link", { name: "Usage" }).boundingBox();
    await page.route("**/*.js", (route) => route.abort());
    await page.reload();
    expect(await places.getByRole("link", { name: "Usage" }).boundingBox()).toEqual(drawn);
    expect(await page.getByRole("heading", { level: 1 }).count()).toBe(0);
  });

  it("is there with few bytes: what is heavy comes when it is needed", async () => {
    const { asked, settled } = await here.open("/");
    await settled();
    const sizes = await Promise.all(
      asked.filter((url) => !url.endsWith("/api/events")).map(async (url) => [url, await sentBytes(url)] as const),
    );
    const sum = sizes.reduce((all, [, bytes]) => all + bytes, 0);
    expect(sum, sizes.map(([url, bytes]) => `${bytes} ${url}`).join("\n")).toBeLessThan(200 * 1024);
    // Readers of sessions, what draws Markdown, and what colours code.
    expect(asked.filter((url) => /\/assets\/(?:Session-|highlight|tsx)/.test(url))).toEqual([]);
  });

  it("leads from a result to the turn it came from, and from there to the line that proves it", async () => {
    const { page, complaints } = await here.open("/");
    await page.locator('main a[href^="/session/"]').first().click();
    await page.locator("section[id^=T0]").first().waitFor();
    expect(new URL(page.url()).pathname).toMatch(/^\/session\/(codex|claude-code)\//);
    await page.getByText("why?").first().click();
    await page.getByLabel("The native line").first().waitFor();
    expect(await page.getByLabel("The native line").first().textContent()).toContain('"timestamp"');
    expect(complaints).toEqual([]);
  });

  it("finds while one types, and keeps the question in the address", async () => {
    const { page, settled } = await here.open("/");
    await settled();
    await page.keyboard.press("/");
    await page.getByLabel("Words to search for").fill("tide");
    await page.locator('main a[href*="/session/"]').first().waitFor();
    await expect.poll(() => new URL(page.url()).searchParams.get("q"), { timeout: 60_000 }).toBe("tide");
    expect(await page.locator("main mark").first().textContent()).toMatch(/tide/i);
  });

  it("is used without a mouse", async () => {
    const { page, settled } = await here.open("/");
    await settled();
    await page.keyboard.press("Control+k");
    await page.getByLabel("Where to go").fill("health");
    await page.keyboard.press("Enter");
    await page.waitForURL("**/health");
    await page.keyboard.press("?");
    await page.getByRole("dialog").waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "hidden" });
  });

  it.each(["/", "/sessions", "/search?q=test", "/usage", "/decisions", "/tools", "/files", "/health"])(
    "at %s j and k go through what is listed",
    async (path) => {
      const { page, settled, complaints } = await here.open(path);
      await settled();
      // Out of the words of a search, which stay.
      await page.keyboard.press("Escape");
      const at = async (key: string): Promise<string> => {
        await page.keyboard.press(key);
        return String(await page.evaluate("document.activeElement.outerHTML.slice(0, 300)"));
      };
      const [first, second] = [await at("j"), await at("j")];
      expect(first).toMatch(/^<(?:a|summary)/);
      expect(second).toMatch(/^<(?:a|summary)/);
      if (second !== first) expect(await at("k")).toBe(first);
      if (path.startsWith("/search")) expect(await page.getByLabel("Words to search for").inputValue()).toBe("test");
      expect(complaints).toEqual([]);
      await page.context().close();
    },
  );

  it("a star, a label and a note are put on a session without a mouse", async () => {
    const { page, settled, complaints } = await here.open("/");
    await settled();
    await page.keyboard.press("j");
    await page.keyboard.press("Enter");
    await page.locator("section[id^=T0]").first().waitFor();
    const star = page.getByRole("button", { name: "Star this session" });
    await star.focus();
    await page.keyboard.press("Enter");
    await expect.poll(() => star.getAttribute("aria-pressed"), { timeout: 30_000 }).toBe("true");
    await page.getByRole("button", { name: "+ label" }).first().focus();
    await page.keyboard.press("Enter");
    await page.keyboard.type("not meant");
    await page.keyboard.press("Escape");
    await page.getByLabel("Label for this session").waitFor({ state: "detached" });
    await page.getByRole("button", { name: "+ label" }).first().focus();
    await page.keyboard.press("Enter");
    await page.keyboard.type("ticket=ABC-1");
    await page.keyboard.press("Enter");
    await page.getByText("ticket=ABC-1").waitFor();
    await page.getByRole("button", { name: "+ note" }).first().focus();
    await page.keyboard.press("Enter");
    await page.keyboard.type("look here again");
    await page.keyboard.press("Control+Enter");
    await page.getByText("look here again").waitFor();
    expect(complaints).toEqual([]);
  });

  it.each(["/", "/sessions", "/search?q=test", "/usage", "/decisions", "/tools", "/files", "/health"])(
    "%s has no barriers, light or dark, and fits a phone",
    async (path) => {
      for (const dark of [false, true]) {
        const { page, complaints, asked, settled } = await here.open(path, { dark, width: dark ? 390 : 1280 });
        await settled();
        expect(await barriers(page), path).toEqual([]);
        const wide = await page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth");
        expect(wide, `${path} is wider than its window`).toBeLessThanOrEqual(0);
        expect(complaints, path).toEqual([]);
        expect(asked.filter((url) => !url.startsWith(here.url))).toEqual([]);
        await page.context().close();
      }
    },
  );
});

inBrowser("a session that grows", () => {
  const root = scratch("growing");
  const file = join(root, "sessions/2026/05/12/rollout-2026-05-12T08-00-00-019e0000-0000-7000-8000-000000000001.jsonl");
  const id = "019e0000-0000-7000-8000-000000000001";
  const here = site(() => {
    write(file, [M(id), TC(), R("make it so"), E("make it so"), A("I look at it first.")]);
    return { codex: [root] };
  });

  it("shows what is written to it, without being asked", async () => {
    const { page } = await here.open(`/session/codex/${id}`);
    await page.getByText("I look at it first.").first().waitFor();
    appendFileSync(file, `${JSON.stringify(A("And now it is so."))}\n`);
    await page.getByText("And now it is so.").first().waitFor();
  });

  it("asks nothing while nothing is written", async () => {
    const { page, asked } = await here.open(`/session/codex/${id}`);
    await page.getByText("I look at it first.").first().waitFor();
    // Whoever asks on and on is never quiet for that long.
    for (let before = -1; before !== asked.length && asked.length < 300;) {
      before = asked.length;
      await new Promise((resolve) => setTimeout(resolve, 700));
    }
    expect(asked.filter((url) => new URL(url).pathname.endsWith(`${id}/requests`)).length).toBeLessThan(5);
  });
});

inBrowser("a session of many requests", () => {
  const id = "019e0000-0000-7000-8000-0000000000aa";
  const here = site(() => {
    const root = scratch("many");
    const turns = Array.from({ length: 400 }, (_, i) => [
      TS(`t${i}`),
      TC(),
      R(`make thing ${i + 1}`),
      E(`make thing ${i + 1}`),
      A(`Thing ${i + 1} is made.`),
      // Behind it something that is nobody's.
      TD(`t${i}`),
      event("thread_name_updated"),
    ]);
    write(join(root, `sessions/2026/05/12/rollout-2026-05-12T08-00-00-${id}.jsonl`), [M(id), ...turns.flat()]);
    return { codex: [root] };
  });

  it("has few of them in the document, and is read from any of them to the next", async () => {
    const { page, settled, asked, complaints } = await here.open(`/session/codex/${id}`);
    await page.getByText("Thing 1 is made.").first().waitFor();
    await settled();
    expect(Number(await page.evaluate("document.querySelectorAll('*').length"))).toBeLessThan(1000);
    await page.evaluate("location.hash = '#T0300'");
    await page.getByText("Thing 300 is made.").first().waitFor();
    await page.keyboard.press("j");
    await page.waitForURL(/#T0301$/);
    await page.getByText("Thing 301 is made.").first().waitFor();
    await page.keyboard.press("k");
    await page.waitForURL(/#T0300$/);
    await settled();
    expect(Number(await page.evaluate("document.querySelectorAll('*').length"))).toBeLessThan(1000);
    const top = "document.getElementById('T0300').getBoundingClientRect().top";
    await expect
      .poll(async () => Math.abs(Number(await page.evaluate(top)) - 16), { timeout: 30_000 })
      .toBeLessThan(40);
    // What stands between requests is read to its end: 801 records, the first 200 and then 500 at a time.
    await expect.poll(() => asked.filter((url) => url.includes("turn=none")).length, { timeout: 30_000 }).toBe(3);
    expect(complaints).toEqual([]);
  });
});

/** Bytes that go over the line for one answer, compressed as a browser takes it. */
function sentBytes(url: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const asked = request(url, { headers: { "accept-encoding": "gzip, deflate, br" } }, (answer) => {
      let bytes = 0;
      answer.on("data", (chunk: Buffer) => (bytes += chunk.length));
      answer.on("end", () => resolve(bytes));
    });
    asked.on("error", reject);
    asked.end();
  });
}

inBrowser("code in a session", () => {
  const id = "019e0000-0000-7000-8000-00000000000c";
  const here = site(() => {
    const root = scratch("code");
    const block = "Here it is:\n\n```ts\nexport const answer: number = 42; // so it is\n```";
    const patch = "*** Begin Patch\n*** Update File: src/app.ts\n@@\n-const a = 1;\n+const a = 'two';\n*** End Patch";
    write(join(root, `sessions/2026/05/12/rollout-2026-05-12T08-00-00-${id}.jsonl`), [
      M(id),
      TC(),
      R("make it so"),
      E("make it so"),
      CALL("c1", "apply_patch", { input: patch }),
      OUT("c1", "done"),
      A(block),
    ]);
    return { codex: [root] };
  });

  it("is coloured where its language is known, in replies and in changes", async () => {
    const { page, complaints, settled } = await here.open(`/session/codex/${id}`);
    await settled();
    await page.locator(".markdown pre .code-keyword").first().waitFor();
    expect(await page.locator(".markdown pre").textContent()).toBe("export const answer: number = 42; // so it is\n");
    await page.locator(".diff .code-keyword").first().waitFor();
    expect(await page.locator(".diff .add").first().textContent()).toBe("+const a = 'two';");
    expect(await barriers(page)).toEqual([]);
    expect(complaints).toEqual([]);
  });
});

inBrowser("a search without a hit", () => {
  const id = "019e0000-0000-7000-8000-00000000000e";
  const here = site(() => {
    const root = scratch("no-hit");
    const exit = (code: number, output = ""): string =>
      `Exit code: ${code}\nWall time: 0.1 seconds\nOutput:\n${output}`;
    write(join(root, `sessions/2026/05/12/rollout-2026-05-12T08-00-00-${id}.jsonl`), [
      M(id),
      TC(),
      R("look for it"),
      E("look for it"),
      CALL("c1", "shell_command", { command: "rg -n nowhere src" }),
      OUT("c1", exit(1)),
      CALL("c2", "shell_command", { command: "npm test" }),
      OUT("c2", exit(1, "1 failed")),
      A("It is not there."),
    ]);
    return { codex: [root] };
  });

  it("is no failure, in its row and in every count", async () => {
    const { page, settled } = await here.open(`/session/codex/${id}`);
    await settled();
    await page.getByText("2 tool calls, 1 failed").waitFor();
    await page.getByText("✗ 1 failed").waitFor();
    const rows = page.locator(".call .end");
    await expect
      .poll(() => rows.allInnerTexts())
      .toEqual([
        expect.stringMatching(/^exit 1.*an ordinary answer, not a failure$/s),
        expect.stringMatching(/^exit 1.*failed$/s),
      ]);
  });
});

/** Everything somebody could have written into a session so that it acts in whoever reads it. */
const HOSTILE = [
  `<script>window.hacked = 1</script>`,
  `<img src=x onerror="window.hacked = 2"><svg onload="window.hacked = 3">`,
  `[a link](javascript:window.hacked=4) ![a picture](http://evil.example/pixel.png)`,
  `<iframe src="http://evil.example/"></iframe><style>@import "http://evil.example/x.css";</style>`,
  `<form action="http://evil.example/"><button autofocus onfocus="window.hacked=5">x</button></form>`,
  "```html\n<script>window.hacked = 6</script>\n```",
  `<a href="data:text/html,<script>window.hacked=7</script>">x</a> {@html "<b>"} {{constructor}}`,
].join("\n\n");

inBrowser("a hostile session", () => {
  const root = scratch("hostile");
  const id = "019e0000-0000-7000-8000-00000000000f";
  const here = site(
    () => {
      const path = join(root, `sessions/2026/05/12/rollout-2026-05-12T08-00-00-${id}.jsonl`);
      const command = { command: ["bash", "-lc", HOSTILE] };
      write(
        path,
        [M(id, { cwd: `/home/u/<img src=x onerror="window.hacked=8">` }), TC(), R(HOSTILE), E(HOSTILE)].concat([
          CALL("c1", "shell", command),
          OUT("c1", HOSTILE),
          A(HOSTILE),
          A(`${HOSTILE} sk-ant-api03-${"A".repeat(80)}`),
        ]),
      );
      return { codex: [root] };
    },
    { now: Date.UTC(2026, 4, 12, 20) },
  );

  it.each([`/session/codex/${id}`, "/", "/sessions", "/search?q=hacked", "/tools", "/files"])(
    "runs nothing and fetches nothing at %s",
    async (path) => {
      const { page, asked, settled } = await here.open(path);
      await settled();
      // What is folded is opened: it must be as harmless.
      for (const button of await page.locator("main summary, main button[aria-expanded=false]").all())
        await button.click({ timeout: 5000 }).catch(() => undefined);
      expect(await page.evaluate("window.hacked ?? null")).toBe(null);
      expect(asked.filter((url) => !url.startsWith(here.url))).toEqual([]);
      expect(await page.locator("main script, main iframe, main form[action], main img[src^=http]").count()).toBe(0);
      expect(await page.locator("body").innerText()).not.toContain("AAAAAAAAAAAAAAAA");
    },
  );
});
