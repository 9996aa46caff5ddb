/**
 * A shape of secret. Every pattern must run in linear time on hostile text: a run of characters may be entered only at
 * its start (the look-behind), or the repetition takes the whole run it entered, or it is bounded.
 */
export interface Shape {
  kind: string;
  /** What a text must hold, wherever, for the pattern to match: short and without context, so that many are looked for at once. */
  sign: string;
  pattern: RegExp;
  /** Last word on a match: long names made of words look like keys, but have no digits. */
  accept?: (match: string) => boolean;
}

const hasDigit = (text: string): boolean => /\d/.test(text);

/** Where a private key begins. */
export const KEY_BLOCK = "-----BEGIN ";

export const SHAPES: readonly Shape[] = [
  { kind: "anthropic-key", sign: "sk-ant-", pattern: /(?<![A-Za-z0-9])sk-ant-[\w-]{16,}/g },
  { kind: "openai-key", sign: "sk-", pattern: /(?<![A-Za-z0-9])sk-[\w-]{20,}/g, accept: hasDigit },
  {
    kind: "github-token",
    sign: "gh[pousr]_|github_pat_",
    pattern: /(?<![A-Za-z0-9])(?:gh[pousr]_[A-Za-z0-9]{30,255}|github_pat_\w{30,255})/g,
  },
  {
    kind: "gitlab-token",
    sign: "gl(?:pat|dt|rt|ptt|cbt)-",
    pattern: /(?<![A-Za-z0-9])gl(?:pat|dt|rt|ptt|cbt)-[\w-]{20,}/g,
  },
  {
    kind: "aws-key",
    sign: "A(?:KIA|SIA|BIA|CCA)",
    pattern: /(?<![A-Za-z0-9])(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}(?![A-Za-z0-9])/g,
  },
  {
    kind: "slack-token",
    sign: "xox[a-z]-|xapp-",
    pattern: /(?<![A-Za-z0-9])xox[a-z]-[A-Za-z0-9-]{10,}|(?<![A-Za-z0-9])xapp-[A-Za-z0-9-]{10,}/g,
  },
  {
    kind: "slack-webhook",
    sign: "hooks\\.slack\\.com/services/",
    pattern: /(?<=hooks\.slack\.com\/services\/)[A-Za-z0-9/]{20,}/g,
  },
  { kind: "google-key", sign: "AIza", pattern: /(?<![\w-])AIza[\w-]{35}(?![\w-])/g },
  {
    kind: "stripe-key",
    sign: "[sr]k_(?:live|test)_",
    pattern: /(?<![A-Za-z0-9])[sr]k_(?:live|test)_[A-Za-z0-9]{16,}/g,
  },
  { kind: "npm-token", sign: "npm_", pattern: /(?<![A-Za-z0-9])npm_[A-Za-z0-9]{36,}/g },
  { kind: "pypi-token", sign: "pypi-", pattern: /(?<![\w-])pypi-[\w-]{50,}/g },
  { kind: "huggingface-token", sign: "hf_", pattern: /(?<![A-Za-z0-9])hf_[A-Za-z0-9]{30,}/g },
  { kind: "sendgrid-key", sign: "SG\\.", pattern: /(?<![\w.-])SG\.[\w-]{16,64}\.[\w-]{16,64}/g },
  // Three parts at most are walked from any start, so a chain of parts stays linear.
  { kind: "jwt", sign: "eyJ", pattern: /(?<![\w-])eyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*/g },
  {
    kind: "bearer",
    sign: "bearer[ \\t]",
    pattern: /(?<=(?<!\w)bearer[ \t]{1,4})[\w.~+/-]{16,}={0,2}/gi,
    accept: hasDigit,
  },
  {
    kind: "basic-auth",
    sign: "authorization:",
    pattern: /(?<=authorization:[ \t]{0,4}basic[ \t]{1,4})[A-Za-z0-9+/]{8,}={0,2}/gi,
  },
  // `https://user:password@host`; the name stays, it is not the secret. At the end of a text that was cut off it may be one.
  {
    kind: "url-password",
    sign: String.raw`:\/\/[^\s/:@?#"'<>]{0,100}:`,
    pattern: /(?<=:\/\/[^\s/:@?#"'<>]{0,100}:)[^\s/@"'<>]{1,200}(?=@|…?$)/g,
    accept: (match) => !/^\d+…?$/.test(match),
  },
  // A key that was cut off with its text is too short to be known by its form, but still half a key.
  {
    kind: "secret",
    // Each of its beginnings is the sign of one above.
    sign: "sk-",
    pattern:
      /(?<![\w-])(?:sk-ant-|sk-proj-|gh[pousr]_|github_pat_|gl(?:pat|dt|rt)-|A[KS]IA|xox[a-z]-|AIza|npm_|hf_|[sr]k_live_)[\w-]{4,255}(?=…?$)/g,
    accept: hasDigit,
  },
];

const SECRET_WORDS = [
  "secret|token|passw(?:or)?d|passphrase|pwd|credentials?|connection[_-]?string|webhook[_-]?url",
  "(?:api|access|secret|private|signing|encryption|account|auth)[_-]?key",
].join("|");

/** A name that says its value is secret. */
export const SECRET_NAME: RegExp = new RegExp(`(?:${SECRET_WORDS})$`, "i");

/**
 * `NAME=value`, `NAME="value"`, `"name": "value"`, `--name=value`, where the name ends in a word that says secret. Plurals
 * (`max_tokens`) and paths (`token_file`) do not. Quotes may be escaped: agents write JSON inside JSON. The name is bounded,
 * so a long word costs its first bytes only.
 */
export const ASSIGNMENT: RegExp = new RegExp(
  [
    String.raw`(?<![\w.])([A-Za-z_][\w.-]{1,79})(?<=${SECRET_WORDS})`,
    String.raw`((?:\\{0,7}["'])?)([ \t]{0,4}(?:=>|[=:])[ \t]{0,4})`,
    String.raw`(\\{0,7}"[^"\n]{1,4096}"|\\{0,7}'[^'\n]{1,4096}'|[^\s"',;&|<>(){}[\]]{1,4096})`,
  ].join(""),
  "gi",
);

/** What must be in a text for anything in it to be hidden; two, because letters of either case are looked for more slowly. */
export const SIGNS: readonly RegExp[] = [false, true].map((anyCase) => {
  const signs = SHAPES.filter(({ pattern }) => pattern.ignoreCase === anyCase).map(({ sign }) => sign);
  const named = String.raw`(?:${SECRET_WORDS})(?:\\{0,7}["'])?[ \t]{0,4}[=:]`;
  return new RegExp([...signs, anyCase ? named : KEY_BLOCK].join("|"), anyCase ? "gi" : "g");
});

/** A value between its quotes, as they were written. */
export function unquoted(value: string): { open: string; bare: string; close: string } {
  const open = /^\\*["']/.exec(value)?.[0] ?? "";
  const close = open === "" ? "" : (/\\*["']$/.exec(value.slice(open.length))?.[0] ?? "");
  return { open, bare: value.slice(open.length, value.length - close.length), close };
}

/** Whether what stands after a secret-looking name is a secret itself, or only points at one. */
export function isSecretValue(joint: string, value: string): boolean {
  const { open, bare } = unquoted(value);
  if (bare.length < 4 || bare.includes("[redacted:")) return false;
  // References, placeholders and words of a language are not secrets.
  if (/^(?:\$|%|<|\{\{|\*{3,}|\.{3}|x{4,}$|process\.env|os\.environ|env\.)/i.test(bare)) return false;
  if (/^(?:dummy|fake|example|placeholder|change-?me|your[_-][\w-]{1,40})$/i.test(bare)) return false;
  if (/^(?:true|false|null|none|undefined|string|number|required|optional)$/i.test(bare)) return false;
  if (open !== "") return !/\s/.test(bare) || /=/.test(joint);
  // Without quotes only the form of the shell is sure; in prose and in code a word after a colon is a word.
  if (joint === "=") return true;
  return bare.length >= 8 && /\d/.test(bare) && /[A-Za-z]/.test(bare);
}
