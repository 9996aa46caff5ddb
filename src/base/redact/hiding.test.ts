import { describe, expect, it } from "vitest";
import { withoutOverlaps, findSecrets } from "./find.ts";
import { mayHoldSecret, redact, redactAll, Redactor, type JsonValue } from "./redact.ts";

// Assembled at run time, so that no scanner reports this file as a leak.
const word = (n: number): string => "aB3dE5fG7hJ9kL1mN2pQ4rS6tU8vW0xYzAbCdEfGhIjKlMnOpQrStUvWxYz0123456789".slice(0, n);
const AWS = ["AKIA", "IOSFODNN7EXAMPLF"].join("");
const HIDDEN = "[redacted:aws-access-key]";

describe("a private key", () => {
  const head = (kind: string): string => `-----BEGIN ${kind}-----`;
  const tail = (kind: string): string => `-----END ${kind}-----`;
  const hidden = "[redacted:private-key]";

  it.each(["PRIVATE KEY", "RSA PRIVATE KEY", "PGP PRIVATE KEY BLOCK", "OpenVPN Static key V1", "STATIC KEY"])(
    "is hidden: %s",
    (kind) => {
      expect(redact(`a ${head(kind)}\n${word(40)}\n${tail(kind)} b`)).toBe(`a ${hidden} b`);
      expect(redact(`a ${head(kind)}\n${word(16)}\n${tail(kind)} b`)).toBe(`a ${hidden} b`);
      expect(redact(`a ${head(kind)}\n${word(40)}\n${word(40)}= !b`)).toBe(`a ${hidden}!b`);
    },
  );

  it("is not assumed in short, malformed or other blocks", () => {
    for (const text of [
      `a ${head("PRIVATE KEY")}\n${word(15)}\n${tail("PRIVATE KEY")} b`,
      `a ${head("CERTIFICATE")}\n${word(40)}\n${tail("CERTIFICATE")} b`,
      `a ${head("PRIVATE KEY").slice(0, -1)}\n${word(40)} b`,
      `a -----BEGIN ${"X".repeat(41)} PRIVATE KEY-----\n${word(40)} b`,
      `a ${head("PRIVATE KEY")} and !${word(40)} b`,
      `a --- ${head("PRIVATE KEY").slice(5)}\n${word(40)} b`,
    ])
      expect(redact(text)).toBe(text);
  });

  it("ends at its end marker, and the next one is found", () => {
    const whole = `${head("PRIVATE KEY")}${word(20)}${tail("PRIVATE KEY")}`;
    expect(redact(`${whole} x ${whole}!`)).toBe(`${hidden} x ${hidden}!`);
    expect(redact(`${head("CERTIFICATE")}${tail("CERTIFICATE")} ${whole}!`)).toBe(
      `${head("CERTIFICATE")}${tail("CERTIFICATE")} ${hidden}!`,
    );
    expect(redact(`${head("EC PRIVATE KEY")}${word(20)}! ${head("EC PRIVATE KEY")}${word(20)}! x`)).toBe(
      `${hidden}! ${hidden}! x`,
    );
    expect(redact(`${head("PRIVATE KEY")}${word(20)}-----END !x`)).toBe(`${hidden}-----END !x`);
    expect(redact(`${whole} x ${whole} b`)).toBe(`${hidden} x ${hidden} b`);
    expect(redact(`-----BEGIN x! ${whole} b`)).toBe(`-----BEGIN x! ${hidden} b`);
    expect(redact(`${head("PRIVATE KEY")}${word(20)}-----END !x -----END Y----- b`)).toBe(
      `${hidden}-----END !x -----END Y----- b`,
    );
    const none = `${head("PRIVATE KEY")}\n${word(15)}\n-----END ABCDEFGHIJKLMNOPQRS----- b`;
    expect(redact(none)).toBe(none);
    const open = `${head("PRIVATE KEY")}${word(20)}`;
    expect(findSecrets(`${open}! ${open}! x`)).toHaveLength(2);
  });
});

