import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { findSecrets } from "./find.ts";
import { redact } from "./redact.ts";
import { SHAPES } from "./shapes.ts";

/** The shortest token of every shape, and lookalikes. Assembled at run time, so that no scanner reports a leak. */
const MIXED = "aB3dE5fG7hJ9kL1mN2pQ4rS6tU8vW0xYzAbCdEfGhIjKlMnOpQrStUvWxYz0123456789".repeat(4);
const HEX = "3f786850e387550fdab836ed7e6dc88".repeat(6);
const LETTERS = "namesOfManyThings".repeat(15);
const a = (n: number): string => MIXED.slice(0, n);
const h = (n: number): string => HEX.slice(0, n);
const l = (n: number): string => LETTERS.slice(0, n);
const upper = (n: number): string => a(n).toUpperCase();
const lower = (n: number): string => a(n).toLowerCase();
const uuid = [h(8), h(4), h(4), h(4), h(12)].join("-");

interface Example {
  kind: string;
  /** Signs, separated by spaces. */
  signs: string;
  body: string;
  /** The part of the token before the sign. */
  before?: string;
  /** After the same signs, this does not make a token. */
  not?: string[];
  /** Not a token inside a longer word. */
  free?: true;
}

const FORMS: readonly Example[] = [
  { kind: "anthropic-key", signs: "sk-ant-", body: a(16) },
  { kind: "openrouter-key", signs: "sk-or-", body: a(20) },
  { kind: "openai-key", signs: "sk-proj- sk-svcacct- sk-admin- sk-service- sk-None-", body: a(20) },
  { kind: "openai-key", signs: "sk-", body: a(20), not: [l(20)], free: true },
  {
    kind: "huggingface-token",
    signs: "hf_ api_org_",
    body: a(30),
    not: [l(30), lower(30)],
  },
  { kind: "groq-key", signs: "gsk_", body: a(40) },
  { kind: "replicate-token", signs: "r8_", body: a(32), not: [lower(32)] },
  { kind: "perplexity-key", signs: "pplx-", body: a(32) },
  { kind: "xai-key", signs: "xai-", body: a(40) },
  { kind: "fireworks-key", signs: "fw_", body: a(20), not: [lower(20)], free: true },
  { kind: "langsmith-key", signs: "lsv2_pt_ lsv2_sk_", body: `${h(32)}_${h(10)}` },
  { kind: "langfuse-key", signs: "sk-lf- pk-lf-", body: uuid },
  { kind: "pinecone-key", signs: "pcsk_", body: a(30) },
  { kind: "nvidia-key", signs: "nvapi-", body: a(40) },
  { kind: "tavily-key", signs: "tvly-", body: a(20), not: [l(20)] },
  { kind: "e2b-key", signs: "e2b_", body: h(32) },
  { kind: "jina-key", signs: "jina_", body: a(40), not: [l(40)] },
  { kind: "apify-token", signs: "apify_api_", body: a(30) },
  { kind: "github-token", signs: "ghp_ gho_ ghu_ ghs_ ghr_", body: a(30) },
  { kind: "github-token", signs: "github_pat_", body: a(30) },
  {
    kind: "gitlab-token",
    signs: "glpat- gldt- glrt- glptt- glcbt- glft- glsoat- glimt- glagent- gloas- glffct- glwt-",
    body: a(18),
  },
  { kind: "gitlab-token", signs: "GR1348941", body: a(20) },
  { kind: "bitbucket-token", signs: "ATBB BBDC-", body: a(20), not: [l(20)] },
  { kind: "atlassian-token", signs: "ATATT3 ATCTT3", body: `${a(39)}=` },
  { kind: "npm-token", signs: "npm_", body: a(40), not: [lower(40)] },
  { kind: "pypi-token", signs: "pypi-", body: a(50) },
  { kind: "rubygems-key", signs: "rubygems_", body: h(40) },
  { kind: "crates-token", signs: "cio", body: a(32), not: [lower(32), a(33)], free: true },
  { kind: "nuget-key", signs: "oy2", body: lower(43), not: [lower(44)], free: true },
  { kind: "clojars-token", signs: "CLOJARS_", body: a(50) },
  { kind: "docker-token", signs: "dckr_pat_ dckr_oat_", body: a(20) },
  { kind: "jfrog-key", signs: "AKCp", body: a(50) },
  { kind: "jfrog-token", signs: "cmVmdGtu", body: a(40) },
  { kind: "sourcegraph-token", signs: "sgp_", body: `local_${h(40)}` },
  { kind: "sourcegraph-token", signs: "sgp_", body: `${a(16)}_${h(40)}` },
  { kind: "sourcegraph-token", signs: "sgp_", body: h(40) },
  { kind: "sonar-token", signs: "sqp_ squ_ sqa_", body: h(40) },
  { kind: "codecov-token", signs: "codecov_", body: h(32) },
  { kind: "circleci-token", signs: "CCIPAT_ CCIPRJ_", body: `${a(10)}_${h(40)}` },
  { kind: "buildkite-token", signs: "bkua_ bkaj_", body: h(30) },
  { kind: "snyk-token", signs: "snyk_", body: a(30), not: [l(30)] },
  { kind: "harness-token", signs: "pat.", body: `${a(20)}.${a(20)}.${a(16)}`, free: true },
  { kind: "octopus-key", signs: "API-", body: upper(25), not: [l(25).toUpperCase(), upper(33)], free: true },
  { kind: "postman-key", signs: "PMAK-", body: `${h(24)}-${h(34)}` },
  { kind: "readme-key", signs: "rdme_", body: lower(60) },
  { kind: "figma-token", signs: "figd_ figo_ figu_", body: a(30) },
  { kind: "linear-key", signs: "lin_api_ lin_oauth_ lin_wh_", body: a(30) },
  { kind: "notion-token", signs: "secret_", body: a(43), not: [lower(43), a(44)] },
  { kind: "notion-token", signs: "ntn_", body: a(40) },
  { kind: "airtable-token", signs: "pat", body: `${a(14)}.${h(64)}` },
  { kind: "typeform-token", signs: "tfp_", body: a(40) },
  { kind: "wakatime-key", signs: "waka_", body: uuid },
  { kind: "aws-access-key", signs: "AKIA ASIA ABIA ACCA", body: upper(16), not: [upper(17)] },
  { kind: "aws-mws-token", signs: "amzn.mws.", body: uuid },
  { kind: "aws-bedrock-key", signs: "ABSKQmVkcm9ja", body: a(80) },
  { kind: "google-key", signs: "AIza", body: a(35) },
  { kind: "google-oauth", signs: "ya29.", body: a(20) },
  { kind: "google-oauth", signs: "GOCSPX-", body: a(20) },
  { kind: "google-oauth", signs: "1//0", body: a(30) },
  { kind: "firebase-key", signs: "AAAA", body: `${a(7)}:${a(120)}` },
  { kind: "azure-secret", before: "a.B", signs: "0Q~ 1Q~ 2Q~ 3Q~ 4Q~ 5Q~ 6Q~ 7Q~ 8Q~ 9Q~", body: `~.${a(29)}` },
  { kind: "digitalocean-token", signs: "dop_v1_ doo_v1_ dor_v1_", body: h(40) },
  { kind: "alibaba-key", signs: "LTAI", body: a(12), not: [upper(12), l(12), a(25)] },
  { kind: "tencent-key", signs: "AKID", body: a(32), not: [upper(32), a(37)] },
  { kind: "yandex-key", signs: "AQVN", body: a(35), not: [upper(35)] },
  { kind: "cloudflare-key", signs: "v1.0-", body: `${h(24)}-${h(100)}` },
  { kind: "cloudflare-token", signs: "cfat_ cfut_ cfk_", body: a(30), not: [l(30)] },
  { kind: "heroku-key", signs: "HRKU-", body: a(30) },
  { kind: "netlify-token", signs: "nfp_ nfo_ nfc_ nfu_", body: a(36) },
  { kind: "vercel-token", signs: "vercel_blob_rw_ vcp_ vci_ vca_ vcr_ vck_", body: a(24), not: [l(24)] },
  { kind: "supabase-key", signs: "sbp_ sb_secret_", body: a(20), not: [l(20)] },
  { kind: "planetscale-token", signs: "pscale_tkn_ pscale_pw_ pscale_oauth_", body: a(20) },
  { kind: "neon-key", signs: "napi_", body: a(40) },
  { kind: "databricks-token", signs: "dapi", body: h(32), not: [h(33)] },
  { kind: "databricks-token", signs: "dapi", body: `${h(32)}-2` },
  { kind: "fly-token", signs: "FlyV1 fm2_ fo1_", body: `,${a(39)},`, free: true },
  { kind: "scalingo-token", signs: "tk-us-", body: a(40) },
  { kind: "pulumi-token", signs: "pul-", body: h(40) },
  { kind: "terraform-token", before: a(14), signs: ".atlasv1.", body: a(50) },
  { kind: "vault-token", signs: "hvs. hvb. hvr.", body: a(20) },
  { kind: "doppler-token", signs: "dp.pt. dp.st. dp.ct. dp.sa. dp.scim. dp.audit.", body: a(36) },
  { kind: "openshift-token", signs: "sha256~", body: a(43) },
  { kind: "tailscale-key", signs: "tskey-", body: `auth-${a(8)}-${a(8)}` },
  { kind: "onepassword-token", signs: "ops_eyJ", body: a(100), free: true },
  {
    kind: "onepassword-key",
    signs: "A3-",
    body: ["ABC123", "ABCDE12345F", "AB123", "CD456", "EF789"].join("-"),
    free: true,
  },
  {
    kind: "onepassword-key",
    signs: "A3-",
    body: ["ABC123", "ABC123", "ABC12", "AB123", "CD456", "EF789"].join("-"),
    free: true,
  },
  { kind: "age-key", signs: "AGE-SECRET-KEY-1", body: upper(50) },
  {
    kind: "slack-token",
    signs: "xoxb- xoxp- xoxa- xoxr- xoxs- xoxo- xoxd- xoxc- xoxe- xoxe. xapp-",
    body: a(10),
  },
  {
    kind: "slack-webhook",
    signs: "hooks.slack.com/services/ hooks.slack.com/workflows/ hooks.slack.com/triggers/",
    body: a(16),
  },
  { kind: "discord-webhook", signs: "discord.com/api/webhooks/ discordapp.com/api/webhooks/", body: a(40) },
  { kind: "teams-webhook", signs: ".webhook.office.com/webhookb2/", body: `${a(50)}@${a(9)}` },
  { kind: "telegram-token", before: "12345678", signs: ":AA", body: a(32), not: [a(35)] },
  { kind: "sendgrid-key", signs: "SG.", body: `${a(16)}.${a(16)}` },
  { kind: "mailgun-key", signs: "key-", body: h(32), not: [h(33)], free: true },
  { kind: "mailchimp-key", before: h(32), signs: "-us", body: "7", not: ["123", "7x"] },
  { kind: "brevo-key", signs: "xkeysib- xsmtpsib-", body: h(64) },
  { kind: "brevo-key", signs: "xkeysib- xsmtpsib-", body: `${h(64)}-${a(16)}` },
  { kind: "resend-key", signs: "re_", body: `${a(8)}_${a(20)}`, free: true },
  {
    kind: "twilio-key",
    signs: [..."0123456789abcdef"].map((digit) => `SK${digit}`).join(" "),
    body: h(31),
    not: [h(32)],
    free: true,
  },
  { kind: "twilio-key", signs: "SKa", body: `${"abcdef".repeat(5)}0`, not: ["abcdef".repeat(6).slice(0, 31)] },
  { kind: "frameio-token", signs: "fio-u-", body: a(40) },
  { kind: "x-bearer", signs: "AAAAAAAAAAAAAAAAAAAA", body: `${a(27)}%3D`, not: [a(30), `${a(27)}%3x`], free: true },
  { kind: "facebook-token", signs: "EAA", body: a(40), not: [upper(40)], free: true },
  { kind: "stripe-key", signs: "sk_live_ sk_test_ rk_live_ rk_test_ sk_org_", body: a(10), not: [l(10)] },
  { kind: "stripe-webhook-secret", signs: "whsec_", body: a(20) },
  { kind: "square-token", signs: "sq0atp- sq0csp- sq0idp-", body: a(20) },
  { kind: "square-token", signs: "EAAA", body: `_${a(59)}`, not: [`_${upper(59)}`, `_${a(64)}`], free: true },
  { kind: "paypal-token", signs: "access_token$production$ access_token$sandbox$", body: `${lower(13)}$${h(32)}` },
  { kind: "plaid-token", signs: "access-sandbox- access-development- access-production-", body: uuid },
  { kind: "shopify-token", signs: "shpat_ shpca_ shppa_ shpss_ shptka_", body: h(32) },
  { kind: "flutterwave-key", signs: "FLWSECK", body: a(12) },
  { kind: "easypost-key", signs: "EZAK EZTK", body: a(54) },
  { kind: "shippo-token", signs: "shippo_live_ shippo_test_", body: h(40) },
  { kind: "duffel-token", signs: "duffel_live_ duffel_test_", body: a(40) },
  { kind: "gocardless-token", signs: "live_", body: a(40), not: [lower(40), a(41)], free: true },
  { kind: "newrelic-key", signs: "NRAK- NRJS- NRII- NRRA- NRSP-", body: a(19) },
  { kind: "sentry-token", signs: "sntrys_ sntryu_", body: a(40) },
  { kind: "grafana-token", signs: "glsa_ glc_", body: a(32) },
  { kind: "grafana-key", signs: "eyJrIjoi", body: `${a(50)}=`, free: true },
  { kind: "dynatrace-token", signs: "dt0c01. dt0s01. dt0s16.", body: `${upper(8)}.${upper(60)}` },
  { kind: "datadog-key", signs: "ddapp_ ddpat_", body: a(30) },
  { kind: "launchdarkly-key", signs: "sdk- api- mob-", body: uuid, free: true },
  { kind: "posthog-key", signs: "phx_ phs_", body: a(40) },
  { kind: "hubspot-token", signs: "pat-na1- pat-na2- pat-eu1-", body: uuid },
  { kind: "contentful-token", signs: "CFPAT-", body: a(40) },
  { kind: "adafruit-key", signs: "aio_", body: a(28), not: [l(28), a(29)] },
  { kind: "infracost-key", signs: "ico-", body: a(32) },
  { kind: "prefect-key", signs: "pnu_ pnb_", body: a(36) },
  { kind: "astra-token", signs: "AstraCS:", body: a(40) },
  { kind: "mapbox-token", signs: "sk.eyJ", body: `${a(40)}.${a(10)}` },
  { kind: "trello-token", signs: "ATTA", body: h(60) },
  { kind: "dropbox-token", signs: "sl.", body: `u.${a(60)}`, free: true },
  { kind: "dropbox-token", signs: "sl.", body: a(60), free: true },
  { kind: "settlemint-token", signs: "sm_aat_ sm_pat_ sm_sat_", body: a(16) },
  { kind: "maxmind-key", before: `${a(6)}_${a(29)}`, signs: "_mmk", body: "", not: ["Q"] },
  { kind: "clickhouse-key", signs: "4b1d", body: a(38), not: [lower(38), a(39)], free: true },
  { kind: "jwt", signs: "eyJ", body: `${a(8)}.${a(8)}.`, free: true },
  { kind: "jwe", signs: "eyJ", body: `${a(8)}..${a(8)}.${a(8)}.${a(8)}`, free: true },
  { kind: "password-hash", signs: "$2a$ $2b$ $2y$", body: `12$${a(53)}` },
  { kind: "password-hash", signs: "$1$ $5$ $6$ $y$ $apr1$", body: `salt$${a(20)}` },
  { kind: "password-hash", signs: "$6$ $y$", body: `rounds=5000$salt$${a(20)}` },
  { kind: "password-hash", signs: "$argon2id$ $argon2i$ $argon2d$", body: `v=19$m=65536$${a(20)}` },
  { kind: "password-hash", signs: "pbkdf2_sha256$ pbkdf2_sha512$", body: `600000$${a(23)}` },
  { kind: "discord-token", signs: "M N O", body: `${a(23)}.${a(6)}.${a(27)}`, not: [`${l(23)}.${l(6)}.${l(27)}`] },
  { kind: "mailgun-key", signs: h(32), body: `-${h(8)}-${h(8)}`, not: [`-${h(8)}-${h(9)}`], free: true },
];

