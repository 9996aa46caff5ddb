import { createHmac, randomUUID } from "node:crypto";
import { createServer } from "node:http";
import { exportJWK, exportSPKI, generateKeyPair, SignJWT, type JSONWebKeySet, type JWTPayload } from "jose";
import { beforeAll, describe, expect, it } from "vitest";
import { Oidc } from "../../src/team/oidc.ts";
import { NO_POSTGRES, teamStore } from "./postgres.ts";
import { NOW, teamServing } from "./serving.ts";

const SETTINGS = { issuer: "https://id.example", audience: "daybook", jwks: "https://id.example/keys", claim: "email" };
type Key = Awaited<ReturnType<typeof generateKeyPair>>["privateKey"];

describe("an OIDC token", () => {
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
        if ((set as JSONWebKeySet | null) === null) throw new Error("offline");
        return set;
      },
    );
  const signed = (claims: JWTPayload = {}, by: Key = key, kid = "k1"): Promise<string> =>
    new SignJWT({
      iss: SETTINGS.issuer,
      aud: SETTINGS.audience,
      email: "ann@example.com",
      email_verified: true,
      sub: randomUUID(),
      iat: now / 1000,
      exp: now / 1000 + 300,
      ...claims,
    })
      .setProtectedHeader({ alg: "ES256", kid })
      .sign(by);

  it("names the person by the configured claim", async () => {
    expect(await oidc().loginOf(await signed())).toBe("ann@example.com");
  });

  const nameIn = async (claims: JWTPayload, settings: object = {}): Promise<string | null> =>
    new Oidc(
      { ...SETTINGS, ...settings },
      () => now,
      async () => set,
    ).loginOf(await signed(claims));

  it.each([
    ["unverified", false, null],
    ["unverified, in a text", "false", null],
    ["not said to be verified", undefined, null],
    ["verified in no known way", 1, null],
    ["verified, in a text", "true", "ann@example.com"],
    ["verified", true, "ann@example.com"],
  ])("with an address that is %s names the right person or nobody", async (_, email_verified, login) => {
    expect(await nameIn({ email_verified })).toBe(login);
  });

  it("with an address of which nothing is said is accepted only of a provider for which that is set", async () => {
    const trusting = { unverified_email: true };
    expect(await nameIn({ email_verified: undefined }, trusting)).toBe("ann@example.com");
    expect(await nameIn({ email_verified: false }, trusting)).toBeNull();
  });

  it("names the person by another claim, unless that is an address said to be unverified", async () => {
    const claim = { claim: "upn" };
    expect(await nameIn({ upn: "ann", email_verified: false }, claim)).toBe("ann");
    expect(await nameIn({ upn: "ann@corp.example", email_verified: undefined }, claim)).toBe("ann@corp.example");
    expect(await nameIn({ upn: "ann@corp.example", email_verified: false }, claim)).toBeNull();
  });

  it("is refused if its issuer, audience, time, claim or signature is wrong", async () => {
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

  describe("is refused if it is signed", () => {
    const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url");
    const claims = (): object => ({
      iss: SETTINGS.issuer,
      aud: SETTINGS.audience,
      email: "ann@example.com",
      email_verified: true,
      exp: now / 1000 + 300,
    });
    const RSA = generateKeyPair("RS256", { extractable: true });

    it.each(["none", "None", "NONE", "nOnE", ""])("not at all, with the algorithm %j", async (alg) => {
      for (const end of ["", ".", `.${encode({})}`])
        expect(await oidc().loginOf(`${encode({ alg, kid: "k1" })}.${encode(claims())}${end}`)).toBeNull();
    });

    it("with the public key as an HMAC secret, in any form of the key", async () => {
      const { publicKey } = await RSA;
      const jwk = await exportJWK(publicKey);
      const pem = await exportSPKI(publicKey);
      const known = new Oidc(
        SETTINGS,
        () => now,
        async () => ({ keys: [{ ...jwk, kid: "k1" }] }),
      );
      const secrets = [pem, pem.trim(), JSON.stringify(jwk), jwk.n ?? "", Buffer.from(jwk.n ?? "", "base64url")];
      for (const alg of ["HS256", "HS384", "HS512"])
        for (const secret of secrets) {
          const text = `${encode({ alg, kid: "k1" })}.${encode(claims())}`;
          const mac = createHmac(`sha${alg.slice(2)}`, secret)
            .update(text)
            .digest("base64url");
          expect(await known.loginOf(`${text}.${mac}`)).toBeNull();
        }
    });

    it("by a key in its own header or at an address named there", async () => {
      const pair = await generateKeyPair("ES256", { extractable: true });
      const jwk = await exportJWK(pair.publicKey);
      for (const header of [{ jwk }, { jku: "https://evil.example/keys" }, { x5u: "https://evil.example/cert" }])
        expect(
          await oidc().loginOf(
            await new SignJWT({ ...claims() })
              .setProtectedHeader({ alg: "ES256", kid: "k1", ...header })
              .sign(pair.privateKey),
          ),
        ).toBeNull();
    });

    // The library supports more algorithms than are allowed; of those, every version of Node has this one.
    it("with an algorithm that is not allowed, though by the right key", async () => {
      const pair = await generateKeyPair("EdDSA", { extractable: true });
      const known = new Oidc(
        SETTINGS,
        () => now,
        async () => ({ keys: [{ ...(await exportJWK(pair.publicKey)), kid: "k1" }] }),
      );
      const by = (alg: string): Promise<string> =>
        new SignJWT({ ...claims() }).setProtectedHeader({ alg, kid: "k1" }).sign(pair.privateKey);
      expect(await known.loginOf(await by("EdDSA"))).toBe("ann@example.com");
      expect(await known.loginOf(await by("Ed25519"))).toBeNull();
    });

    it("by an RS256 key of another issuer, under its own or a known key id", async () => {
      const { publicKey, privateKey } = await RSA;
      const known = new Oidc(
        SETTINGS,
        () => now,
        async () => ({ keys: [{ ...(await exportJWK(publicKey)), kid: "k1", alg: "RS256" }] }),
      );
      const foreign = (await generateKeyPair("RS256")).privateKey;
      const by = (signer: Key, kid: string, more: object = {}): Promise<string> =>
        new SignJWT({ ...claims(), ...more }).setProtectedHeader({ alg: "RS256", kid }).sign(signer);
      expect(await known.loginOf(await by(privateKey, "k1"))).toBe("ann@example.com");
      for (const kid of ["k1", "theirs"]) expect(await known.loginOf(await by(foreign, kid))).toBeNull();
      // Signed by the right key, but it names another issuer.
      expect(await known.loginOf(await by(privateKey, "k1", { iss: "https://other.example" }))).toBeNull();
    });
  });

  it.each([
    ["expired 31 s ago is refused", { exp: -31 }, null],
    ["expired 29 s ago is accepted", { exp: -29 }, "ann@example.com"],
    ["becomes valid in 31 s is refused", { nbf: 31 }, null],
    ["becomes valid in 29 s is accepted", { nbf: 29 }, "ann@example.com"],
  ])("that %s", async (_, times, login) => {
    const claims = Object.fromEntries(Object.entries(times).map(([name, by]) => [name, now / 1000 + by]));
    expect(await oidc().loginOf(await signed(claims))).toBe(login);
  });

  it("is accepted only if daybook is among its audiences", async () => {
    expect(await oidc().loginOf(await signed({ aud: ["another", "daybook"] }))).toBe("ann@example.com");
    for (const aud of [["another"], [], "Daybook", "daybook "])
      expect(await oidc().loginOf(await signed({ aud }))).toBeNull();
  });

  it("is refused if its key id is empty or unknown", async () => {
    const known = oidc();
    for (const kid of ["k2", "", "../k1", "__proto__"])
      expect(await known.loginOf(await signed({}, key, kid))).toBeNull();
  });

  it("signed by a new key is accepted once the keys are fetched again, which is not done each time", async () => {
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

  it("cannot be checked, and is not accepted, if the keys cannot be fetched", async () => {
    const offline = new Oidc(
      SETTINGS,
      () => now,
      () => Promise.reject(new Error("offline")),
    );
    await expect(offline.loginOf(await signed())).rejects.toMatchObject({ code: "unreachable" });
  });

  it("is checked with keys fetched over HTTP; errors, redirects, HTML and large answers are refused", async () => {
    const responses: { status: number; headers: Record<string, string>; body: string }[] = [
      { status: 200, headers: {}, body: JSON.stringify(set) },
      { status: 500, headers: {}, body: JSON.stringify(set) },
      { status: 302, headers: { location: "/0" }, body: "" },
      { status: 200, headers: {}, body: "<html>" },
      { status: 200, headers: {}, body: JSON.stringify({ ...set, more: "x".repeat(300_000) }) },
    ];
    const server = createServer((request, response) => {
      const { status = 404, headers = {}, body = "" } = responses[Number(request.url?.slice(1))] ?? {};
      response.writeHead(status, headers).end(body);
    });
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
    const address = server.address();
    const port = typeof address === "object" ? address?.port : 0;
    const loginWithKeysAt = async (path: string): Promise<string | null> =>
      new Oidc({ ...SETTINGS, jwks: `http://127.0.0.1:${port}/${path}` }, () => now).loginOf(await signed());
    expect(await loginWithKeysAt("0")).toBe("ann@example.com");
    for (const n of [1, 2, 3, 4, 5])
      await expect(loginWithKeysAt(String(n))).rejects.toMatchObject({ code: "unreachable" });
    await new Promise((done) => server.close(done));
    await expect(loginWithKeysAt("0")).rejects.toMatchObject({ code: "unreachable" });
  });

  it.skipIf(NO_POSTGRES !== null)("admits only people that the store knows", async () => {
    const serving = teamServing(await teamStore(), oidc());
    await serving.invite("ann@example.com", { role: "lead" });
    const mine = await serving.ask("/api/team/me", await signed());
    expect(await mine.json()).toMatchObject({ login: "ann@example.com", scopes: ["push", "read"] });
    expect((await serving.ask("/api/team/me", await signed({ email: "eve@example.com" }))).status).toBe(401);
    await serving.admin.revoke("ann@example.com");
    expect((await serving.ask("/api/team/me", await signed())).status).toBe(401);
  });

  it.skipIf(NO_POSTGRES !== null)(
    "is refused unread if too long, and answered with 503 if the keys cannot be fetched",
    async () => {
      const serving = teamServing(await teamStore(), oidc());
      await serving.invite("ann@example.com");
      loads = 0;
      const huge = await signed({ more: "x".repeat(10_000) });
      expect((await serving.ask("/api/team/me", huge)).status).toBe(401);
      expect(loads).toBe(0);
      // As long as a token of a person in many groups may be.
      expect((await serving.ask("/api/team/me", await signed({ more: "x".repeat(5000) }))).status).toBe(200);
      const before = set;
      now += 3_600_000;
      set = null as never;
      const answer = await serving.ask("/api/team/me", await signed());
      [set, now] = [before, NOW];
      expect([answer.status, answer.headers.get("retry-after")]).toEqual([503, "2"]);
      expect(await answer.text()).not.toContain("id.example");
    },
  );
});