describe("found secrets", () => {
  it("are sorted and merged, with the kind of the first and longest", () => {
    const span = (start: number, end: number, kind: string): { start: number; end: number; kind: string } => ({
      start,
      end,
      kind,
    });
    expect(withoutOverlaps([span(5, 9, "b"), span(0, 4, "a"), span(4, 5, "c")])).toEqual([
      span(0, 4, "a"),
      span(4, 5, "c"),
      span(5, 9, "b"),
    ]);
    expect(withoutOverlaps([span(0, 4, "a"), span(0, 6, "b"), span(5, 9, "c")])).toEqual([span(0, 9, "b")]);
    expect(withoutOverlaps([span(0, 9, "a"), span(2, 4, "b")])).toEqual([span(0, 9, "a")]);
    expect(findSecrets(`password=hunter2 ${AWS} token=hunter22`)).toEqual([
      span(9, 16, "secret"),
      span(17, 37, "aws-access-key"),
      span(44, 52, "secret"),
    ]);
    expect(findSecrets("nothing")).toEqual([]);
  });

  it("may begin after an escape sequence, but not inside a word", () => {
    const key = `sk-${word(20)}`;
    for (const before of [
      "",
      " ",
      "(",
      "\n",
      '"',
      "-",
      "[32m",
      "[0;1;31m",
      String.raw`\n`,
      String.raw`\t`,
      "%3D",
      "%3d",
      "%0A",
      String.raw`\u2028`,
      String.raw`\u001b`,
      String.raw`\x1b`,
    ])
      expect(redact(`${before}${key} x`), before).toBe(`${before}[redacted:openai-key] x`);
    for (const before of [
      "a",
      "Z",
      "9",
      "_",
      "m",
      "32m",
      String.raw`\a`,
      "%3G",
      "%D",
      String.raw`\u01b`,
      String.raw`\u1`,
      String.raw`\x1`,
      "[32;xm",
      "é_",
    ])
      expect(redact(`${before}${key} x`), before).toBe(`${before}${key} x`);
  });

  it("may be the beginning of a key at the end of a truncated text", () => {
    const beginnings = [
      "sk-ant-",
      "sk-proj-",
      "ghp_",
      "gho_",
      "ghu_",
      "ghs_",
      "ghr_",
      "github_pat_",
      "glpat-",
      "gldt-",
      "glrt-",
      "AKIA",
      "ASIA",
      "xoxb-",
      "xoxp-",
      "xapp-",
      "AIza",
      "npm_",
      "hf_",
      "sk_live_",
      "rk_live_",
      "dckr_pat_",
      "dop_v1_",
      "gsk_",
    ];
    for (const sign of beginnings) {
      for (const end of ["", "…", "\nmore", '"x', '…"x'])
        expect(redact(`the key: ${sign}ab1c${end}`)).toBe(`the key: [redacted:secret]${end}`);
      for (const whole of [`${sign}ab1c x`, `x${sign}ab1c`, `${sign}abcd`, `${sign}ab1`, `${sign}ab1c…x`])
        expect(redact(`the key: ${whole}`)).toBe(`the key: ${whole}`);
    }
  });
});

describe("secretlint rules", () => {
  it.each([
    ["aws-access-key", `use ${AWS}`, AWS],
    ["aws-secret-key", `AWS_SECRET_ACCESS_KEY=${word(40)}`, word(40)],
    ["github-token", `use ghp_${word(36)}`, `ghp_${word(36)}`],
    ["npm-token", `use npm_${word(36)}`, `npm_${word(36)}`],
  ])("hide a secret of kind %s", (kind, text, secret) => {
    const hidden = redact(`${text} here`);
    expect(hidden).not.toContain(secret);
    // The rule for AWS secret keys also hides the name before the value.
    expect(hidden.endsWith(`[redacted:${kind}] here`)).toBe(true);
  });
});

