import { createHmac, randomUUID } from "node:crypto";
import { exportJWK, generateKeyPair, SignJWT, type JSONWebKeySet, type JWTPayload } from "jose";
import { beforeAll, describe, expect, it } from "vitest";
import { Oidc } from "../../src/team/oidc.ts";
import { NO_POSTGRES, teamStore } from "./postgres.ts";
import { NOW, teamServing } from "./serving.ts";

const SETTINGS = { issuer: "https://id.example", audience: "daybook", jwks: "https://id.example/keys", claim: "email" };
type Key = Awaited<ReturnType<typeof generateKeyPair>>["privateKey"];

describe("a token of whoever signs people in", () => {
  let set: JSONWebKeySet = { keys: [] };
  let loads = 0;
  let now = NOW;
  let [key, other] = [] as unknown as [Key, Key];
  beforeAll(async () => {
    const pair = await generateKeyPair("ES256");
    key = pair.privateKey;
    other = (await generateKeyPair("ES256")).privateKey;
    set = { keys: [{ ...(await exportJWK(pair.publicKey)), kid: "k1", alg: "ES256" }] };
  });
  const oidc = (): Oidc =>
    new Oidc(
      SETTINGS,
      () => now,
      async () => {
        loads += 1;
        return set;
      },
    );
  const signed = (claims: JWTPayload = {}, by: Key = key, kid = "k1"): Promise<string> =>
    new SignJWT({
      ...{ iss: SETTINGS.issuer, aud: SETTINGS.audience, email: "ann@example.com", sub: randomUUID() },
      ...{ iat: now / 1000, exp: now / 1000 + 300, ...claims },
    })
      .setProtectedHeader({ alg: "ES256", kid })
      .sign(by);

  it("names the person by the claim that was configured", async () => {
    expect(await oidc().loginOf(await signed())).toBe("ann@example.com");
  });

  it("is none where issuer, audience, time, claim or signature are others", async () => {
    const known = oidc();
    const wrong = [
      await signed({ iss: "https://evil.example" }),
      await signed({ aud: "another" }),
      await signed({ exp: now / 1000 - 60 }),
      await signed({ exp: undefined as never }),
      await signed({ nbf: now / 1000 + 600 }),
      await signed({ email: undefined as never }),
      await signed({ email: ["ann@example.com"] as never }),
      await signed({ email: "" }),
      await signed({}, other),
      `${await signed()}x`,
      "a.b.c",
      "",
    ];
    for (const token of wrong) expect(await known.loginOf(token)).toBeNull();
  });

  it("is none where it says itself how it was signed: not at all, or with the public key as a secret", async () => {
    const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url");
    const claims = { iss: SETTINGS.issuer, aud: SETTINGS.audience, email: "ann@example.com", exp: now / 1000 + 300 };
    expect(await oidc().loginOf(`${encode({ alg: "none" })}.${encode(claims)}.`)).toBeNull();
    const text = `${encode({ alg: "HS256", kid: "k1" })}.${encode(claims)}`;
    const mac = createHmac("sha256", JSON.stringify(set.keys[0])).update(text).digest("base64url");
    expect(await oidc().loginOf(`${text}.${mac}`)).toBeNull();
  });

  it("by a new key is known when keys are asked for again, which nonsense does not cause each time", async () => {
    const known = oidc();
    loads = 0;
    expect(await known.loginOf(await signed())).toBe("ann@example.com");
    const pair = await generateKeyPair("ES256");
    const before = set;
    set = { keys: [{ ...(await exportJWK(pair.publicKey)), kid: "k2", alg: "ES256" }] };
    for (let i = 0; i < 5; i++) expect(await known.loginOf(await signed({}, pair.privateKey, "k2"))).toBeNull();
    expect(loads).toBe(1);
    now += 60_000;
    expect(await known.loginOf(await signed({}, pair.privateKey, "k2"))).toBe("ann@example.com");
    expect(loads).toBe(2);
    [set, now] = [before, NOW];
  });

  it("that cannot be checked says so, and lets nobody in", async () => {
    const cut = new Oidc(
      SETTINGS,
      () => now,
      () => Promise.reject(new Error("offline")),
    );
    expect(await cut.loginOf(await signed())).toBeNull();
  });

  it.skipIf(NO_POSTGRES !== null)("lets in whom the store knows, and nobody else", async () => {
    const serving = teamServing(await teamStore(), oidc());
    await serving.invite("ann@example.com", { role: "lead" });
    const mine = await serving.ask("/api/team/me", await signed());
    expect(await mine.json()).toMatchObject({ login: "ann@example.com", scopes: ["push", "read"] });
    expect((await serving.ask("/api/team/me", await signed({ email: "eve@example.com" }))).status).toBe(401);
    await serving.admin.revoke("ann@example.com");
    expect((await serving.ask("/api/team/me", await signed())).status).toBe(401);
  });
});
