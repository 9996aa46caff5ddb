import { isLetterSoup, isOddCase } from "./letters.ts";
import { isLikely, isStriking } from "./near.ts";
import { isJumbled, isLabel, isPassword, isPlaceholder, isRandom, isTechnical } from "./values.ts";

/** A secret that is recognised only by the text around it. */
export interface SecretContext {
  kind: string;
  /** Literal texts in lower case, one of which, in any case, begins every match of the pattern. */
  signs: readonly string[];
  /** Matched where a sign begins; the group `secret` is what is hidden. */
  pattern: RegExp;
  accept?: (secret: string) => boolean;
}

const isRealValue = (value: string): boolean => !isPlaceholder(value);
export const CONTEXTS: readonly SecretContext[] = [
  {
    kind: "authorization",
    signs: ["authorization"],
    pattern:
      /authorization\\{0,7}["']?(?:[ \t]{0,4}(?:[=:,]|=>)[ \t]{0,4}|[ \t]{1,4})\\{0,7}["'`]?(?:(?:basic|bearer|token|digest|apikey|api-key|negotiate|ntlm|ssws|jwt|key)[ \t=\\]{1,4})(?!\w{1,40}=\\{0,7}["']\w)(?<secret>[^\s"'`,;\\]{6,4000})/diy,
    accept: (value) => isRealValue(value) && (/[\d+/=_-]|[a-z][A-Z]/.test(value) || isLetterSoup(value)),
  },
  {
    kind: "authorization",
    signs: ["authorization"],
    pattern:
      /(?<![A-Za-z])authorization\\{0,7}["']?[ \t]{0,4}[=:][ \t]{0,4}\\{0,7}["'`]?(?<secret>[^\s"'`,;\\]{12,4000})/diy,
    accept: (value) =>
      isRealValue(value) &&
      !/^(?:AWS4-|Digest|OAuth|Signature|Bearer|Basic|\w+=.)/i.test(value) &&
      (isRandom(value) || isPassword(value) || isLetterSoup(value)),
  },
  // Any other scheme: `Authorization: GenieKey …`
  {
    kind: "authorization",
    signs: ["authorization"],
    pattern:
      /authorization\\{0,7}["']?[ \t]{0,4}[:=,][ \t]{0,4}\\{0,7}["'`]?[a-z][a-z-]{2,24}[ \t]{1,4}(?<secret>[\w.~+/=-]{16,4000})(?=["'`\s\\,]|$)/diy,
    accept: (value) => isRealValue(value) && (isRandom(value) || isLetterSoup(value)),
  },
  {
    kind: "bearer",
    signs: ["bearer"],
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
    pattern:
      /login[ \t\n]{1,8}(?!(?:and|or|style|with|name|for)\s)[^\s]{1,100}[ \t\n]{1,8}(?:password|passwd)[ \t\n]{1,8}(?<secret>[^\s"'\\]{3,200})/diy,
    accept: isRealValue,
  },
  {
    kind: "netrc",
    signs: ["machine "],
    pattern: /machine[ \t]{1,8}[\w.:-]{1,200}[ \t\n]{1,8}password[ \t\n]{1,8}(?<secret>[^\s"'\\]{3,200})/diy,
    accept: isRealValue,
  },
  // `host:5432:database:name:word`, each of which but the last may be `*`
  {
    kind: "pgpass",
    signs: [":5432:", ":5433:", ":6432:", ":*:"],
    pattern: /:(?:5432|5433|6432|\*):[^\s:/]{1,64}:[^\s:/]{1,64}:(?<secret>[^\s:"'/]{3,200})/diy,
    accept: isRealValue,
  },
  // Any program: `-u name -p word`, `-u name:word`
  {
    kind: "cli-password",
    signs: [" -u ", " --user ", " --user=", " --username ", " --username=", " -l "],
    pattern:
      / (?:-[ul]|--user(?:name)?)[ =]["']?[\w.@\\+-]{1,60}(?:["']?[ \t](?:(?!mkdir|install|ssh|scp|cp )[^\n|;&]){0,120}?(?<=[ \t])(?:-p|-P|-w|-pw|--pass)[ =]["']?|:)(?<secret>[^\s"'\\@]{6,100})(?=["'@\s\\]|$)/diy,
    accept: (value) => isRealValue(value) && isLikely(value),
  },
  // `connect("host", "name", "word", "database")`
  {
    kind: "login",
    signs: ["connect("],
    pattern:
      /connect\((?:[ \t]{0,4}["'][^"'\n]{1,80}["'][ \t]{0,4},){2}[ \t]{0,4}["'](?<secret>[^"'\s]{6,200})["'][ \t]{0,4}[,)]/diy,
    accept: (value) => isRealValue(value) && isPassword(value),
  },
  // `connect("name", "word", "host")`, `connect($dsn, "name", "word")`
  {
    kind: "login",
    signs: ["connect("],
    pattern:
      /connect\((?:[ \t]{0,4}[$@]?\w[\w.>-]{0,60}[ \t]{0,4},)?[ \t]{0,4}["'][^"'\n]{1,80}["'][ \t]{0,4},[ \t]{0,4}["'](?<secret>[^"'\s]{6,200})["'][ \t]{0,4}[,)]/diy,
    accept: (value) => isRealValue(value) && isLikely(value),
  },
  // A name and a word before the number of a machine: `corp/mira:word@10.0.0.5`
  {
    kind: "login",
    signs: ["@10.", "@192.", "@172.", "@127.", "@localhost"],
    pattern: /(?<=[\w.-]{1,40}:(?<secret>[^\s:@"'/<>(){}]{6,100}))@(?:\d{1,3}(?:\.\d{1,3}){3}|localhost\b)/dy,
    accept: (value) => isRealValue(value) && isLikely(value),
  },
  // Any program: `-p word`
  {
    kind: "cli-password",
    signs: [" -p ", " -w ", " --pass "],
    pattern: / (?:-[pPw]|--pass) ["']?(?<secret>[^\s"'\\]{8,100})(?=["'\s\\]|$)/diy,
    accept: (value) => isRealValue(value) && isStriking(value),
  },
  // A key in Base64, whatever it is the key of: `key = …=`
  {
    kind: "secret",
    signs: ["key = ", "key: ", "key=", 'key": "', 'key":"', 'encrypt": "', 'encrypt":"', 'encrypt = "'],
    pattern:
      /(?<![\w-])(?:key|encrypt)\\{0,7}["']?[ ]?[:=] ?\\{0,7}["']?(?<secret>(?!AAAA|MI[GI])[A-Za-z0-9+/]{38,120}={1,2})(?=\\{0,7}["']|[\s,;)]|$)/diy,
    accept: isRandom,
  },
  // `<auth-user-pass>`, a name and a word on lines of their own
  {
    kind: "login",
    signs: ["<auth-user-pass>", "<http-proxy-user-pass>"],
    pattern: /<[\w-]{1,20}-user-pass>\s{1,4}[^\s<]{1,100}\s{1,4}(?<secret>[^\n<]{1,200}?)\s{1,4}<\//diy,
    accept: isRealValue,
  },
  // The key of a name server: `hmac-sha256:name:key`, `key name key`
  {
    kind: "secret",
    signs: ["hmac-", "key "],
    pattern:
      /(?<![\w-])(?:hmac-(?:md5|sha\d{1,3}):[\w.-]{1,80}:|key [\w.-]{1,80} )["']?(?<secret>[A-Za-z0-9+/]{20,120}={1,2})(?=["'\s]|$)/diy,
    accept: isRandom,
  },
  // Credentials of a program in JSON: `{"username": "mira", "key": "…"}`
  {
    kind: "secret",
    signs: ['"username'],
    pattern:
      /"username\\{0,7}"[ ]?: ?\\{0,7}"[^"{}]{1,80}"[^{}"]{1,8}"(?:key|api_?key|token)\\{0,7}"[ ]?: ?\\{0,7}"(?<secret>[\w.+/=-]{16,200})/diy,
    accept: (value) => isRealValue(value) && isRandom(value),
  },
  // Groups of four letters, as Google and Apple make passwords for programs.
  {
    kind: "password",
    signs: ["password: ", "password:", "password ", "password=", "passwort: ", 'password": "'],
    pattern: /passwor[dt]\\{0,7}["']?(?: is|:|=| )[ ]?\\{0,7}["'`]?(?<secret>[a-z]{4}(?:[ -][a-z]{4}){3})(?![\w-])/diy,
    accept: (value) => isLetterSoup(value.replaceAll(/[ -]/g, "")),
  },
  // Codes that stand in for a second factor, one on each line.
  {
    kind: "code",
    signs: ["recovery code", "backup code", "emergency code", "scratch code"],
    pattern:
      /(?:recovery|backup|emergency|scratch) codes?[^\n:]{0,40}:[ \t]{0,4}(?:\r?\n|\\n)?(?<secret>(?:[ \t]{0,8}(?:[-*] |\d{1,2}[.)] )?(?=[a-z0-9-]*\d)[a-z0-9]{4,12}(?:[ -][a-z0-9]{4,12}){0,4}(?:\r?\n|\\n|,|$)){1,30})/diy,
  },
  // The stream that whoever knows its address may send to: `rtmp://host/app/key`
  {
    kind: "stream-key",
    signs: ["rtmp://", "rtmps://"],
    pattern: /rtmps?:\/\/[^\s"'/]{1,100}\/[\w-]{1,40}\/(?<secret>[\w?=&-]{10,200})/diy,
    accept: (value) => /\d/.test(value),
  },
  // The key of a signature: `jwt.sign(payload, "word")`, `createHmac("sha256", "word")`
  {
    kind: "secret",
    signs: ["jwt.sign(", "jwt.verify(", "jwt.encode(", "jwt.decode(", "createhmac("],
    pattern:
      /(?:jwt\.(?:sign|verify|encode|decode)|createHmac)\([^,\n]{1,160},[ \t]{0,4}b?["'`](?<secret>[^"'`\n]{6,400})["'`]/diy,
    accept: (value) => isRealValue(value) && !isTechnical(value) && !isLabel(value),
  },
  // `echo word > .vault_pass`
  {
    kind: "cli-password",
    signs: ["echo ", "printf "],
    pattern:
      /(?:echo|printf)[ \t]+(?:-[neE]+[ \t]+)?["']?(?<secret>[^\s"'|;&`$<>]{6,200})["']?[ \t]*>>?[ \t]*["']?[\w./~-]{0,100}(?:pass|secret|token|pwd|cred|_key|\.key)[\w.-]{0,40}/diy,
    accept: (value) => isRealValue(value) && (isPassword(value) || isLetterSoup(value)),
  },
  // `GIT_ASKPASS='echo word'`
  {
    kind: "cli-password",
    signs: ["askpass='echo ", 'askpass="echo ', "askpass='printf "],
    pattern: /askpass=["'](?:echo|printf)[ \t](?<secret>[^\s"']{4,200})["']/diy,
    accept: isRealValue,
  },
  // The network of a QR code: `WIFI:T:WPA;S:Home;P:word;;`
  {
    kind: "password",
    signs: ["wifi:"],
    pattern: /wifi:(?:[TSHR]:[^;\n]{0,60};){1,4}P:(?<secret>[^;\n]{4,100});/diy,
    accept: isRealValue,
  },
  // SQL Server: `OPENROWSET('provider', 'host';'name';'word', …)`, `sp_addlinkedsrvlogin 'server', 'false', NULL, 'name', 'word'`
  {
    kind: "sql-password",
    signs: ["openrowset(", "opendatasource(", "sp_addlinkedsrvlogin "],
    pattern:
      /(?:openrowset\([^\n]{1,80}?';[ ]?'[^'\n]{1,60}';[ ]?'|sp_addlinkedsrvlogin (?:[^,\n]{1,80},[ ]?){4}N?')(?<secret>[^'\n]{4,100})'/diy,
    accept: isRealValue,
  },
  // CVS: `:pserver:name:word@host`
  {
    kind: "url-password",
    signs: [":pserver:"],
    pattern: /:pserver:[^\s:@]{1,60}:(?<secret>[^\s:@]{3,100})@/diy,
    accept: isRealValue,
  },
  // Devices of a network: `radius-server host 10.0.0.1 key word`
  {
    kind: "password",
    signs: [" key "],
    pattern:
      / key (?:\d )?(?<secret>[^\s"'=:;,.()]{4,100})(?=[ \t]*(?:\r?\n|$))(?<=(?:^|\n)[ \t]{0,8}(?:radius|tacacs|server|address|crypto|aaa|ntp|ike)[\w -]{0,20}[^\n]{0,100})/diy,
    accept: (value) => isRealValue(value) && (isPassword(value) || isLetterSoup(value)),
  },
  // `set_password name word`
  {
    kind: "cli-password",
    signs: [
      "set_password ",
      "set-password ",
      "change_password ",
      "change-password ",
      "reset_password ",
      "reset-password ",
    ],
    pattern:
      /(?:re)?(?:set|change)[_-]password[ \t]{1,4}["']?[\w.@-]{1,60}["']?[ \t]{1,4}["']?(?<secret>[^\s"'\\-][^\s"'\\]{3,100})["']?(?=\s*(?:\n|$)|[|;&"'])/diy,
    accept: (value) => isRealValue(value) && (isPassword(value) || isLetterSoup(value)),
  },
  // A field of a section or an object about keys: `"Jwt": {"Key": "…"}`
  {
    kind: "secret",
    signs: ['key": "', 'key":"', 'key: "', "key: '", 'key = "', 'master = "', 'master: "'],
    pattern:
      /(?=\w{3,6}"?[ ]?[:=] ?["'][^"'\s]{16})(?<=(?:jwt|crypt|cipher|auth|secret|tokens?|sign|hmac|session|cookie|api|aes|vpn|wireguard)\w{0,10}["']?[ \t]{0,4}(?:[:=]|=>)?\s{0,4}(?:[{[]|\n)\s{0,24}(?:[^{}\n]{0,80}[,\n]\s{0,24}){0,2}["']?)(?:key|master)"?[ ]?[:=] ?["'](?<secret>[^"'\s]{16,400})["']/diy,
    accept: (value) => isRealValue(value) && (isRandom(value) || isLetterSoup(value)),
  },
  // Accounts of a chain: `accounts: ["0x…"]`, `new Wallet("0x…")`
  {
    kind: "private-key",
    signs: [
      "accounts: [",
      "accounts:[",
      "accounts = [",
      'accounts": [',
      'accounts":[',
      "privatekeytoaccount(",
      "wallet(",
    ],
    pattern:
      /(?:accounts"?[ ]?[:=] ?\[\s{0,20}|privateKeyToAccount\(|wallet\()["'`](?<secret>(?:0x)?[0-9a-f]{64})["'`]/diy,
  },
  // `cohere.Client("…")`
  {
    kind: "secret",
    signs: ["client(", "sdk("],
    pattern: /(?:client|sdk)\([ \t]{0,4}["'`](?<secret>[\w-]{20,200})["'`][ \t]{0,4}[,)]/diy,
    accept: (value) => isRealValue(value) && isRandom(value),
  },
  // Postfix: `[smtp.example.org]:587 name@example.org:word`
  {
    kind: "login",
    signs: ["]:587 ", "]:465 ", "]:25 ", "]:2525 ", "]:587\t", "static:"],
    pattern: /(?:\]:\d{2,4}[ \t]{1,8}|static:)[\w.@+-]{1,100}:(?<secret>[^\s:"'{}()]{4,200})(?=\s|$)/diy,
    accept: isRealValue,
  },
  // HAProxy: `stats auth name:word`
  {
    kind: "login",
    signs: ["stats auth "],
    pattern: /stats auth[ \t]{1,4}[^\s:]{1,100}:(?<secret>[^\s"']{3,200})/diy,
    accept: isRealValue,
  },
  // Redis: `user worker on >word ~*`, `sentinel auth-pass name word`
  {
    kind: "password",
    signs: [" on >"],
    pattern: /(?<=user[ \t]{1,4}[^\s]{1,60}) on >(?<secret>[^\s"'\\]{3,200})/diy,
    accept: isRealValue,
  },
  {
    kind: "password",
    signs: ["auth-pass "],
    pattern: /auth-pass[ \t]{1,4}[\w.-]{1,60}[ \t]{1,4}(?<secret>[^\s"'\\]{3,200})/diy,
    accept: isRealValue,
  },
  {
    kind: "password",
    signs: ["auth "],
    pattern:
      /(?<=(?:^|\n|> ))AUTH[ \t]{1,4}(?:[\w.-]{1,40}[ \t]{1,4})?\\{0,7}["']?(?<secret>[^\s"'\\]{6,400})(?=["'\\]|\s|$)/dy,
    accept: (value) => isRealValue(value) && (isPassword(value) || isLetterSoup(value) || isOddCase(value)),
  },
  // As Redis is sent it: the length before each word.
  {
    kind: "password",
    signs: ["auth\r\n$", "auth\\r\\n$"],
    pattern:
      /(?<=\$4(?:\r\n|\\{1,3}r\\{1,3}n))AUTH(?:(?:\r\n|\\{1,3}r\\{1,3}n)\$\d{1,4}(?:\r\n|\\{1,3}r\\{1,3}n)[^\s\\]{1,400}(?=[^$]{1,8}\$))?(?:\r\n|\\{1,3}r\\{1,3}n)\$\d{1,4}(?:\r\n|\\{1,3}r\\{1,3}n)(?<secret>[^\s\\]{3,400})/diy,
    accept: isRealValue,
  },
  // Of Redis with a name; SMTP has mechanisms in capitals there.
  {
    kind: "password",
    signs: ["auth "],
    pattern:
      /(?<=(?:^|\n|> ))AUTH[ \t]{1,4}[a-z][\w.-]{1,40}[ \t]{1,4}(?<secret>[^\s"'\\]{4,400})(?=[ \t]*(?:\r?\n|$))/dy,
    accept: isRealValue,
  },
  // What a command prints: `--password-file <(echo word)`, `--password-command 'echo word'`
  {
    kind: "cli-password",
    signs: ["<(echo ", "<(printf ", "command 'echo ", 'command "echo ', "command='echo ", "pass 'echo ", 'pass "echo '],
    pattern:
      /(?<=(?:pass|secret|token|key|cred|auth)[^\n]{0,40})(?:<\(|(?:command|pass)[ =]["'])(?:echo|printf)[ \t]{1,4}(?:-[neE]{1,3}[ \t]{1,4})?["']?(?:%s(?:\\n)?["']?[ \t]{1,4}["']?)?(?<secret>[^"')]{3,200}?)["']?(?=["')])/diy,
    accept: isRealValue,
  },
  // SNMP: `createUser name SHA "word" AES`, `snmp-server community word RO`, `com2sec name source word`
  {
    kind: "password",
    signs: ["createuser "],
    pattern:
      /createuser[ \t]{1,4}[\w.-]{1,60}[ \t]{1,4}(?:SHA|MD5)[\w-]{0,4}[ \t]{1,4}["']?(?<secret>[^\s"'\\]{3,200})/diy,
    accept: isRealValue,
  },
  {
    kind: "password",
    signs: ["snmp-server community ", "rocommunity", "rwcommunity", "com2sec "],
    pattern:
      /(?:snmp-server community|r[ow]community6?|com2sec6?[ \t]{1,8}[\w-]{1,40}[ \t]{1,8}[\w./:-]{1,60})[ \t]{1,8}["']?(?<secret>[^\s"'\\]{4,64})["']?(?=[ \t]{1,4}(?:default|RO|RW|ro|rw|[\d.]{7,18})\b|[ \t]{0,4}(?:\r?\n|$))/diy,
    accept: (value) => isRealValue(value) && !/^(?:public|private)$/.test(value),
  },
  // strongSwan: `name : EAP "word"`
  {
    kind: "password",
    signs: [": eap ", ": xauth ", ": ntlm "],
    pattern: /: (?:EAP|XAUTH|NTLM)[ \t]{1,4}["'](?<secret>[^"'\n]{3,200})["']/dy,
    accept: isRealValue,
  },
  // Java and Arduino: `"word".toCharArray()`, `WiFi.begin("name", "word")`
  {
    kind: "password",
    signs: ['".tochararray('],
    pattern: /(?<="(?<secret>[^"\s]{4,100}))"\.toCharArray\(/dy,
    accept: (value) => isRealValue(value) && (isPassword(value) || isLetterSoup(value) || isOddCase(value)),
  },
  {
    kind: "password",
    signs: ["wifi.begin("],
    pattern: /wifi\.begin\([^,\n]{1,80},[ \t]{0,4}["'](?<secret>[^"'\n]{4,100})["']/diy,
    accept: isRealValue,
  },
  // Go: `root:word@tcp(db:3306)/shop`
  {
    kind: "url-password",
    signs: ["@tcp(", "@unix("],
    pattern: /(?<=[\w.-]{1,40}:(?<secret>[^\s:"'/]{3,100}))@(?:tcp|unix)\(/dy,
    accept: isRealValue,
  },
  // Bots: `client.login("token")`
  {
    kind: "login",
    signs: [".login(", "bot.run(", "client.run("],
    pattern:
      /(?:\.login|bot\.run|client\.run)\([ \t]{0,4}\\{0,7}["'](?<secret>[^"'\n\\]{10,200})\\{0,7}["'][ \t]{0,4}\)/diy,
    accept: (value) => isRealValue(value) && (isRandom(value) || isJumbled(value) || isLetterSoup(value)),
  },
  // `btoa("name:word")`, `echo -n name:word | base64`
  {
    kind: "login",
    signs: ["btoa(", "encode(", "tobase64string(", "getbytes(", "base64_encode(", "| base64", "<<< ", "buffer.from("],
    pattern:
      /(?:(?:btoa|b64_?encode|base64_encode|encodeToString|toBase64String|GetBytes|Buffer\.from)\([ \t]{0,4}[bf]?["'`][\w.@+-]{1,60}:|(?<=(?:echo|printf)[ \t][^\n|;]{0,20}[\w.@+-]{1,60}:(?<piped>[^\s"'|:]{4,100})["']?[ \t]?)\| base64|<<<[ \t]{0,4}["']?[\w.@+-]{1,60}:)(?<secret>[^\s"'`)|]{4,200})/diy,
    accept: isRealValue,
  },
  // `your verification code is 123456`
  {
    kind: "code",
    signs: [
      "pin:",
      "pin ",
      "pin=",
      'pin"',
      "pin-code",
      "пин-код",
      "otp:",
      "otp ",
      "otp=",
      "passcode",
      "code is ",
      "code: ",
      "code=",
    ],
    pattern:
      /(?<![\w-])(?:pin(?:-code)?|пин-код|otp|passcode|(?<=(?:one-?time|verification|security|2fa|mfa|totp|auth(?:entication|enticator)?|login|backup|recovery|confirmation|sms|access|reset)[ -])code)(?:[ \t][^\s:=]{1,12}){0,3}?["']?(?:[ \t](?:is|ist|est|es|è)|[ \t]?[:=])?[ \t]{0,4}["'`*]{0,2}(?<secret>(?<=[:=st"] {0,2}["'*]{0,2}|код )(?:\d{3}[ -]?\d{3}|\d{4}|\d{8}))(?![\w.,-]\w)/diy,
  },
  // What is given to a program: `echo word | program`, `"echo word"`
  {
    kind: "cli-password",
    signs: ["echo ", "printf "],
    pattern: /(?:echo|printf)[ \t]+(?:-[neE]+[ \t]+)?["']?(?<secret>[^\s"'|;&`$]{9,100})["']?(?=[ \t]*\||["')])/diy,
    accept: (value) => isRealValue(value) && isStriking(value),
  },
  // A private key in XML: `<D>…</D>`
  {
    kind: "private-key",
    signs: ["<d>", "<p>", "<q>", "<dp>", "<dq>", "<inverseq>"],
    pattern: /<(?:D|P|Q|DP|DQ|InverseQ)>\s{0,40}(?<secret>[A-Za-z0-9+/=\s]{40,2000})<\//dy,
  },
  // The answer to `Password:` in Base64, as SMTP asks for it.
  {
    kind: "login",
    signs: ["334 ugfzc3dvcmq6"],
    pattern: /334 UGFzc3dvcmQ6\s{1,4}(?:[>C]:?[ \t]{1,4})?(?<secret>[A-Za-z0-9+/]{4,200}={0,2})/dy,
  },
  // Binding to a directory: `bind("cn=admin,dc=example", "word")`
  {
    kind: "login",
    signs: ["bind(", "bind_s(", "sp_addlogin ", "sp_password "],
    pattern:
      /(?:bind(?:_s)?\([ \t]{0,4}(?:[$@]?\w[\w.>-]{0,60}[ \t]{0,4},[ \t]{0,4})?\\{0,7}["'](?=[^"'\n]{0,100}(?:cn|uid|dc|ou)=)|sp_addlogin[ \t]{1,4}N?'|sp_password[ \t]{1,4}N?')[^"'\n]{1,200}["'],[ \t]{0,4}N?\\{0,7}["'](?<secret>[^"'\n\\]{3,200})/diy,
    accept: isRealValue,
  },
  // sbt: `Credentials("realm", "host", "name", "word")`
  {
    kind: "login",
    signs: ["credentials("],
    pattern: /credentials\((?:[ \t]{0,4}"[^"\n]{1,100}"[ \t]{0,4},){3}[ \t]{0,4}"(?<secret>[^"\n]{3,200})"/diy,
    accept: isRealValue,
  },
  // In prose: `the password is …`.
  {
    kind: "password",
    signs: ["password ", "passwort ", "passwd "],
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
    signs: ["secret ", "password ", "passphrase ", "token ", "api key ", "access key ", "private key "],
    pattern:
      /(?:secret|password|passphrase|token|(?:api|access|secret|private) key)[ \t]{1,2}(?:is[ \t])?["'`]?(?<secret>[\w+/.~-]{20,200}={0,2})(?![\w+/])/diy,
    accept: (value) => isRealValue(value) && isRandom(value) && !/^[a-f0-9-]+$/.test(value),
  },
  // The secret half of an AWS key pair has no prefix of its own, but is usually named together with the other half.
  {
    kind: "aws-secret",
    signs: ["akia", "asia"],
    pattern: /A[KS]IA[A-Z0-9]{16}(?![A-Z0-9])[^\n]{1,60}?(?<![\w/+])(?<secret>[A-Za-z0-9/+]{40})(?![\w/+=])/dy,
    accept: (value) => /[a-z]/.test(value) && /[A-Z]/.test(value) && /\d/.test(value),
  },
  {
    kind: "seed-phrase",
    signs: ["mnemonic", "seed phrase", "recovery phrase"],
    pattern:
      /(?:mnemonic|seed phrase|recovery phrase)\\{0,7}["']?[ \t]{0,4}(?:is|[=:])[ \t]{0,4}\\{0,7}["']?(?<secret>(?:[a-z]{3,8} ){11,23}[a-z]{3,8})/diy,
  },
  {
    kind: "cli-password",
    signs: ["--from-literal"],
    pattern: /--from-literal[= ][\w.-]{1,80}=["']?(?<secret>[^\s"'\\]{4,400})/diy,
    accept: isRealValue,
  },
  // HTTPie: its name begins every address, so its option is searched for.
  {
    kind: "cli-password",
    signs: [" -a ", " --auth", " -a="],
    pattern:
      /(?<=\b(?:https?|xh)(?:[ \t][^\n|;&]{0,200})?) (?:-a|--auth)[ \t=]{1,2}["']?[^\s:"'=]{1,100}:(?<secret>[^\s"'\\]{3,200})/diy,
    accept: isRealValue,
  },
  // A command of lftp, whose name is a common word.
  {
    kind: "cli-password",
    signs: ["open -u "],
    pattern: /open -u ["']?[^\s,"']{1,100},(?<secret>[^\s"'\\]{3,200})/diy,
    accept: isRealValue,
  },
  // SQL: `IDENTIFIED BY 'word'`, `CREATE USER … IDENTIFIED WITH plugin BY 'word'`.
  {
    kind: "sql-password",
    signs: ["identified "],
    pattern:
      /(?<=(?:user|role|grant|to|if not exists)\b[^\n;]{0,120})identified[ \t]{1,4}(?:(?:with|via)[ \t]{1,4}["'`]?\w{1,40}["'`]?[ \t]{1,4})?(?:by|as|using)[ \t]{1,4}(?:password[ \t]{1,4})?\\{0,7}["'](?<secret>[^"'\n\\]{3,200})["'\\]/diy,
    accept: (value) => isRealValue(value) && !isLabel(value),
  },
  {
    kind: "sql-password",
    signs: ["identified by "],
    pattern:
      /(?<=(?:user|role|grant|to)\b[^\n;]{0,120})identified by[ \t]{1,4}(?<secret>[^\s"'`;]{4,200})(?=[\s;]|$)/diy,
    accept: (value) => isRealValue(value) && (/\d/.test(value) || isLetterSoup(value)),
  },
  // A whole statement: what follows is no word of a sentence.
  {
    kind: "sql-password",
    signs: ["identified by "],
    pattern:
      /(?<=(?:^|[\n;"'`>] {0,40})(?:create|alter) user (?:if (?:not )?exists )?["'`]?[\w$#.@%-]{1,60}["'`]? )identified by[ \t]{1,4}(?!values|password|random)(?<secret>[^\s"'`;]{4,200})(?=[\s;]|$)/diy,
    accept: isRealValue,
  },
  {
    kind: "sql-password",
    signs: ["pragma key", "pragma rekey", "pgp_sym_", "crypt('", " key '"],
    pattern:
      /(?:(?<=attach\b[^\n;]{0,120}) key |pragma (?:re)?key[ \t]{0,4}=[ \t]{0,4}|pgp_sym_(?:en|de)crypt(?:_bytea)?\([^,\n]{1,200},[ \t]{0,4}|crypt\((?=[^,\n]{1,100},[ \t]{0,4}gen_salt))\\{0,7}["'](?:x')?(?<secret>[^"'\n\\]{3,200})/diy,
    accept: isRealValue,
  },
  {
    kind: "url-password",
    signs: ["jdbc:oracle:thin:"],
    pattern: /jdbc:oracle:thin:[^\s/:@]{1,60}\/(?<secret>[^\s@]{3,200})@/diy,
  },
  // Calls with a name and a password: `login("mira", "word")`, and with an address before them.
  {
    kind: "login",
    signs: [
      "basicauth(",
      "basic_auth(",
      "credential(",
      "credentials(",
      "passwordauthentication(",
      ".login(",
      "auth=(",
      "auth = (",
      ".authenticate(",
      ".auth(",
    ],
    pattern:
      /[\w.]{1,30}[ =]{0,3}\([ \t\n]{0,8}(?:\\{0,7}["'][^"'\n]{1,80}["']|[A-Za-z_][\w.]{0,40})[ \t]{0,4},[ \t\n]{0,8}(?:Some\()?\\{0,7}(?<quote>["'`])(?<secret>[^"'`\n\\]{3,200})\\{0,7}\k<quote>[ \t]{0,4}[,)]/diy,
    accept: (value) => isRealValue(value) && !/^[\w-]+(?:\.[\w-]+)+(?:\/|$)/.test(value) && !isLabel(value),
  },
  // Without parentheses: `basic_auth "mira", "word"`
  {
    kind: "login",
    signs: ["basic_auth ", "authenticate "],
    pattern: /(?:basic_auth|authenticate) {1,2}["'][^"'\n]{1,80}["'], {0,2}["'](?<secret>[^"'\n]{3,200})["']/diy,
    accept: (value) => isRealValue(value) && !isLabel(value),
  },
  {
    kind: "login",
    signs: ["getconnection(", "mysqli_connect(", "mysqli(", "mysql_connect(", "pdo(", "mysql_pconnect("],
    pattern:
      /\w{1,20}\((?:[^,"'\n]{1,80}|[ \t]{0,4}["'][^"'\n]{1,200}["'][ \t]{0,4}),(?:[^,"'\n]{1,80}|[ \t]{0,4}["'][^"'\n]{1,80}["'][ \t]{0,4}),[ \t]{0,4}["'](?<secret>[^"'\n]{3,200})["']/diy,
    accept: isRealValue,
  },
  {
    kind: "cli-password",
    signs: ["securestring "],
    pattern: /securestring[ \t]{1,4}(?:-[a-z]{1,20}[ \t]{1,4}){0,3}(?:["'](?<secret>[^"'\n]{3,200})["'])/diy,
    accept: isRealValue,
  },
  // Scripts that answer a prompt: `send "word\r"`.
  {
    kind: "cli-password",
    signs: ["send "],
    pattern: /send[ \t]{1,4}(?:--[ \t])?\\{0,7}"(?<secret>[^"\\\s]{6,100})\\{1,4}[rn]\\{0,7}"/diy,
    accept: (value) => isRealValue(value) && (isPassword(value) || isLetterSoup(value)),
  },
  // The answer to a prompt for a password.
  {
    kind: "cli-password",
    signs: ["assword"],
    pattern:
      /assword[^\n"']{0,20}["'}][ \t]{0,4}(?:\n[ \t]{0,8}|;[ \t]{0,4}|\{[ \t\n]{0,8})(?:exp_)?send(?:_user)?[ \t]{1,4}(?:--[ \t])?\\{0,7}"(?<secret>[^"\\\s$]{3,100})\\{1,4}[rn]\\{0,7}"/diy,
    accept: isRealValue,
  },
  // IMAP: `a1 LOGIN name word`.
  {
    kind: "login",
    signs: [" login "],
    pattern: /(?<=(?:^|\n)[^\n]{0,8}\b[A-Za-z]{0,4}\d{1,5}) LOGIN [^\s]{1,100} \\{0,7}"?(?<secret>[^\s"\\]{3,200})/dy,
    accept: isRealValue,
  },
  // PuTTY private keys: the key is on the lines after this header.
  {
    kind: "private-key",
    signs: ["private-lines:"],
    pattern:
      /private-lines:[ \t]{0,4}\d{1,4}(?:\r?\n|\\{1,7}n)(?<secret>(?:[A-Za-z0-9+/=]{20,80}(?:\r?\n|\\{1,7}n)?){1,400})/diy,
  },
];