describe("user-defined rules", () => {
  const own = new Redactor({
    rules: [
      { name: "badge", pattern: /BADGE-\d{4}/gu },
      { name: "nothing", pattern: /q*/gu },
    ],
    exceptions: [/^hunter\d+$/u, /^x$/u],
  });

  it("apply together with the built-in rules, and ignore empty matches", () => {
    expect(own.text(`BADGE-1234, ${AWS} and BADGE-99`)).toBe(`[redacted:badge], ${HIDDEN} and BADGE-99`);
    expect(own.text("password=BADGE-1234 x")).toBe("password=[redacted:badge] x");
    expect(own.text("password=hunter2 x")).toBe("password=hunter2 x");
    expect(own.text("password=hunter2! x")).toBe("password=[redacted:secret] x");
  });

  it("change the name of the redactor", () => {
    const rule = { name: "badge", pattern: /x/u };
    const names = [
      new Redactor(),
      new Redactor({ rules: [rule], exceptions: [] }),
      new Redactor({ rules: [{ ...rule, name: "b" }], exceptions: [] }),
      new Redactor({ rules: [{ ...rule, pattern: /y/u }], exceptions: [] }),
      new Redactor({ rules: [], exceptions: [/x/u] }),
      new Redactor({ rules: [], exceptions: [/y/u] }),
    ].map(({ name }) => name);
    expect(new Set(names).size).toBe(6);
    expect(new Redactor({ rules: [rule], exceptions: [] }).name).toBe(names[1]);
  });
});

describe("a text", () => {
  it("of fewer than eight characters is not searched", () => {
    const own = new Redactor({ rules: [{ name: "x", pattern: /b/gu }], exceptions: [] });
    expect(own.text("aaaaaab")).toBe("aaaaaab");
    expect(own.text("aaaaaaab")).toBe("aaaaaaa[redacted:x]");
  });

  it("is searched again after a replacement, a limited number of times", () => {
    const grow = new Redactor({ rules: [{ name: "y", pattern: /y$/gu }], exceptions: [] });
    expect(grow.text("12345678y")).toBe("12345678[redacted:y]");
    const step = new Redactor({
      rules: [
        { name: "q", pattern: /(?<=\])z/gu },
        { name: "z", pattern: /(?<= )z/gu },
      ],
      exceptions: [],
    });
    expect(step.text("1234567 zzz!")).toBe("1234567 [redacted:z][redacted:q][redacted:q]!");
    expect(step.text("1234567 zzzzzzzz!")).toBe(`1234567 [redacted:z]${"[redacted:q]".repeat(4)}zzz!`);
  });
});

