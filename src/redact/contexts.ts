import type { Span } from "./named.ts";
import { isPassword, isPlaceholder, isRandom } from "./values.ts";

/** A secret that is recognised only by the text around it. */
export interface SecretContext {
  kind: string;
  /** Literal texts, one of which begins every match of the pattern. */
  signs: readonly string[];
  /** Matched where a sign begins; the group `secret` is what is hidden. */
  pattern: RegExp;
  accept?: (secret: string) => boolean;
}

/** The usual spellings of a header name: lower case, capitalised, upper case. */
function caseVariants(name: string): string[] {
  return [name, name.charAt(0).toUpperCase() + name.slice(1), name.toUpperCase()];
}

const isRealValue = (value: string): boolean => !isPlaceholder(value);
/** `user:password`: only the part after the colon is secret; without a colon there is no match. */
const LOGIN = String.raw`["']?[^\s:"'=]{1,100}:(?<secret>[^\s"'\\]{3,200})`;
/** The words between a program and its flag, within one command. */
const UP_TO = String.raw`(?:[^\n|;&]{0,200}?[ \t])?`;

export const CONTEXTS: readonly SecretContext[] = [
  // `https://user:password@host`: the user name stays. The password may contain `@` and `/`.
  {
    kind: "url-password",
    signs: ["://"],
    pattern: /:\/\/[^\s/:@?#"'<>\\]{0,100}:(?<secret>[^\s"'<>\\]{1,200})@(?=[\w[$-])/dy,
    accept: (value) =>
      !/^\d{0,5}(?:[/?#]|$)/.test(value) && isRealValue(value) && !value.includes("://") && /....|\d/.test(value),
  },
  // At the end of a truncated text the `@host` may be missing.
  {
    kind: "url-password",
    signs: ["://"],
    pattern: /:\/\/[^\s/:@?#"'<>\\]{0,100}:(?<secret>[^\s/@"'<>\\…]{1,200})(?=…?(?:$|[\n"]))/dy,
    accept: (value) => !/^\d+$/.test(value) && isRealValue(value),
  },
  { kind: "url-token", signs: ["://"], pattern: /:\/\/(?<secret>[\w.-]{20,300})@(?=[\w[-])/dy, accept: isRandom },
  {
    kind: "authorization",
    signs: caseVariants("authorization"),
    pattern:
      /authorization\\{0,7}["']?[ \t]{0,4}(?:[=:,]|=>)[ \t]{0,4}\\{0,7}["'`]?(?:(?:basic|bearer|token|digest|apikey|api-key|negotiate|ntlm|ssws|jwt|key)[ \t=]{1,4})(?<secret>[^\s"'`,;\\]{6,4000})/diy,
    accept: (value) => isRealValue(value) && /[\d+/=_-]|[a-z][A-Z]/.test(value),
  },
  {
    kind: "authorization",
    signs: caseVariants("authorization"),
    pattern:
      /(?<![A-Za-z])authorization\\{0,7}["']?[ \t]{0,4}[=:][ \t]{0,4}\\{0,7}["'`]?(?<secret>[^\s"'`,;\\]{12,4000})/diy,
    accept: (value) => isRealValue(value) && isRandom(value),
  },
  {
    kind: "bearer",
    signs: caseVariants("bearer"),
    pattern: /bearer(?:[ \t]{1,4}|%20|\+)(?<secret>[\w.~+/-]{16,4000}={0,2})/diy,
    accept: (value) => /\d/.test(value) && isRealValue(value) && !/^[a-z]+(?:[-_][a-z]+)*\d$/.test(value),
  },
  {
    kind: "docker-auth",
    signs: ['"auth'],
    pattern: /"auth\\{0,7}"[ \t]{0,4}:[ \t\n]{0,8}\\{0,7}"(?<secret>[A-Za-z0-9+/]{8,4000}={0,2})/diy,
    accept: isRealValue,
  },
  // `machine host login name password word`
  {
    kind: "netrc",
    signs: ["login"],
    pattern: /login[ \t\n]{1,8}[^\s]{1,100}[ \t\n]{1,8}(?:password|passwd)[ \t\n]{1,8}(?<secret>[^\s"'\\]{3,200})/diy,
    accept: isRealValue,
  },
  {
    kind: "netrc",
    signs: ["machine "],
    pattern: /machine[ \t]{1,8}[\w.:-]{1,200}[ \t\n]{1,8}password[ \t\n]{1,8}(?<secret>[^\s"'\\]{3,200})/diy,
    accept: isRealValue,
  },
  // `host:5432:database:name:word`
  {
    kind: "pgpass",
    signs: [":5432:"],
    pattern: /:5432:[^\s:]{1,64}:[^\s:]{1,64}:(?<secret>[^\s:"']{3,200})/diy,
    accept: isRealValue,
  },
  {
    kind: "sas-signature",
    signs: ["sig="],
    pattern: /sig=(?<secret>[\w%+/=-]{30,200})/diy,
    accept: (value) => /\d/.test(value),
  },
  // In prose: `the password is …`.
  {
    kind: "password",
    signs: [...caseVariants("password "), "Passwort ", "passwort ", "passwd "],
    pattern: /passw(?:or[dt]|d)[ \t]{1,2}(?:is|ist|=|lautet|to|was)[ \t]{1,2}["'`]?(?<secret>[^\s"'`,;]{6,100})/diy,
    accept: (value) =>
      isRealValue(value) &&
      isPassword(value) &&
      !/^[\w-]+\.$|^(?:base|sha|utf|md|aes|oauth)-?\d/i.test(value) &&
      /\d/.test(value),
  },
  // In prose without a verb: `secret 8hT…`, `api key: 8hT…`. Only random characters count, because words follow these too.
  {
    kind: "secret",
    signs: ["secret ", "password ", "passphrase ", "token ", "api key ", "access key ", "private key "].flatMap(
      caseVariants,
    ),
    pattern:
      /(?:secret|password|passphrase|token|(?:api|access|secret|private) key)[ \t]{1,2}(?:is[ \t])?["'`]?(?<secret>[\w+/.~-]{20,200}={0,2})(?![\w+/])/diy,
    accept: (value) => isRealValue(value) && isRandom(value) && !/^[a-f0-9-]+$/.test(value),
  },
  // The secret half of an AWS key pair has no prefix of its own, but is usually named together with the other half.
  {
    kind: "aws-secret",
    signs: ["AKIA", "ASIA"],
    pattern: /A[KS]IA[A-Z0-9]{16}(?![A-Z0-9])[^\n]{1,60}?(?<![\w/+])(?<secret>[A-Za-z0-9/+]{40})(?![\w/+=])/dy,
    accept: (value) => /[a-z]/.test(value) && /[A-Z]/.test(value) && /\d/.test(value),
  },
  {
    kind: "seed-phrase",
    signs: ["mnemonic", "Mnemonic", "MNEMONIC", "seed phrase", "Seed phrase", "recovery phrase", "Recovery phrase"],
    pattern:
      /(?:mnemonic|seed phrase|recovery phrase)\\{0,7}["']?[ \t]{0,4}(?:is|[=:])[ \t]{0,4}\\{0,7}["']?(?<secret>(?:[a-z]{3,8} ){11,23}[a-z]{3,8})/diy,
  },
  // One-letter flags that are passwords in these programs.
  {
    kind: "curl-user",
    signs: ["curl "],
    pattern: new RegExp(String.raw`curl[ \t]${UP_TO}(?:-u|--user|--proxy-user|-U)[ \t=]{0,2}${LOGIN}`, "diy"),
    accept: isRealValue,
  },
  {
    kind: "cli-password",
    signs: ["http ", "https ", "xh ", "wget "],
    pattern: new RegExp(String.raw`(?:https?|xh|wget)[ \t]${UP_TO}(?:-a|--auth)[ \t=]{1,2}${LOGIN}`, "diy"),
    accept: isRealValue,
  },
  {
    kind: "cli-password",
    signs: ["sshpass ", "login ", "mongo", "sqlcmd ", "mosquitto_", "zip ", "7z ", "smbclient ", "xfreerdp "],
    pattern: new RegExp(
      String.raw`(?:sshpass|login|mongo(?:sh|dump|restore|export|import)?|sqlcmd|mosquitto_(?:pub|sub)|zip|7z|smbclient|xfreerdp)[ \t]${UP_TO}(?:-[pP]|/p:)[ \t]{0,2}["']?(?<secret>[^\s"'-][^\s"'\\]{2,200})`,
      "diy",
    ),
    accept: isRealValue,
  },
  {
    kind: "cli-password",
    signs: ["mysql", "mariadb"],
    pattern: new RegExp(String.raw`(?:mysql|mariadb)[\w-]{0,12}[ \t]${UP_TO}-p["']?(?<secret>[^\s"'\\]{3,200})`, "dy"),
    accept: isRealValue,
  },
  {
    kind: "cli-password",
    signs: ["redis-cli "],
    pattern: new RegExp(String.raw`redis-cli[ \t]${UP_TO}-a[ \t]{1,2}["']?(?<secret>[^\s"'\\]{3,200})`, "diy"),
    accept: isRealValue,
  },
  {
    kind: "cli-password",
    signs: ["ldap"],
    pattern: new RegExp(
      String.raw`ldap(?:search|modify|add|delete|whoami|passwd)[ \t]${UP_TO}-w[ \t]{0,2}["']?(?<secret>[^\s"'\\]{3,200})`,
      "dy",
    ),
    accept: isRealValue,
  },
  {
    kind: "cli-password",
    signs: ["-pass"],
    pattern: /-pass(?:in|out|word)?[ \t=]{1,2}pass:(?<secret>[^\s"'\\]{3,200})/diy,
    accept: isRealValue,
  },
  {
    kind: "cli-password",
    signs: ["authtoken "],
    pattern: /authtoken[ \t]{1,2}["']?(?<secret>[\w.:-]{16,200})/diy,
    accept: (value) => isRealValue(value) && /\d/.test(value),
  },
  {
    kind: "cli-password",
    signs: ["--from-literal"],
    pattern: /--from-literal[= ][\w.-]{1,80}=["']?(?<secret>[^\s"'\\]{4,400})/diy,
    accept: isRealValue,
  },
  {
    kind: "cli-secret",
    signs: ["set aws_secret", "secret set", "secrets set"],
    pattern: new RegExp(
      String.raw`(?:set aws_secret_access_key|secrets? set[ \t]${UP_TO}(?:-b|--body|--value))[ \t=]{1,2}["']?(?<secret>[^\s"'\\]{6,400})`,
      "diy",
    ),
    accept: isRealValue,
  },
  // PuTTY private keys: the key is on the lines after this header.
  {
    kind: "private-key",
    signs: ["Private-Lines:"],
    pattern:
      /private-lines:[ \t]{0,4}\d{1,4}(?:\r?\n|\\{1,7}n)(?<secret>(?:[A-Za-z0-9+/=]{20,80}(?:\r?\n|\\{1,7}n)?){1,400})/diy,
  },
];

/** `Cookie: a=b; c=d`, and the same as an option of curl. */
export const COOKIES: readonly { signs: readonly string[]; pattern: RegExp }[] = [
  {
    signs: caseVariants("cookie"),
    pattern: /cookies?\\{0,7}["']?[ \t]{0,4}[:=][ \t]{0,4}\\{0,7}["']?(?<pairs>[^\n"'\\]+)/iy,
  },
  { signs: ["-b ", "--cookie"], pattern: /(?:-b|--cookie)[ \t=]{1,2}["']?(?<pairs>[^\n"']{1,8000})/iy },
];
const ATTRIBUTE = /^(?:path|domain|expires|max-age|samesite|version|priority|comment)$/i;

/** The values of cookies, without attributes such as `path` and `expires`, and where the list of cookies ends. */
export function cookieSecrets(text: string, at: number, pattern: RegExp): { found: Span[]; end: number } {
  pattern.lastIndex = at;
  const pairs = pattern.exec(text)?.groups?.["pairs"];
  if (pairs === undefined) return { found: [], end: at + 1 };
  const from = pattern.lastIndex - pairs.length;
  const found = [...pairs.matchAll(/([\w.$-]{1,100})=([^;,\s]{6,4096})/g)].flatMap((pair) => {
    const [, name = "", value = ""] = pair;
    if (ATTRIBUTE.test(name) || isPlaceholder(value) || !/\d|%/.test(value)) return [];
    const start = from + pair.index + name.length + 1;
    return [{ start, end: start + value.length, kind: "cookie" }];
  });
  return { found, end: pattern.lastIndex };
}
