import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { expectLinear } from "../../../test/linear.ts";
import { isSecretField } from "./named.ts";
import { redact, redactAll, Redactor } from "./redact.ts";

// Assembled at run time, so that no scanner reports this file as a leak.
const word = (n: number): string => "aB3dE5fG7hJ9kL1mN2pQ4rS6tU8vW0xYzAbCdEfGhIjKlMnOpQrStUvWxYz0123456789".slice(0, n);

const SECRETS: readonly (readonly [kind: string, secret: string])[] = [
  ["anthropic-key", ["sk", "ant", "api03", word(40)].join("-")],
  ["openai-key", `sk-${word(48)}`],
  ["openai-key", `sk-proj-${word(48)}`],
  ["github-token", `ghp_${word(36)}`],
  ["github-token", `gho_${word(36)}`],
  ["github-token", ["github", "pat", word(22), word(59)].join("_")],
  ["gitlab-token", `glpat-${word(20)}`],
  ["aws-access-key", ["AKIA", "IOSFODNN7EXAMPLE"].join("")],
  ["slack-token", ["xoxb", "123456789012", word(24)].join("-")],
  ["google-key", `AIza${word(35)}`],
  ["stripe-key", ["sk", "live", word(24)].join("_")],
  ["npm-token", `npm_${word(36)}`],
  ["huggingface-token", `hf_${word(34)}`],
  ["jwt", `eyJ${word(20)}.eyJ${word(30)}.${word(43)}`],
];

