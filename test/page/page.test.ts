import { appendFileSync, cpSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { A, CALL, E, event, M, OUT, R, TC, TD, TS, write } from "../cases/build.ts";
import { scratch, type Roots } from "../store/fixture.ts";
import { accessibilityViolations, inBrowser, site } from "./browser.ts";

const SAMPLES = fileURLToPath(new URL("../../samples/", import.meta.url));

function samples(): Roots {
  const dir = scratch("samples");
  cpSync(SAMPLES, dir, { recursive: true });
  return { codex: [join(dir, "codex")], "claude-code": [join(dir, "claude-code")] };
}

/** Rows that j and k focus. */
const ROWS = 'main :is(a[href^="/session/"], a[href^="/files?path="], tbody th a, summary):visible';

inBrowser("the page of the samples", () => {
  // Weeks after the samples' last day: the page opens on that day all the same.
  const app = site(samples, { sample: true, now: Date.UTC(2026, 5, 30, 20) });

  it("shows a day with its results, and says that these are samples", async () => {
    const { page, complaints } = await app.open("/");
    await page.getByRole("heading", { level: 1 }).waitFor();
    await page.getByText("These are Daybook's bundled samples").waitFor();
    await page.locator('main a[href^="/session/"]').first().waitFor();
    expect(complaints).toEqual([]);
  });

  it("shows its navigation in the final position before its script is loaded", async () => {
    const { page, settled } = await app.open("/");
    await settled();
    const navigation = page.getByRole("navigation", { name: "Main" });
    const drawn = await navigation.getByRole("link", { name: "Usage" }).boundingBox();
    await page.route("**/*.js", (route) => route.abort());
    await page.reload();
    expect(await navigation.getByRole("link", { name: "Usage" }).boundingBox()).toEqual(drawn);
    expect(await page.getByRole("heading", { level: 1 }).count()).toBe(0);
  });

  it("loads less than 200 kB, without the scripts for sessions and highlighting", async () => {
    const { page, requested, settled } = await app.open("/");
    await page.locator('main a[href^="/session/"]').first().waitFor();
    await settled();
    const sizes = await Promise.all(
      requested
        .filter((url) => !url.endsWith("/api/events"))
        .map(async (url) => [url, await sentBytes(url, app.token)] as const),
    );
    const sum = sizes.reduce((all, [, bytes]) => all + bytes, 0);
    expect(sum, sizes.map(([url, bytes]) => `${bytes} ${url}`).join("\n")).toBeLessThan(200 * 1024);
    // The session reader, the Markdown renderer and the highlighter.
    expect(requested.filter((url) => /\/assets\/(?:Session-|highlight|tsx)/.test(url))).toEqual([]);
  });

  it("links a result to its turn, and the turn to its native line", async () => {
    const { page, complaints } = await app.open("/");
    await page.locator('main a[href^="/session/"]').first().click();
    await page.locator("section[id^=T0]").first().waitFor();
    expect(new URL(page.url()).pathname).toMatch(/^\/session\/(codex|claude-code)\//);
    await page
      .getByRole("button", { name: /^line \d+/ })
      .first()
      .click();
    await page.getByLabel("The native line").first().waitFor();
    expect(await page.getByLabel("The native line").first().textContent()).toContain('"timestamp"');
    expect(complaints).toEqual([]);
  });

  it("searches while typing, and puts the query into the URL", async () => {
    const { page, settled } = await app.open("/");
    await settled();
    await page.keyboard.press("/");
    await page.getByLabel("Words to search for").fill("tide");
    await page.locator('main a[href*="/session/"]').first().waitFor();
    await expect.poll(() => new URL(page.url()).searchParams.get("q"), { timeout: 60_000 }).toBe("tide");
    expect(await page.locator("main mark").first().textContent()).toMatch(/tide/i);
  });

  it("opens and closes the palette and the help with the keyboard", async () => {
    const { page, settled } = await app.open("/");
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
    "moves the focus through the rows of %s with j and k",
    async (path) => {
      const { page, settled, complaints } = await app.open(path);
      await page.locator(ROWS).first().waitFor();
      await settled();
      // Leaves the search field; its text stays.
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

  it("stars, labels and annotates a session with the keyboard", async () => {
    const { page, settled, complaints } = await app.open("/");
    await page.locator(ROWS).first().waitFor();
    await settled();
    await page.keyboard.press("j");
    await page.keyboard.press("Enter");
    await page.locator("section[id^=T0]").first().waitFor();
    const star = page.getByRole("button", { name: "Star this session" });
    await star.focus();
    await page.keyboard.press("Enter");
    await expect.poll(() => star.getAttribute("aria-pressed"), { timeout: 30_000 }).toBe("true");
    await page.getByRole("button", { name: "Add a label to this session" }).focus();
    await page.keyboard.press("Enter");
    await page.keyboard.type("not meant");
    await page.keyboard.press("Escape");
    await page.getByLabel("Label for this session").waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Add a label to this session" }).focus();
    await page.keyboard.press("Enter");
    await page.keyboard.type("ticket=ABC-1");
    await page.keyboard.press("Enter");
    await page.getByText("ticket=ABC-1").waitFor();
    await page.getByRole("button", { name: "Add a note to this session" }).focus();
    await page.keyboard.press("Enter");
    await page.keyboard.type("look here again");
    await page.keyboard.press("Control+Enter");
    await page.getByText("look here again").waitFor();
    expect(complaints).toEqual([]);
  });

  it.each(["/", "/sessions", "/search?q=test", "/usage", "/decisions", "/tools", "/files", "/health"])(
    "has no accessibility violations at %s, in light and dark mode, and fits a phone",
    async (path) => {
      for (const dark of [false, true]) {
        const { page, complaints, requested, settled } = await app.open(path, { dark, width: dark ? 390 : 1280 });
        await settled();
        expect(await accessibilityViolations(page), path).toEqual([]);
        const wide = await page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth");
        expect(wide, `${path} is wider than its window`).toBeLessThanOrEqual(0);
        expect(complaints, path).toEqual([]);
        expect(requested.filter((url) => !url.startsWith(app.url))).toEqual([]);
        await page.context().close();
      }
    },
  );
});

inBrowser("the page of a growing session", () => {
  const root = scratch("growing");
  const file = join(root, "sessions/2026/05/12/rollout-2026-05-12T08-00-00-019e0000-0000-7000-8000-000000000001.jsonl");
  const id = "019e0000-0000-7000-8000-000000000001";
  const app = site(() => {
    write(file, [M(id), TC(), R("make it so"), E("make it so"), A("I look at it first.")]);
    return { codex: [root] };
  });

  it("shows new records without a reload", async () => {
    const { page } = await app.open(`/session/codex/${id}`);
    await page.getByText("I look at it first.").first().waitFor();
    appendFileSync(file, `${JSON.stringify(A("And now it is so."))}\n`);
    await page.getByText("And now it is so.").first().waitFor();
  });

  it("stops sending requests while nothing is written", async () => {
    const { page, requested } = await app.open(`/session/codex/${id}`);
    await page.getByText("I look at it first.").first().waitFor();
    // A page that keeps sending requests is never quiet for that long.
    for (let before = -1; before !== requested.length && requested.length < 300;) {
      before = requested.length;
      await new Promise((resolve) => setTimeout(resolve, 700));
    }
    expect(requested.filter((url) => new URL(url).pathname.endsWith(`${id}/requests`)).length).toBeLessThan(5);
  });
});

inBrowser("the page of a session with 400 turns", () => {
  const id = "019e0000-0000-7000-8000-0000000000aa";
  const app = site(() => {
    const root = scratch("many");
    const turns = Array.from({ length: 400 }, (_, i) => [
      TS(`t${i}`),
      TC(),
      R(`make thing ${i + 1}`),
      E(`make thing ${i + 1}`),
      A(`Thing ${i + 1} is made.`),
      // Followed by a record that belongs to no turn.
      TD(`t${i}`),
      event("thread_name_updated"),
    ]);
    write(join(root, `sessions/2026/05/12/rollout-2026-05-12T08-00-00-${id}.jsonl`), [M(id), ...turns.flat()]);
    return { codex: [root] };
  });

  it("has few elements in the document, and moves from turn to turn with j and k", async () => {
    const { page, settled, requested, complaints } = await app.open(`/session/codex/${id}`);
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
    // All records between turns are loaded: 801 records, first 200 and then 500 at a time.
    await expect.poll(() => requested.filter((url) => url.includes("turn=none")).length, { timeout: 30_000 }).toBe(3);
    expect(complaints).toEqual([]);
  });
});

inBrowser("printing a session", () => {
  const id = "019e0000-0000-7000-8000-0000000000ab";
  const app = site(() => {
    const root = scratch("printed");
    const turns = Array.from({ length: 40 }, (_, i) => [
      TS(`t${i}`),
      TC(),
      R(`make ${i + 1}`),
      E(`make ${i + 1}`),
      A(`Thing ${i + 1} is made.`),
      TD(`t${i}`),
    ]);
    write(join(root, `sessions/2026/05/12/rollout-2026-05-12T08-00-00-${id}.jsonl`), [M(id), ...turns.flat()]);
    return { codex: [root] };
  });

  it("prints all of it, also what was not loaded, without its buttons", async () => {
    const { page, settled } = await app.open(`/session/codex/${id}`);
    await settled();
    expect(await page.getByText("Thing 40 is made.").count()).toBe(0);
    const shown =
      "Array.from(document.querySelectorAll('main button')).filter((one) => one.offsetParent !== null && !one.textContent.startsWith('line')).length";
    await page.emulateMedia({ media: "print" });
    await page.evaluate(
      `window.print = () => { window.printed = { text: document.querySelector("main").innerText, buttons: ${shown} }; }`,
    );
    await page.keyboard.press("Control+p");
    await expect
      .poll(() => page.evaluate("window.printed?.text ?? ''"), { timeout: 60_000 })
      .toContain("Thing 40 is made.");
    expect(await page.evaluate("window.printed.buttons")).toBe(0);
  });
});

/** The size of one response, compressed as for a browser. */
function sentBytes(url: string, token: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = request(
      url,
      { headers: { "accept-encoding": "gzip, deflate, br", authorization: `Bearer ${token}` } },
      (answer) => {
        if (answer.statusCode !== 200) reject(new Error(`${url}: ${answer.statusCode}`));
        let bytes = 0;
        answer.on("data", (chunk: Buffer) => (bytes += chunk.length));
        answer.on("end", () => resolve(bytes));
      },
    );
    sent.on("error", reject);
    sent.end();
  });
}

inBrowser("code in a session", () => {
  const id = "019e0000-0000-7000-8000-00000000000c";
  const app = site(() => {
    const root = scratch("code");
    const block =
      "Here it is:\n\n```ts\nexport const answer: number = 42; // so it is\n```\n\n[more](https://a.test/)\n\n7. seven";
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

  it("is highlighted in replies and in diffs", async () => {
    const { page, complaints, settled } = await app.open(`/session/codex/${id}`);
    await settled();
    await page.locator(".markdown pre .code-keyword").first().waitFor();
    expect(await page.locator(".markdown pre").textContent()).toBe("export const answer: number = 42; // so it is\n");
    const link = page.locator('.markdown a[href="https://a.test/"]');
    expect([await link.getAttribute("rel"), await link.getAttribute("target")]).toEqual([
      "noreferrer noopener",
      "_blank",
    ]);
    expect(await page.locator(".markdown ol").getAttribute("start")).toBe("7");
    await page.locator(".diff .code-keyword").first().waitFor();
    expect(await page.locator(".diff .add").first().textContent()).toBe("+const a = 'two';");
    expect(await accessibilityViolations(page)).toEqual([]);
    expect(complaints).toEqual([]);
  });
});

inBrowser("a prompt without a transcript", () => {
  const app = site(() => {
    const root = scratch("lost");
    write(join(root, "sessions/rollout-here.jsonl"), [M("here"), R("mend the lamp"), E("mend the lamp")]);
    write(join(root, "history.jsonl"), [{ session_id: "gone", ts: 1_778_572_800, text: "buy a lamp" }]);
    return { codex: [root] };
  });

  it("is found by search beside those of sessions, and links to none", async () => {
    const { page, complaints } = await app.open("/search?q=lamp");
    await page.getByText("the transcript of its session is gone").waitFor();
    const hits = page.locator("main .hit");
    expect(await hits.count()).toBe(2);
    expect(await page.locator("main a.hit").count()).toBe(1);
    expect(complaints).toEqual([]);
  });
});

inBrowser("a review and the limits of an account", () => {
  const id = "019e0000-0000-7000-8000-00000000000d";
  const app = site(() => {
    const root = scratch("review");
    const credits = { has_credits: true, unlimited: false, balance: 12.5 };
    write(join(root, `sessions/2026/05/12/rollout-2026-05-12T08-00-00-${id}.jsonl`), [
      M(id),
      TC(),
      event("entered_review_mode", { target: { type: "uncommittedChanges" }, user_facing_hint: "changes" }),
      event("token_count", { info: null, rate_limits: { credits, plan_type: "team" } }),
      event("exited_review_mode", {
        review_output: {
          findings: [{ file: "/nowhere/app/src/cart.ts", line: 42, severity: "error", message: "counts twice" }],
          overall_correctness: "patch is incorrect",
          overall_explanation: "",
        },
      }),
      TD(),
    ]);
    return { codex: [root] };
  });

  it("shows each finding with its place and severity", async () => {
    const { page, complaints } = await app.open(`/session/codex/${id}`);
    const review = page.locator(".review");
    await review.waitFor();
    expect((await review.innerText()).replaceAll(/\s+/g, " ")).toBe(
      "Review: patch is incorrect 1 finding error counts twice src/cart.ts:42",
    );
    expect(complaints).toEqual([]);
  });

  it("names the plan and the credits", async () => {
    const { page, complaints } = await app.open("/usage");
    const limits = page.locator(".limits");
    await limits.waitFor();
    expect((await limits.innerText()).replaceAll(/\s+/g, " ")).toContain("codex plan team 12.5 credits left");
    expect(complaints).toEqual([]);
  });
});

inBrowser("a search command without a hit", () => {
  const id = "019e0000-0000-7000-8000-00000000000e";
  const app = site(() => {
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

  it("is not shown as a failure, in its row and in the counts", async () => {
    const { page, settled } = await app.open(`/session/codex/${id}`);
    await settled();
    await page.getByText("2 tool calls, 1 failed").waitFor();
    await page.getByText("✗ 1 failed").waitFor();
    const rows = page.locator(".call .end");
    await expect
      .poll(() => rows.allInnerTexts(), { timeout: 30_000 })
      .toEqual([
        expect.stringMatching(/^exit 1.*an ordinary answer, not a failure$/s),
        expect.stringMatching(/^exit 1.*failed$/s),
      ]);
  });
});

/** Text of a session that tries to run scripts or load something in the reader's browser. */
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
  const app = site(
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

  it.each([
    [`/session/codex/${id}`, "window.hacked"],
    ["/", "window.hacked"],
    ["/sessions", "window.hacked"],
    ["/search?q=hacked", "window.hacked"],
    ["/tools?view=all", "window.hacked"],
    ["/files", "0 files changed by agents"],
  ])("runs no script and loads nothing from elsewhere at %s", async (path, shown) => {
    const { page, requested, settled } = await app.open(path);
    await settled();
    await expect.poll(() => page.locator("main").innerText(), { timeout: 30_000 }).toContain(shown);
    // Folded content is opened: it must be harmless too.
    await page.evaluate(
      "document.querySelectorAll('main summary, main button[aria-expanded=false]').forEach((one) => one.click())",
    );
    await settled();
    expect(await page.evaluate("window.hacked ?? null")).toBe(null);
    expect(requested.filter((url) => !url.startsWith(app.url))).toEqual([]);
    expect(await page.locator("main script, main iframe, main form[action], main img[src^=http]").count()).toBe(0);
    expect(await page.locator("body").innerText()).not.toContain("AAAAAAAAAAAAAAAA");
  });
});