describe("a value", () => {
  it("keeps its structure and other parts, and its identity if nothing is hidden", () => {
    for (const value of [1, null, true, undefined, "plain text", AWS.slice(0, 7)]) expect(redactAll(value)).toBe(value);
    expect(redactAll(`use ${AWS} `)).toBe(`use ${HIDDEN} `);
    const clean = { deep: [{ text: "nothing" }] };
    const original = { clean, list: [[AWS]], other: { a: `x ${AWS}`, b: 1 } };
    const hidden = redactAll(original);
    expect(hidden).toEqual({ clean, list: [[HIDDEN]], other: { a: `x ${HIDDEN}`, b: 1 } });
    expect(hidden.clean).toBe(clean);
    expect(original.list[0]).toEqual([AWS]);
    expect(Array.isArray(hidden.list[0])).toBe(true);
    expect(redactAll(clean)).toBe(clean);
    expect(redactAll([1, { text: AWS }, "x", null, 0, false])).toEqual([1, { text: HIDDEN }, "x", null, 0, false]);
  });

  it("is writable after redaction", () => {
    const hidden = redactAll({ inner: { text: AWS }, names: { [AWS]: 1 } });
    for (const [holder, key] of [
      [hidden, "inner"],
      [hidden.inner, "text"],
      [hidden.names, HIDDEN],
    ] as const)
      expect(Object.getOwnPropertyDescriptor(holder, key)).toMatchObject({ writable: true, configurable: true });
  });

  it("is redacted at every reference to the same part, also in a cycle", () => {
    const part = { text: AWS };
    const holder = { part };
    expect(redactAll([part, holder, { holder, part }])).toEqual([
      { text: HIDDEN },
      { part: { text: HIDDEN } },
      { holder: { part: { text: HIDDEN } }, part: { text: HIDDEN } },
    ]);
    const loop: { text: string; self?: unknown } = { text: AWS };
    loop.self = loop;
    const hidden = redactAll(loop);
    expect(hidden.text).toBe(HIDDEN);
    expect(hidden.self).toBe(hidden);
  });

  it("is hidden if its field is named like a secret, unless it cannot be one", () => {
    expect(
      redactAll({ password: "hunter2", api_key: "x1", token: "string", max_tokens: "hunter2", name: "hunter2" }),
    ).toEqual({
      password: "[redacted:secret]",
      api_key: "x1",
      token: "string",
      max_tokens: "hunter2",
      name: "hunter2",
    });
    expect(redactAll({ password: `x ${AWS}` })).toEqual({ password: "[redacted:secret]" });
    expect(redactAll({ Password: "hunter2" })).toEqual({ Password: "[redacted:secret]" });
    const original = { password: "string" };
    expect(redactAll(original)).toBe(original);
    const named = Object.defineProperty([], "password", { value: "hunter2", enumerable: true });
    expect(redactAll(named)).toBe(named);
    const proto = JSON.parse(`{"__proto__": {"password": "hunter2"}}`) as object;
    expect(JSON.stringify(redactAll(proto))).toBe('{"__proto__":{"password":"[redacted:secret]"}}');
  });

  it("is searched text by text: no secret spans two texts", () => {
    expect(redactAll(["password=", "hunter2 x"])).toEqual(["password=", "hunter2 x"]);
    expect(redactAll({ a: "see -----BEGIN PRIVATE KEY-----", b: word(40), c: "x" })).toEqual({
      a: "see -----BEGIN PRIVATE KEY-----",
      b: word(40),
      c: "x",
    });
    // A match may span several texts: each of them is checked separately.
    expect(redactAll({ a: "see -----BEGIN PRIVATE KEY-----", b: `${word(40)} ${AWS}`, c: "!x" })).toEqual({
      a: "see -----BEGIN PRIVATE KEY-----",
      b: `${word(40)} ${HIDDEN}`,
      c: "!x",
    });
    expect(redactAll(["nothing here", `use ${AWS} `, "nothing here", AWS])).toEqual([
      "nothing here",
      `use ${HIDDEN} `,
      "nothing here",
      HIDDEN,
    ]);
  });

  it("has secrets in keys hidden, with their order kept and duplicates numbered", () => {
    const [other, third] = ["IOT", "IOU"].map((letters) => AWS.replace("IOS", letters));
    expect(
      Object.entries(redactAll({ a: 1, [AWS]: 2, [`${other}`]: 3, [`${third}`]: 3, [`${AWS} x`]: 4, z: 5 })),
    ).toEqual([
      ["a", 1],
      [HIDDEN, 2],
      [`${HIDDEN} (2)`, 3],
      [`${HIDDEN} (3)`, 3],
      [`${HIDDEN} x`, 4],
      ["z", 5],
    ]);
    expect(redactAll([{ [AWS]: { [AWS]: AWS } }])).toEqual([{ [HIDDEN]: { [HIDDEN]: HIDDEN } }]);
    const many = Object.fromEntries(Array.from({ length: 2100 }, (_, n) => [`name ${n}`, n]));
    expect(redactAll(many)).toBe(many);
    expect(redactAll({ [AWS]: 1 })).toEqual({ [HIDDEN]: 1 });
  });

  it("can be an array of command arguments", () => {
    expect(redactAll(["curl", "-u", "mira:hunter22", "x"])).toEqual([
      "curl",
      "-u",
      "mira:[redacted:cli-password]",
      "x",
    ]);
    expect(redactAll(["run", "-x", "--token", "swordfish", "-y"])).toEqual([
      "run",
      "-x",
      "--token",
      "[redacted:secret]",
      "-y",
    ]);
    expect(redactAll(["run", "--token", AWS])).toEqual(["run", "--token", HIDDEN]);
    expect(redactAll(["curl", "-u", "'mira:hunter22'"])).toEqual(["curl", "-u", "'mira:[redacted:cli-password]'"]);
    for (const list of [
      ["run", "token", "swordfish"],
      ["run", "--token", "swordfish", 1],
      ["run", "--token", 1, "swordfish"],
      ["run", "-1", "token", "swordfish"],
      ["run", "x--token", "swordfish"],
      ["password", "is", "hunter22", "x-y"],
      ["curl", "-u", "mira:hunter22", 1],
    ])
      expect(redactAll(list)).toEqual(list);
  });
});

