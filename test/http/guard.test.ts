import { beforeAll, describe, expect, it } from "vitest";
import { HOST, PAGE_TOKEN, routesOf, served, TOKEN, type Asking } from "./serving.ts";

const OWN = { authorization: `Bearer ${TOKEN}` };
const JSON_TYPE = { "content-type": "application/json" };

describe("the guard of the API", () => {
  let ask: Asking = async () => new Response();
  let askAsStranger: Asking = ask;
  let routes: string[] = [];
  beforeAll(async () => {
    ({ ask } = await served());
    const strange = await served({ isStranger: true });
    ({ ask: askAsStranger } = strange);
    routes = routesOf(strange.daybook);
  });

  it("refuses other host names, against DNS rebinding", async () => {
    expect((await ask("/api/overview")).status).toBe(200);
    for (const host of ["evil.example", "evil.example:4242", "127.0.0.1:4243", "127.0.0.1", `${HOST}.evil.example`, ""])
      expect((await ask("/api/overview", { headers: { host } })).status, host).toBe(421);
  });

  it("refuses pages of other origins", async () => {
    expect((await ask("/api/overview", { headers: { origin: `http://${HOST}` } })).status).toBe(200);
    for (const origin of [
      "http://evil.example",
      "null",
      "file://",
      `http://${HOST}.evil.example`,
      "http://localhost:1",
    ])
      expect((await ask("/api/overview", { headers: { origin } })).status, origin).toBe(403);
    for (const site of ["cross-site", "same-site"])
      expect((await ask("/api/overview", { headers: { "sec-fetch-site": site } })).status, site).toBe(403);
  });

  it("accepts changes only as JSON with the page's token, so that no form of another page works", async () => {
    const post = async (headers: Record<string, string>, method = "POST"): Promise<number> =>
      (await ask("/api/sync", { method, headers, body: "{}" })).status;
    expect(await post({ "content-type": "text/plain", "x-daybook-token": PAGE_TOKEN })).toBe(415);
    expect(await post({ "content-type": "application/x-www-form-urlencoded", "x-daybook-token": PAGE_TOKEN })).toBe(
      415,
    );
    expect(await post(JSON_TYPE)).toBe(403);
    expect(await post({ ...JSON_TYPE, "x-daybook-token": "guessed" })).toBe(403);
    expect(await post({ ...JSON_TYPE, "x-daybook-token": PAGE_TOKEN, "content-length": "1000000000" })).toBe(413);
    for (const method of ["PUT", "DELETE", "PATCH"]) expect(await post(JSON_TYPE, method), method).toBe(405);
    expect(await post({ ...JSON_TYPE, "x-daybook-token": PAGE_TOKEN })).toBe(200);
  });

  it("answers nobody without the token, on any path", async () => {
    const post = { method: "POST", headers: { ...JSON_TYPE, "x-daybook-token": PAGE_TOKEN }, body: "{}" };
    for (const path of ["/", "/api/overview", "/api/openapi.json", "/api/events", "/assets/x.js", "/mcp", "/nothing"]) {
      expect((await askAsStranger(path)).status, path).toBe(401);
      expect((await askAsStranger(path, { headers: { authorization: "Bearer guessed" } })).status, path).toBe(401);
      expect((await askAsStranger(path, { headers: { cookie: "daybook_4242=guessed" } })).status, path).toBe(401);
    }
    for (const path of ["/api/sync", "/mcp", "/ticket"])
      expect((await askAsStranger(path, post)).status, path).toBe(401);
    expect((await askAsStranger("/api/overview?key=guessed")).status).toBe(401);
    expect((await askAsStranger("/?key=guessed")).status).toBe(401);
    const page = await askAsStranger("/", { headers: { accept: "text/html" } });
    expect([page.status, page.headers.get("content-type")]).toEqual([401, "text/html; charset=UTF-8"]);
    expect((await askAsStranger("/api/overview", { headers: OWN })).status).toBe(200);
  });

  it("answers nobody without the token, on every route of its table", async () => {
    expect(routes.length).toBeGreaterThan(30);
    for (const route of routes) {
      const [method = "", pattern = ""] = route.split(" ");
      const path = pattern.replace(":source", "codex").replace(":session", "0");
      for (const asked of method === "ALL" ? ["GET", "POST"] : [method])
        for (const headers of [{}, { authorization: "Bearer guessed" }, { cookie: "daybook_4242=guessed" }]) {
          const body = asked === "POST" ? { body: "{}" } : {};
          const page = asked === "POST" ? { ...JSON_TYPE, "x-daybook-token": PAGE_TOKEN } : {};
          const answer = await askAsStranger(path, { method: asked, headers: { ...page, ...headers }, ...body });
          expect(answer.status, `${asked} ${path}`).toBe(401);
          expect(await answer.text()).not.toContain(PAGE_TOKEN);
        }
    }
  });

  it("lets one browser in by a ticket, which is then of no use to another", async () => {
    const asked = await askAsStranger("/ticket", { method: "POST", headers: { ...OWN, ...JSON_TYPE }, body: "{}" });
    const { search } = new URL(((await asked.json()) as { url: string }).url);
    // Opened from a file or a chat: then the browser sends no strict cookie with a redirect.
    const opened = { "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate" };
    const first = await askAsStranger(`/session/codex/1${search}&line=2`, { headers: opened });
    expect(first.status).toBe(200);
    expect(await first.text()).toContain('content="0;url=/session/codex/1?line=2"');
    const cookie = first.headers.get("set-cookie") ?? "";
    expect(cookie).toMatch(/^daybook_4242=[\w-]{40,}; Path=\/; HttpOnly; SameSite=Strict; Max-Age=\d+$/);
    const [pair = ""] = cookie.split(";");
    expect((await askAsStranger("/api/overview", { headers: { cookie: pair } })).status).toBe(200);
    expect((await askAsStranger("/api/overview", { headers: { cookie: `a=b; ${pair}` } })).status).toBe(200);
    expect((await askAsStranger(`/${search}`, { headers: opened })).status).toBe(401);
    // Opened again in the same browser.
    expect((await askAsStranger(`/${search}`, { headers: { ...opened, cookie: pair } })).status).toBe(200);
    // The cookie alone changes nothing and gets no tickets: that needs the token, or the page's own.
    const post = { method: "POST", headers: { ...JSON_TYPE, cookie: pair }, body: "{}" };
    for (const path of ["/api/sync", "/ticket"]) expect((await askAsStranger(path, post)).status, path).toBe(403);
    expect((await askAsStranger(`/?key=${TOKEN}`)).status).toBe(200);
  });

  it("sends a browser that it lets in nowhere else", async () => {
    for (const path of ["//evil.example", "/%22%3E%3Cscript%3E", "/%27'<b>"]) {
      const text = await (await askAsStranger(`${path}?key=${TOKEN}`)).text();
      expect(text, path).toMatch(/content="0;url=\/[^/"<>][^"<>]*">/);
    }
  });

  it("sends a content security policy that allows no foreign content", async () => {
    for (const path of ["/api/overview", "/api/nothing"]) {
      const { headers } = await ask(path);
      const policy = headers.get("content-security-policy") ?? "";
      expect(policy).toContain("default-src 'none'");
      expect(policy).toContain("script-src 'self'");
      expect(policy).not.toContain("unsafe");
      expect(headers.get("x-content-type-options")).toBe("nosniff");
      expect(headers.get("cache-control")).toBe("no-store");
    }
  });
});
