import { createHash } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Hono } from "hono";
import { expect, it } from "vitest";
import { PageFiles } from "../../src/doors/http/page-files.ts";
import { scratch } from "../store/fixture.ts";

const dir = scratch("page-files");
mkdirSync(join(dir, "assets"));
writeFileSync(join(dir, "assets", "Session-a1.js"), "export {};");
writeFileSync(
  join(dir, "index.html"),
  `<head></head><body><script type="application/json">__FIRST_ANSWERS__</script>__DAYBOOK_TOKEN__</body>`,
);

function pageWith(path: string, first: () => Promise<string>): Promise<string> {
  const app = new Hono().get("/*", (c) => new PageFiles(dir).respond(c, "token", first));
  return Promise.resolve(app.request(path)).then((answer) => answer.text());
}

it("a page contains its first answers and preloads the script of its route", async () => {
  expect(await pageWith("/session/a/b", async () => `{"a":1}`)).toBe(
    `<head><link rel="modulepreload" crossorigin href="/assets/Session-a1.js"></head><body><script type="application/json">{"a":1}</script>token</body>`,
  );
});

it("the style sheet is inlined, and the content security policy allows it by its hash", async () => {
  const own = scratch("page-files-style");
  mkdirSync(join(own, "assets"));
  writeFileSync(join(own, "assets", "index-b2.css"), "body{content:'$&'}");
  writeFileSync(
    join(own, "index.html"),
    `<head><link rel="stylesheet" crossorigin href="/assets/index-b2.css"></head>__FIRST_ANSWERS__`,
  );
  const app = new Hono().get("/*", (c) => new PageFiles(own).respond(c, "token", async () => "{}"));
  const answer = await app.request("/");
  expect(await answer.text()).toBe(`<head><style>body{content:'$&'}</style></head>{}`);
  const hash = createHash("sha256").update("body{content:'$&'}").digest("base64");
  expect(answer.headers.get("content-security-policy")).toContain(`style-src 'self' 'sha256-${hash}';`);
});

it("a page whose first answers fail or take too long is sent without them", async () => {
  const without = `<head></head><body><script type="application/json">{}</script>token</body>`;
  expect(await pageWith("/", () => Promise.reject(new Error("no")))).toBe(without);
  expect(await pageWith("/", () => new Promise(() => undefined))).toBe(without);
});