describe("Redactor.json", () => {
  const found = (
    list: readonly JsonValue[],
    redactor = new Redactor(),
    joint: `${string}\n${string}` = "\n",
  ): string[] => [...redactor.json(list, joint)];
  const value = (text: string, secret = true): JsonValue => ({ json: JSON.stringify({ text }), secret });

  it("yields values in batches of 64, joined by the given separator", () => {
    const list = Array.from({ length: 130 }, (_, n) => value(n % 65 === 0 ? `use ${AWS} ` : `n${n}`));
    const parts = found(list, new Redactor(), ",\n");
    expect(parts.map((part) => part.split(",\n").length)).toEqual([64, 64, 2]);
    expect(parts.join(",\n")).toBe(list.map(({ json }) => json.replace(AWS, HIDDEN)).join(",\n"));
    expect(found([])).toEqual([]);
    expect(found(list.slice(0, 64))).toHaveLength(1);
  });

  it("returns values marked as free of secrets unchanged, unless the user has defined rules", () => {
    const odd = { json: `{ "text":  "use ${AWS} " }`, secret: false };
    expect(found([value(`use ${AWS} `), odd, value("x")])).toEqual([
      [`{"text":"use ${HIDDEN} "}`, odd.json, '{"text":"x"}'].join("\n"),
    ]);
    expect(found([odd])).toEqual([odd.json]);
    const own = new Redactor({ rules: [{ name: "n", pattern: /nn/gu }], exceptions: [] });
    expect(found([odd], own)).toEqual([`{"text":"use ${HIDDEN} "}`]);
  });

  it("searches all values that may hold a secret, and changes only those that do", () => {
    const suspects = [
      { text: `use ${AWS} ` },
      { text: `a\n${AWS}\nb` },
      { text: `say "${AWS}" to` },
      { password: "hunter2" },
      { text: 'password: "hunter2"' },
      { text: "a\tb password=hunter2x" },
      { text: `\u001b${AWS}` },
      { text: "deploy --password\tswordfish" },
      { password: 'ab"cd1' },
      { text: '{"auth":"bWlyYTpo"}' },
    ];
    for (const one of suspects) expect(mayHoldSecret(JSON.stringify(one)), JSON.stringify(one)).toBe(true);
    for (const one of [{ text: "nothing" }, { text: 'he said "no" and left\nat once' }, { password: 1 }])
      expect(mayHoldSecret(JSON.stringify(one)), JSON.stringify(one)).toBe(false);
    // A value that is only suspected stays unchanged.
    expect(found([value("a\\b"), value('password: "no"')])).toEqual([
      [String.raw`{"text":"a\\b"}`, String.raw`{"text":"password: \"no\""}`].join("\n"),
    ]);
  });
});
