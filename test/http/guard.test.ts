import { beforeAll, describe, expect, it } from "vitest";
import { HOST, PAGE_TOKEN, served, type Asking } from "./serving.ts";

const JSON_TYPE = { "content-type": "application/json" };

describe("the guard of the API", () => {
  let ask: Asking = async () => new Response();
  let askWithToken: Asking = ask;
  beforeAll(async () => {
    ({ ask } = await served());
    ({ ask: askWithToken } = await served({ token: "shared" }));
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

  it("requires the token if one is configured", async () => {
    expect((await askWithToken("/api/overview")).status).toBe(401);
    expect((await askWithToken("/api/overview", { headers: { authorization: "Bearer guessed" } })).status).toBe(401);
    expect((await askWithToken("/api/overview", { headers: { authorization: "Bearer shared" } })).status).toBe(200);
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