describe("redact", () => {
  it.each(SECRETS)("hides a %s in any surrounding text", (kind, secret) => {
    for (const text of [
      secret,
      `use ${secret}, please`,
      `"${secret}"`,
      `(${secret})`,
      `\n${secret}\n`,
      `x=${secret}`,
    ]) {
      const out = redact(text);
      expect(out).not.toContain(secret);
      expect(out).not.toContain(secret.slice(-12));
      expect(out).toBe(text.replace(secret, `[redacted:${kind}]`));
    }
  });

  it("hides private keys, complete or truncated, with real or escaped line breaks", () => {
    const head = "-----BEGIN RSA PRIVATE KEY-----";
    const tail = "-----END RSA PRIVATE KEY-----";
    expect(redact(`a ${head}\n${word(64)}\n${tail} b`)).toBe("a [redacted:private-key] b");
    expect(redact(`a ${head}\\n${word(64)}\\n${tail} b`)).toBe("a [redacted:private-key] b");
    expect(redact(`a ${head}\n${word(64)}\n${word(64)}`)).toBe("a [redacted:private-key]");
    expect(redact(`${head}${word(20)}${tail}${head}${word(20)}${tail}`)).toBe(
      "[redacted:private-key][redacted:private-key]",
    );
    // Source code that searches for keys contains their header line.
    expect(redact(`const start = "${head}";`)).toBe(`const start = "${head}";`);
    expect(redact("-----BEGIN CERTIFICATE-----\nabc\n-----END CERTIFICATE-----")).toContain("abc");
  });

  it("hides credentials in headers and URLs, and keeps the rest", () => {
    expect(redact(`Authorization: Bearer ${word(30)}`)).toBe("Authorization: Bearer [redacted:authorization]");
    expect(redact("Authorization: Basic dXNlcjpwYXNz")).toBe("Authorization: Basic [redacted:authorization]");
    expect(redact("postgres://app:hunter2@db:5432/x")).toBe("postgres://app:[redacted:url-password]@db:5432/x");
    expect(redact("git clone https://me@example.org/x.git")).toBe("git clone https://me@example.org/x.git");
    expect(redact(`https://hooks.slack.com/services/T000/B000/${word(24)}`)).toBe("[redacted:slack-webhook]");
  });

  it("hides values assigned to names of secrets", () => {
    expect(redact("DB_PASSWORD=hunter2 npm start")).toBe("DB_PASSWORD=[redacted:secret] npm start");
    expect(redact("export STRIPE_SECRET='correct horse'")).toBe("export STRIPE_SECRET='[redacted:secret]'");
    expect(redact('{"api_key": "abcd1234", "user": "mira"}')).toBe('{"api_key": "[redacted:secret]", "user": "mira"}');
    expect(redact("curl 'https://x/y?access_token=abcd1234&page=2'")).toContain(
      "access_token=[redacted:secret]&page=2",
    );
    expect(redact("password: hunter2hunter2")).toBe("password: [redacted:secret]");
    expect(redact("deploy --token=abcd1234")).toBe("deploy --token=[redacted:secret]");
  });

  it("hides secrets in JSON nested in JSON", () => {
    const inner = JSON.stringify({ api_key: "abcd1234", user: "mira" });
    const hidden = JSON.stringify({ api_key: "[redacted:secret]", user: "mira" });
    expect(redact(JSON.stringify(inner))).toBe(JSON.stringify(hidden));
    expect(redact(JSON.stringify(JSON.stringify(inner)))).toBe(JSON.stringify(JSON.stringify(hidden)));
  });

  it("hides the beginning of a secret at the end of a truncated text", () => {
    const [, secret = ""] = SECRETS[0] ?? [];
    expect(redact(`use ${secret.slice(0, 20)}`)).toBe("use [redacted:secret]");
    expect(redact(`use ghp_${word(9)}…`)).toBe("use [redacted:secret]…");
    expect(redact("postgres://app:hunter2")).toBe("postgres://app:[redacted:url-password]");
    expect(redact("listening on http://localhost:3000")).toBe("listening on http://localhost:3000");
    expect(redact("unset npm_config_cache")).toBe("unset npm_config_cache");
  });

  it.each([
    "max_tokens=4096 and input_tokens: 1234567",
    "const token = await getToken(user);",
    "token=$GITHUB_TOKEN docker login",
    "password: check whether it is hashed",
    "the task-runner-with-a-very-long-hyphenated-name broke",
    "sk-learn-style-pipelines-are-long-words",
    "commit 3f786850e387550fdab836ed7e6dc881de23001b",
    "https://example.org/a:b/c@d",
    "src/auth/token.ts:12: export const secret: string",
    "OPENAI_API_KEY=dummy npm test",
    'api_key: "your_api_key"',
  ])("leaves ordinary text unchanged: %s", (text) => {
    expect(redact(text)).toBe(text);
  });

  it("changes nothing the second time", () => {
    const piece = fc.oneof(
      fc.string(),
      fc.constantFrom(...SECRETS.map(([, secret]) => secret), "KEY=", "password: ", "://a:"),
    );
    fc.assert(
      fc.property(fc.array(piece), (pieces) => {
        const once = redact(pieces.join(""));
        expect(redact(once)).toBe(once);
      }),
    );
  });

  it("hides secrets in nested values and keeps their structure", () => {
    const [, secret = ""] = SECRETS[0] ?? [];
    expect(redactAll({ a: [secret, 1, null], b: { c: true } })).toEqual({
      a: ["[redacted:anthropic-key]", 1, null],
      b: { c: true },
    });
  });

  it("hides the value of a field that is named like a secret", () => {
    const fields = {
      env: { DB_PASSWORD: "hunter2", USER: "mira" },
      token: true,
      input_tokens: 12,
      project_key: "a-1b2c3d",
    };
    expect(redactAll(fields)).toEqual({ ...fields, env: { DB_PASSWORD: "[redacted:secret]", USER: "mira" } });
    expect(redactAll({ token: "string", secret: "$SECRET" })).toEqual({ token: "string", secret: "$SECRET" });
  });

  it.each([
    "eyJ",
    "a",
    "TOKEN",
    "TOKEN=",
    "$TOKEN=$",
    "-----BEGIN PRIVATE KEY-----",
    "sk-",
    "sk-ant-",
    "://",
    "://a:",
    "Bearer ",
    'password="',
    "a.",
    "=",
    "eyJaaaaaaaa.",
    "npm_",
    "token\\\\",
    'token=\\"',
    "%3D",
    "&amp;",
    "\\u0041",
    "curl -u ",
    "mysql ",
    "Cookie: a=b;",
    "--token ",
    "login a password b ",
    "Z2hwX",
    "xoxb-",
    "fm2_",
    "ops_eyJ",
    "authorization: ",
    "sig=",
  ])("takes linear time on text made to be slow: %s", (unit) => {
    expectLinear(unit, 160_000, redact);
  });
});

/** Reference implementation of `redactAll`, one text at a time. */
function redactOneByOne(value: unknown): unknown {
  if (typeof value === "string") return redact(value);
  if (Array.isArray(value)) {
    const [name, text] = value as unknown[];
    const isPair =
      value.length === 2 && typeof name === "string" && typeof text === "string" && /^[\w.:/-]+$/.test(name);
    const list = value.map(redactOneByOne);
    return isPair && isSecretField(name, text) ? [list[0], "[redacted:secret]"] : list;
  }
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]: [string, unknown]) => {
      const isNamed = typeof inner === "string" && isSecretField(key, inner);
      return [key, isNamed ? "[redacted:secret]" : redactOneByOne(inner)];
    }),
  );
}