describe("a token of a known form", () => {
  it.each(FORMS.map((form) => [`${form.kind} ${form.signs}`, form] as const))("is hidden: %s", (_, form) => {
    const { kind, signs, before = "", body, not = [], free } = form;
    for (const sign of signs.split(" ")) {
      const token = `${before}${sign}${body}`;
      expect(redact(`use ${token}\tfor it`)).toBe(`use [redacted:${kind}]\tfor it`);
      // Those that are long enough for a key of any vendor are hidden as such.
      for (const other of not)
        expect(redact(`use ${before}${sign}${other}\tfor it`)).not.toContain(`[redacted:${kind}]`);
      if (free) expect(redact(`use x${token}\tfor it`)).not.toContain(`[redacted:${kind}]`);
    }
  });
});

it("a token without a fixed prefix is judged by itself, also if it is the whole text", () => {
  expect(redact(`A1 M${l(23)}.${l(6)}.${l(27)} x`)).toContain(l(27));
  expect(redact(`${h(32)}-${h(8)}-${h(8)}`)).toBe("[redacted:mailgun-key]");
  const longer = `use ${a(6)}_${a(29)}_mmkQ x`;
  expect(redact(longer)).toBe(longer);
});

it("no short lowercase word is a token, so that field names need not be searched", () => {
  const signs = SHAPES.flatMap((shape) => shape.signs).filter((sign) => /^[a-z_]+$/.test(sign));
  const piece = fc.constantFrom(...signs, "a", "bc", "_", "password", "token", "qwxzjkvb");
  fc.assert(
    fc.property(fc.array(piece, { minLength: 1, maxLength: 12 }), (pieces) => {
      // With a line break it is searched like any other text.
      expect(findSecrets(`${pieces.join("").slice(0, 19)}\n`)).toEqual([]);
    }),
    { numRuns: 2000 },
  );
});
