import { describe, expect, it } from "vitest";
import { secretlintSecrets } from "./secretlint-rules.ts";
import { isSecretlintShape, SECRETLINT_SIGNS } from "./secretlint-signs.ts";

// Assembled at run time, so that no scanner reports this file as a leak.
const word = (n: number): string =>
  "aB3dE5fG7hJ9kL1mN2pQ4rS6tU8vW0xYzAbCdEfGhIjKlMnOpQrStUvWxYz0123456789".repeat(4).slice(0, n);
const hex = "3f786850e387550fdab836ed7e6dc88".repeat(4);

const SAMPLES: readonly (readonly [kind: string, text: string])[] = [
  ["aws-secret-key", `AWS_SECRET_ACCESS_KEY=${word(40)}`],
  ["aws-secret-key", `aws_secret_access_key = ${word(40)}`],
  ["aws-secret-key", `SecretAccessKey: "${word(40)}"`],
  ["aws-secret-key", `secretAccessKey: "${word(40)}"`],
  ["github-token", `ghp_${word(36)}`],
  ["github-token", `gho_${word(36)}`],
  ["github-token", `ghu_${word(36)}`],
  ["github-token", `ghs_${word(36)}`],
  ["github-token", `ghr_${word(36)}`],
  ["github-token", `github_pat_${word(22)}_${word(59)}`],
  ["slack-token", ["xoxb", "123456789012", "123456789012", word(24)].join("-")],
  ["slack-webhook", `https://hooks.slack.com/services/T00000000/B00000000/${word(24)}`],
  ["sendgrid-key", `SG.${word(22)}.${word(43)}`],
  ["shopify-token", `shpat_${hex.slice(0, 32)}`],
  ["shopify-token", `shpca_${hex.slice(0, 32)}`],
  ["shopify-token", `shppa_${hex.slice(0, 32)}`],
  ["shopify-token", `shpss_${hex.slice(0, 32)}`],
  ["npm-token", `npm_${word(36)}`],
  ["anthropic-key", `sk-ant-api03-${word(93)}AA`],
  ["openai-key", `sk-proj-${word(58)}T3BlbkFJ${word(58)}`],
  ["openai-key", `sk-${word(20)}T3BlbkFJ${word(20)}`],
  ["linear-key", `lin_api_${word(40)}`],
];

/** The secrets found at the first sign in the text. */
function foundIn(text: string): { kind: string; text: string }[] {
  const places = SECRETLINT_SIGNS.map((sign) => text.indexOf(sign)).filter(
    (at) => at !== -1 && isSecretlintShape(text, at),
  );
  if (places.length === 0) return [];
  return secretlintSecrets(text, Math.min(...places)).found.map(({ start, end, kind }) => ({
    kind,
    text: text.slice(start, end),
  }));
}

describe("secretlint rules", () => {
  it.each(SAMPLES)("find a %s: %s", (kind, secret) => {
    for (const text of [secret, `see ${secret} here`, `${"a line\n".repeat(40)}${secret}\n${"a line\n".repeat(400)}`]) {
      const [found] = foundIn(text);
      expect(found?.kind).toBe(kind);
      expect(secret).toContain(found?.text);
      expect(found?.text.length).toBeGreaterThan(15);
    }
  });

  it("find nothing in texts that only begin like a token, nor account ids or URL passwords", () => {
    for (const text of ["use npm_config_cache", "SG. is Singapore"]) expect(foundIn(text)).toEqual([]);
    expect(foundIn(`AWS_ACCOUNT_ID=123456789012 aws_secret_access_key_of_somebody_else`)).toEqual([]);
    expect(foundIn(`postgres://app:hunter2@db/x npm_${word(36)}`).map(({ kind }) => kind)).toEqual(["npm-token"]);
  });

  it("report secrets of other kinds as kind secret", () => {
    const key = `-----BEGIN RSA PRIVATE KEY-----\nMIIE${word(256)}\n-----END RSA PRIVATE KEY-----`;
    const kinds = foundIn(`npm_${word(36)}\n${key}\n`).map(({ kind }) => kind);
    expect(kinds.toSorted()).toEqual(["npm-token", "secret"]);
  });

  it("ignore disable comments and keep no state between calls", () => {
    const key = `npm_${word(36)}`;
    expect(foundIn(`// secretlint-disable\n${key}`)).toEqual([{ kind: "npm-token", text: key }]);
    expect(foundIn(key)).toHaveLength(1);
    expect(secretlintSecrets(key, 0).end).toBe(2000);
  });
});