describe("redactAll", () => {
  const PIECES = [
    ...SECRETS.flatMap(([, secret]) => [secret, secret.slice(0, 14)]),
    "-----BEGIN EC PRIVATE KEY-----\nabc",
    "https://mira:hunter2@host/x",
    "http://localhost:3000/",
    "postgres://a:b",
    "Authorization: Basic dXNlcjpwYXNz",
    `BEARER\t${word(24)}`,
    `https://hooks.slack.com/services/T0/B0/${word(24)}`,
    "xapp-1-A111-222-abc",
    `SG.${word(22)}.${word(43)}`,
    `pypi-${word(60)}`,
    `rk_test_${word(24)}`,
    "DB_PASSWORD=",
    "api-key: ",
    "Connection_String => ",
    "webhookurl=",
    "pwd:",
    "credentials = ",
    "token",
    'secret\\\\\\"',
    '"',
    "'",
    "\\",
    "=",
    ":",
    " ",
    "\t",
    "\n",
    "…",
    "abcd1234",
    "[redacted:x]",
    "ſecret",
    "K",
    "é",
  ];
  const text = fc.array(fc.oneof(fc.constantFrom(...PIECES), fc.string({ maxLength: 5 })), { maxLength: 7 });
  const leaf = fc.oneof(
    text.map((pieces) => pieces.join("")),
    fc.integer(),
    fc.constant(null),
  );
  const name = fc.constantFrom("title", "password", "API_KEY", "max_tokens", "path", "authKey", "0", "__proto__");
  const plain = fc.letrec((tie) => ({
    value: fc.oneof(
      { depthSize: "small", maxDepth: 4 },
      leaf,
      fc.array(tie("value"), { maxLength: 4 }),
      fc.dictionary(name, tie("value"), { maxKeys: 4 }),
    ),
  })).value;

  it("hides in nested values what redact hides in each text", () => {
    fc.assert(
      fc.property(plain, (value) => {
        expect(redactAll(value)).toEqual(redactOneByOne(value));
      }),
      { numRuns: 2000 },
    );
  });

  it("returns the same object if nothing is hidden", () => {
    const value = { list: [{ title: "nothing here", at: "2026-05-12T08:00:00.000Z", n: 1 }], max_tokens: "12" };
    expect(redactAll(value)).toBe(value);
  });
});

describe("Redactor.json", () => {
  const lines = (list: string[], redactor = new Redactor(), secret = true): string[] => {
    const values = list.map((json) => ({ json, secret }));
    return [...redactor.json(values, "\n")].flatMap((batch) => batch.split("\n"));
  };

  it("skips values marked as free of secrets, unless the user has defined rules", () => {
    const list = [JSON.stringify({ text: "AKIAIOSFODNN7EXAMPLF" }), JSON.stringify({ text: "ticket 4711" })];
    expect(lines(list, new Redactor(), false)).toEqual(list);
    const own = new Redactor({ rules: [{ name: "ticket", pattern: /ticket \d+/g }], exceptions: [] });
    expect(lines(list, own, false).join()).toContain("[redacted:ticket]");
    expect(lines(list, own, false).join()).not.toContain("AKIA");
  });

  it("hides in JSON what would be hidden in the value", () => {
    const secret = fc.constantFrom(
      ...SECRETS.map(([, text]) => text),
      `Bearer ${word(30)}`,
      "postgres://app:hunter2@db/x",
    );
    const named = fc.constantFrom("token", "api_key", "DB_PASSWORD", "name");
    const between = fc.string({
      unit: fc.constantFrom("\\", '"', "'", "\t", "\n", "=", ":", " ", "a", "\u0001", "é"),
      maxLength: 12,
    });
    const text = fc.tuple(between, named, between, secret, between).map((parts) => parts.join(""));
    const leaf = fc.oneof(text, secret, fc.string(), fc.integer(), fc.constant(null));
    const value = fc.oneof(fc.dictionary(fc.oneof(named, fc.string()), leaf), fc.array(leaf), leaf);
    fc.assert(
      fc.property(fc.array(value, { maxLength: 4 }), (list) => {
        const hidden = lines(list.map((one) => JSON.stringify(one)));
        expect(hidden).toEqual(list.map((one) => JSON.stringify(redactAll(one))));
      }),
      { numRuns: 1000 },
    );
  });

  it("hides one secret among 200 values", () => {
    const list = Array.from({ length: 200 }, (_, i) =>
      JSON.stringify({ i, text: i === 150 ? `token=${word(30)}` : "fine" }),
    );
    const hidden = lines(list);
    expect(hidden).toHaveLength(200);
    expect(hidden[150]).toBe('{"i":150,"text":"token=[redacted:secret]"}');
    expect(hidden.toSpliced(150, 1)).toEqual(list.toSpliced(150, 1));
  });
});
