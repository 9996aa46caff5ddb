import { describe, expect, it } from "vitest";
import { findSecrets } from "./find.ts";
import { redact } from "./redact.ts";

// Assembled at run time, so that no scanner reports this file as a leak.
const word = (n: number): string => "aB3dE5fG7hJ9kL1mN2pQ4rS6tU8vW0xYzAbCdEfGhIjKlMnOpQrStUvWxYz0123456789".slice(0, n);

/** Expects that exactly the text between `«` and `»` is hidden under this kind; without marks, nothing. */
function expectHidden(kind: string, marked: string): void {
  expect(redact(marked.replaceAll(/[«»]/g, ""))).toBe(marked.replaceAll(/«[^»]*»/g, `[redacted:${kind}]`));
}

describe("an encoded secret", () => {
  it.each([
    ["url-password", "see postgres%3A//app:«hunter2»@db/x"],
    ["url-password", "see postgres%3a//app:«hunter2»@db/x"],
    ["url-password", "see postgres:%2F/app:«hunter2»@db/x"],
    ["url-password", "see postgres:%2f/app:«hunter2»@db/x"],
    ["url-password", "see postgres://app:«hunter2»%40db/x"],
    ["secret", "a%20b password%3D«hunter2x»%26c d"],
    ["secret", "password%3d«hunter2x» d"],
    ["secret", "{%22password%22:%22«hunter2»%22}"],
    ["secret", "password%20=%20«hunter2»"],
    ["bearer", `bearer%2B«${word(16)}» x`],
    ["bearer", `bearer%2b«${word(16)}» x`],
    ["github-token", `«ghp%5F${word(36)}» x`],
    ["github-token", `«ghp%5f${word(36)}» x`],
    ["anthropic-key", `«sk%2Dant-${word(36)}» x`],
    ["anthropic-key", `«sk%2dant-${word(36)}» x`],
    ["secret", "password%3Dabc"],
    ["secret", "password%3Gabcdef1"],
  ])("is hidden in percent-encoded text: %s %s", (kind, text) => {
    expectHidden(kind, text);
  });

  it.each([
    ["secret", String.raw`password\u003d«hunter2x» d`],
    ["secret", String.raw`password\x3d«hunter2x» d`],
    ["secret", String.raw`{\x22password\x22:\x22«hunter2»\x22}`],
    ["url-password", String.raw`see postgres://app:«hunter2»\x40db/x`],
    ["github-token", String.raw`«ghp\x5f${word(36)}» x`],
    ["github-token", String.raw`«\x67hp_${word(36)}» x`],
    ["github-token", String.raw`«gh\x70_${word(36)}» x`],
    ["url-password", String.raw`see postgres:\/\/app:«hunter2»@db\/x`],
    ["secret", String.raw`\x3d a\\b \"\'\n\r\t\b\f password\u003d«hunter2x»\n d`],
    ["secret", String.raw`password\u00zzhunter2x d`],
    ["secret", String.raw`\x3d deploy --password\t«swordfish»\n`],
    ["secret", String.raw`password\x3d«hunter2x»\ry`],
    ["secret", String.raw`password\x3d«hunter2x»\ty`],
    ["secret", String.raw`password\x3d«hunter2x»\fy`],
  ])("is hidden in text with string escapes: %s %s", (kind, text) => {
    expectHidden(kind, text);
  });

  it.each([
    ["secret", "{&quot;password&quot;:&quot;«hunter2»&quot;}"],
    ["secret", "{&apos;password&apos;:&apos;«hunter2»&apos;}"],
    ["secret", "password&#x3d;«hunter2x» d"],
    ["secret", "password&#61;«hunter2x» d"],
    ["secret", "{&#34;password&#34;:&#34;«hunter2»&#34;}"],
    ["url-password", "see postgres:&#47;/app:«hunter2»@db/x"],
    ["url-password", "see postgres&#58;//app:«hunter2»@db/x"],
    ["secret", "x&quot; &lt;password&gt;«swordfish»&lt;/password&gt;"],
    ["secret", "a &amp;lt; b &amp; password&#61;«hunter2x»&#38; d"],
    ["secret", "{&amp;quot;password&amp;quot;:&amp;quot;«hunter2»&amp;quot;}"],
  ])("is hidden in text with HTML entities: %s %s", (kind, text) => {
    expectHidden(kind, text);
  });

  const KEYS: readonly (readonly [kind: string, secret: string])[] = [
    ["private-key", `-----BEGIN RSA PRIVATE KEY-----\n${word(60)}\n-----END RSA PRIVATE KEY-----`],
    ["github-token", `ghp_${word(30)}`],
    ["github-token", `gho_${word(30)}`],
    ["github-token", `ghs_${word(30)}`],
    ["github-token", `github_pat_${word(30)}`],
    ["gitlab-token", `glpat-${word(20)}`],
    ["anthropic-key", `sk-ant-${word(20)}`],
    ["openai-key", `sk-proj-${word(20)}`],
    ["aws-access-key", ["AKIA", "IOSFODNN7EXAMPLF"].join("")],
    ["slack-token", `xoxb-${word(20)}`],
    ["slack-token", `xoxp-${word(20)}`],
    ["google-key", `AIza${word(35)}`],
    ["npm-token", `npm_${word(40)}`],
    ["stripe-key", ["sk", "live", word(24)].join("_")],
    ["docker-token", `dckr_pat_${word(20)}`],
  ];

  it.each(KEYS)("is hidden in Base64 at any offset: %s", (kind, secret) => {
    for (const before of ["", " ", "  ", "key is "]) {
      const encoded = Buffer.from(`${before}${secret} `).toString("base64");
      expect(redact(`data: ${encoded} end`), before).toBe(`data: [redacted:${kind}] end`);
    }
  });

  it("is hidden in Base64 if it begins at a byte offset divisible by three", () => {
    const encoded = Buffer.from(`hf_${word(34)} `).toString("base64");
    expect(redact(`data: ${encoded} end`)).toBe("data: [redacted:huggingface-token] end");
  });

  it("is hidden in Base64 at the end of the text; encoded binary data is unchanged", () => {
    const encoded = Buffer.from(`ghp_${word(35)}`).toString("base64");
    expect(findSecrets(encoded)).toEqual([{ start: 0, end: encoded.length, kind: "github-token" }]);
    const bytes = Buffer.from([..."ghp_"].map((char) => char.charCodeAt(0)).concat(1, 2)).toString("base64");
    expect(redact(`data: ${bytes} end`)).toBe(`data: ${bytes} end`);
  });

  it("is hidden far into a long text", () => {
    const before = "a line\n".repeat(4000);
    expectHidden("url-password", `${before}see postgres:%2F/app:«hunter2»%40db/x`);
    const encoded = Buffer.from(`key is ghp_${word(30)}`).toString("base64");
    expectHidden("github-token", `${before}data: «${encoded}» end`);
  });

  it("is hidden in two nested encodings, not in three", () => {
    expectHidden("secret", "see password%5Cx26#61;hunter2x%20 x");
    const inner = encodeURIComponent(String.raw`a password\u003dhunter2x b`);
    expect(redact(`see ${inner} x`)).toBe("see a%20password%5Cu003d[redacted:secret]%20b x");
  });
});
