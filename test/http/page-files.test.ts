import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Hono } from "hono";
import { expect, it } from "vitest";
import { PageFiles } from "../../src/http/page-files.ts";
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

it("a page has its first answers with it, and says what its place needs", async () => {
  expect(await pageWith("/session/a/b", async () => `{"a":1}`)).toBe(
    `<head><link rel="modulepreload" crossorigin href="/assets/Session-a1.js"></head><body><script type="application/json">{"a":1}</script>token</body>`,
  );
});

it("a page whose answers fail, or take long, comes without them", async () => {
  const without = `<head></head><body><script type="application/json">{}</script>token</body>`;
  expect(await pageWith("/", () => Promise.reject(new Error("no")))).toBe(without);
  expect(await pageWith("/", () => new Promise(() => undefined))).toBe(without);
});
