/**
 * Made-up secrets of every kind a session may contain, each in a typical text. None is real: each is drawn from a
 * seeded generator and assembled at run time, so that secret scanners do not report this file.
 */
export interface Planted {
  kind: string;
  text: string;
  secret: string;
}

const UPPER = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
const LOWER = UPPER.toLowerCase();
const DIGITS = "0123456789";
const ALPHA = UPPER + LOWER + DIGITS;
const HEX = `${DIGITS}abcdef`;

export function plantedSecrets(seed: number): Planted[] {
  let state = seed >>> 0 || 1;
  const next = (below: number): number => {
    // xorshift: the same on every machine.
    state ^= state << 13;
    state >>>= 0;
    state ^= state >>> 17;
    state ^= state << 5;
    state >>>= 0;
    return state % below;
  };
  const of = (alphabet: string, length: number): string => {
    for (;;) {
      const text = Array.from({ length }, () => alphabet.charAt(next(alphabet.length))).join("");
      // Draws without a digit or without a letter are discarded: real secrets almost never look like that.
      const isMixed = [/\d/, /[A-Za-z]/].every((one) => !one.test(alphabet) || one.test(text));
      if (length < 8 || isMixed) return text;
    }
  };
  const a = (n: number): string => of(ALPHA, n);
  const h = (n: number): string => of(HEX, n);
  const w = (n: number): string => of(`${ALPHA}_-`, n - 1) + of(ALPHA, 1);
  const d = (n: number): string => of(DIGITS.slice(1), n);
  const uuid = (): string => [h(8), h(4), h(4), h(4), h(12)].join("-");
  const password = (): string => `${of(LOWER, 4)}${d(2)}${of("!#%*+", 1)}${a(4)}`;
  const b64 = (text: string): string => Buffer.from(text).toString("base64");
  const key = (type: string): string =>
    ["-----BEGIN ", type, "PRIVATE KEY-----\n", a(64), "\n", a(64), "\n-----END ", type, "PRIVATE KEY-----"].join("");

  const all: Planted[] = [];
  /** Adds a secret, with the sentence in which it replaces `@`. */
  const plant = (kind: string, secret: string, sentence = "use @ for it"): void =>
    void all.push({ kind, secret, text: sentence.replace("@", () => secret) });

  plant("anthropic", `sk-ant-api03-${w(93)}AA`);
  plant("openai project", `sk-proj-${w(120)}`);
  plant("openai legacy", `sk-${a(20)}T3BlbkFJ${a(20)}`);
  plant("openai service account", `sk-svcacct-${w(60)}`);
  plant("openrouter", `sk-or-v1-${h(64)}`);
  plant("deepseek", `sk-${h(32)}`);
  plant("groq", `gsk_${a(52)}`);
  plant("xai", `xai-${a(80)}`);
  plant("perplexity", `pplx-${a(48)}`);
  plant("replicate", `r8_${a(37)}`);
  plant("huggingface", `hf_${a(34)}`);
  plant("langsmith", `lsv2_pt_${h(32)}_${h(10)}`);
  plant("pinecone", `pcsk_${a(50)}`);
  plant("nvidia", `nvapi-${w(64)}`);
  plant("github classic", `ghp_${a(36)}`);
  plant("github oauth", `gho_${a(36)}`);
  plant("github app", `ghs_${a(36)}`);
  plant("github refresh", `ghr_${a(76)}`);
  plant("github fine-grained", ["github", "pat", a(22), a(59)].join("_"));
  plant("gitlab", `glpat-${w(20)}`);
  plant("gitlab runner", `glrt-${w(20)}`);
  plant("bitbucket", `ATBB${a(32)}`);
  plant("atlassian", `ATATT3xFfGF0${w(120)}=${h(8)}`);
  plant("npm", `npm_${a(36)}`);
  plant("npmrc", uuid(), "//registry.example.org/:_authToken=@");
  plant("npmrc password", b64(password()), "//registry.example.org/:_password=@");
  plant("pypi", `pypi-AgEIcHlwaS5vcmc${w(150)}`);
  plant("rubygems", `rubygems_${h(48)}`);
  plant("crates", `cio${a(32)}`);
  plant("nuget", `oy2${of(LOWER + DIGITS, 43)}`);
  plant("docker", `dckr_pat_${w(27)}`);
  plant("docker config", b64(`mira:${password()}`), '{"auths":{"index.example":{"auth":"@"}}}');
  plant("jfrog", `AKCp${a(69)}`);
  plant("sonar", `squ_${h(40)}`);
  plant("circleci", `CCIPAT_${a(22)}_${h(40)}`);
  plant("buildkite", `bkua_${h(40)}`);
  plant("postman", `PMAK-${h(24)}-${h(34)}`);
  plant("figma", `figd_${w(40)}`);
  plant("linear", `lin_api_${a(40)}`);
  plant("notion", `ntn_${a(46)}`);
  plant("notion old", `secret_${a(43)}`);
  plant("airtable", `pat${a(14)}.${h(64)}`);
  plant("aws id", `AKIA${of(UPPER + "234567", 16)}`);
  plant("aws session id", `ASIA${of(UPPER + "234567", 16)}`);
  plant("aws secret", of(`${ALPHA}+/`, 40), "aws_secret_access_key = @");
  plant("aws secret env", of(`${ALPHA}+/`, 40), "export AWS_SECRET_ACCESS_KEY=@");
  plant("aws secret json", of(`${ALPHA}+/`, 40), '{"SecretAccessKey": "@"}');
  plant("aws session token", of(`${ALPHA}+/`, 200), "AWS_SESSION_TOKEN=@");
  plant("google api", `AIza${w(35)}`);
  plant("google oauth", `ya29.${w(120)}`);
  plant("google client secret", `GOCSPX-${w(28)}`);
  plant("google refresh", `1//0${w(60)}`);
  plant("google service account", key(""), '{"type":"service_account","private_key":"@"}');
  plant(
    "azure storage",
    `${of(`${ALPHA}+/`, 86)}==`,
    "DefaultEndpointsProtocol=https;AccountName=x;AccountKey=@;EndpointSuffix=y",
  );
  plant("azure client secret", `${a(3)}8Q~${w(34)}`);
  plant("azure sas", encodeURIComponent(`${of(`${ALPHA}+/`, 43)}=`), "https://x.blob.example/c?sv=2022-11-02&sig=@");
  plant("azure service bus", `${of(`${ALPHA}+/`, 43)}=`, "Endpoint=sb://x/;SharedAccessKeyName=Root;SharedAccessKey=@");
  plant("digitalocean", `dop_v1_${h(64)}`);
  plant("alibaba", `LTAI${a(20)}`);
  plant("tencent", `AKID${a(32)}`);
  plant("cloudflare", w(40), "CLOUDFLARE_API_TOKEN=@");
  plant("heroku", `HRKU-${w(60)}`);
  plant("heroku uuid", uuid(), "HEROKU_API_KEY=@");
  plant("netlify", `nfp_${a(40)}`);
  plant("vercel", a(24), "VERCEL_TOKEN=@");
  plant("supabase", `sbp_${h(40)}`);
  plant("planetscale", `pscale_tkn_${w(43)}`);
  plant("databricks", `dapi${h(32)}`);
  plant("pulumi", `pul-${h(40)}`);
  plant("terraform", `${a(14)}.atlasv1.${w(67)}`);
  plant("vault", `hvs.${w(90)}`);
  plant("doppler", `dp.pt.${a(43)}`);
  plant("openshift", `sha256~${w(43)}`);
  plant("tailscale", `tskey-auth-${a(12)}CNTRL-${a(32)}`);
  plant("1password", `ops_eyJ${a(200)}`);
  plant("age", `AGE-SECRET-KEY-1${of(UPPER + DIGITS, 58)}`);
  plant("slack bot", ["xoxb", d(12), d(12), a(24)].join("-"));
  plant("slack user", ["xoxp", d(12), d(12), d(12), h(32)].join("-"));
  plant("slack app", ["xapp", "1", of(UPPER + DIGITS, 11), d(13), h(64)].join("-"));
  plant(
    "slack webhook",
    `${of(UPPER + DIGITS, 9)}/B${of(UPPER + DIGITS, 8)}/${a(24)}`,
    "https://hooks.slack.com/services/T@",
  );
  plant("discord webhook", `${d(18)}/${w(68)}`, "https://discord.com/api/webhooks/@");
  plant("discord bot", `MTE${a(23)}.${w(6)}.${w(38)}`);
  plant("telegram", `${d(10)}:AA${w(33)}`);
  plant("sendgrid", `SG.${w(22)}.${w(43)}`);
  plant("mailgun", `key-${h(32)}`);
  plant("mailchimp", `${h(32)}-us12`);
  plant("brevo", `xkeysib-${h(64)}-${a(16)}`);
  plant("twilio", `SK${h(32)}`);
  plant("twilio auth", h(32), "TWILIO_AUTH_TOKEN=@");
  plant("x bearer", `AAAAAAAAAAAAAAAAAAAAA${a(50)}%3D${a(30)}`);
  plant("facebook", `EAA${a(150)}`);
  plant("stripe", ["sk", "live", a(24)].join("_"));
  plant("stripe restricted", ["rk", "live", a(99)].join("_"));
  plant("stripe webhook", `whsec_${a(32)}`);
  plant("square", `sq0atp-${w(22)}`);
  plant("paypal", `access_token$production$${of(LOWER + DIGITS, 16)}$${h(32)}`);
  plant("plaid", `access-production-${uuid()}`);
  plant("shopify", `shpat_${h(32)}`);
  plant("newrelic", `NRAK-${of(UPPER + DIGITS, 27)}`);
  plant("sentry", `sntrys_eyJ${a(120)}_${w(43)}`);
  plant("sentry dsn", h(32), "SENTRY_DSN=https://@@o1.ingest.example/42");
  plant("grafana", `glsa_${a(32)}_${h(8)}`);
  plant("dynatrace", `dt0c01.${of(UPPER + DIGITS, 24)}.${of(UPPER + DIGITS, 64)}`);
  plant("datadog", h(32), "DD_API_KEY=@");
  plant("hubspot", `pat-na1-${uuid()}`);
  plant("launchdarkly", `sdk-${uuid()}`);
  plant("algolia", h(32), 'algoliaApiKey: "@"');
  plant("dropbox", `sl.u.${w(140)}`);
  plant("jwt", `eyJ${a(30)}.eyJ${a(60)}.${w(43)}`);
  plant("rsa key", key("RSA "));
  plant("openssh key", key("OPENSSH "));
  plant("ec key", key("EC "));
  plant("putty key", `${a(64)}\n${a(64)}`, "PuTTY-User-Key-File-3: ssh-rsa\nPrivate-Lines: 2\n@\nPrivate-MAC: x");
  plant("kubeconfig key", b64(key("RSA ")), "    client-key-data: @");
  plant("bcrypt", `$2b$12$${of(`${ALPHA}./`, 53)}`);
  plant("shadow", `$6$${a(12)}$${of(`${ALPHA}./`, 86)}`, "root:@:19000:0:99999:7:::");
  plant("env password", password(), "DB_PASSWORD=@ npm start");
  plant("env word", "swordfish", "export ADMIN_PASSWORD=@");
  plant("env quoted", "correct horse battery", "export VAULT_PASSPHRASE='@'");
  plant("dotenv secret", w(50), "SECRET_KEY_BASE=@");
  plant("laravel", `base64:${of(`${ALPHA}+/`, 43)}=`, "APP_KEY=@");
  plant("yaml password", password(), "db:\n  user: app\n  password: @\n  port: 5432");
  plant("json password", password(), '{"user":"app","password":"@"}');
  plant("json in json", password(), String.raw`{"env":"{\"db_password\":\"@\"}"}`);
  plant("ini password", password(), "[mail]\npassword = @\n");
  plant("xml password", password(), "<server><password>@</password></server>");
  plant("flag password", password(), "deploy --password @ --verbose");
  plant("flag password equals", password(), "deploy --password=@ --verbose");
  plant("flag token", a(20), "gh auth login --token @");
  plant("flag api key", a(20), "cli --api-key @ run");
  plant("curl user", password(), "curl -u mira:@ https://api.example/x");
  plant("curl header", a(32), "curl -H 'X-Api-Key: @' https://api.example/x");
  plant("sshpass", password(), "sshpass -p @ ssh host");
  plant("mysql", password(), "mysql -uroot -p@ shop");
  plant("docker login", password(), "docker login -u mira -p @ registry.example");
  plant("redis-cli", password(), "redis-cli -h db -a @ ping");
  plant("pgpassword", password(), "PGPASSWORD=@ psql -h db");
  plant("pgpass", password(), "db.example:5432:shop:app:@");
  plant("netrc", password(), "machine api.example login mira password @");
  plant("bearer", w(40), "Authorization: Bearer @");
  plant("authorization token", h(40), "Authorization: token @");
  plant("basic", b64(`mira:${password()}`), "Authorization: Basic @");
  plant("cookie", w(40), "Cookie: theme=dark; session=@");
  plant("set-cookie", w(40), "Set-Cookie: sid=@; Path=/; HttpOnly");
  plant("url password", password().replaceAll("#", ""), "postgres://app:@@db.example/shop");
  plant("url password with at", `p@ss${d(3)}/${a(4)}`, "postgres://app:@@db.example/shop");
  plant("redis url", password().replaceAll("#", ""), "redis://:@@cache.example:6379/0");
  plant("mongodb url", a(16), "mongodb+srv://app:@@cluster0.example/shop");
  plant("amqp url", a(16), "amqp://app:@@mq.example:5672/");
  plant("query token", a(24), "GET /cb?access_token=@&state=x");
  plant("connection string", password(), "Server=db;Database=shop;User Id=sa;Password=@;");
  plant("jdbc", password(), "jdbc:postgresql://db/shop?user=app&password=@");
  plant("ansi", `ghp_${a(36)}`, "\u001b[32m@\u001b[0m");
  plant("ansi without escape", `sk-${a(40)}`, "[32m@[0m");
  plant("escaped newline", `glpat-${w(20)}`, String.raw`{"out":"token:\n@\n"}`);
  plant("percent", `ghp_${a(36)}`, "https://x.example/?next=%2Fcb%3Ftoken%3D@%26x");
  plant("percent password", a(16), "redirect=postgres%3A%2F%2Fapp%3A@%40db.example%2Fshop");
  plant("base64 of a token", b64(`token: ghp_${a(36)}`), "data: @");
  plant("wifi", password(), 'network={\n  ssid="x"\n  psk="@"\n}');
  plant("otp seed", of(`${UPPER}234567`, 32), "otpauth://totp/x:mira?secret=@&issuer=x");
  plant("seed phrase", "legal winner thank year wave sausage worth useful legal winner thank yellow", 'mnemonic = "@"');
  plant("ethereum key", `0x${h(64)}`, "PRIVATE_KEY=@");
  plant("openssl", password(), "openssl rsa -in k.pem -passin pass:@");
  plant("kubectl literal", password(), "kubectl create secret generic db --from-literal=password=@");
  plant("aws configure", of(`${ALPHA}+/`, 40), "aws configure set aws_secret_access_key @");
  plant("ngrok", w(40), "ngrok config add-authtoken @");
  plant("wireguard", `${of(`${ALPHA}+/`, 43)}=`, "[Interface]\nPrivateKey = @\n");
  plant("sentence", password(), "the password is @, please log in");
  plant("basic url", password().replaceAll("#", ""), "git clone https://mira:@@git.example/a.git");
  plant("token url", a(40), "git clone https://@@git.example/a.git");
  return all;
}
