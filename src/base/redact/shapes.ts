import { escapeRegExp } from "./escape-regexp.ts";

/**
 * Tokens with a recognisable form published by their vendor: a fixed prefix, then characters of one alphabet. Every
 * body is bounded and of one character class, so that a match costs at most its own length.
 */
export interface Shape {
  /** Shown in place of the secret, `[redacted:kind]`. */
  kind: string;
  /** Literal texts, one of which is in every such token. */
  signs: readonly string[];
  /** Matched where a sign begins; compiled lazily. The part before the sign is the group `before` of a look-behind. */
  pattern: () => RegExp;
  /** Final check of a match. */
  accept?: (token: string) => boolean;
  /** Must begin a word: the prefix is too common inside other words. */
  atWordStart?: true;
}

const ANY = "[A-Za-z0-9]";
const WORD = "[\\w-]";
const HEX = "[a-f0-9]";
const UUID = `${HEX}{8}-${HEX}{4}-${HEX}{4}-${HEX}{4}-${HEX}{12}`;

const hasDigit = (token: string): boolean => /\d/.test(token);
/** Digits and letters of both cases, which random texts have and names do not. */
const isRandom = (token: string): boolean => hasDigit(token) && /[a-z]/.test(token) && /[A-Z]/.test(token);

/** A token that begins with one of the signs, followed by `body`. */
function shape(kind: string, signs: string, body: string, more: Pick<Shape, "accept" | "atWordStart"> = {}): Shape {
  const list = signs.split(" ");
  return { kind, signs: list, pattern: lazyPattern(() => `(?:${list.map(escapeRegExp).join("|")})${body}`), ...more };
}

/** A token with the sign inside: `before` and `rest` match the parts on either side. */
function inner(kind: string, signs: string, before: string, rest: string): Shape {
  const list = signs.split(" ");
  const source = (): string => `(?<=(?<before>${before}))(?:${list.map(escapeRegExp).join("|")})${rest}`;
  return { kind, signs: list, pattern: lazyPattern(source) };
}

/** Compiles on first use: most patterns are never needed, and compiling all would delay every command. */
function lazyPattern(source: () => string): () => RegExp {
  let made: RegExp | null = null;
  return () => (made ??= new RegExp(source(), "y"));
}

/** Each possible digit after the prefix. */
function digitsAfter(sign: string): string {
  return [..."0123456789"].map((digit) => sign + digit).join(" ");
}

/** A sign needs three characters: extends a two-character prefix by each possible hex digit. */
function hexAfter(sign: string): string {
  return [..."0123456789abcdef"].map((digit) => sign + digit).join(" ");
}

export const SHAPES: readonly Shape[] = [
  // Model providers and AI services.
  shape("anthropic-key", "sk-ant-", `${WORD}{16,400}`),
  shape("openrouter-key", "sk-or-", `${WORD}{20,200}`),
  shape("openai-key", "sk-proj- sk-svcacct- sk-admin- sk-service- sk-None-", `${WORD}{20,400}`),
  shape("openai-key", "sk-", `(?!ant-|proj-|or-|svcacct-|admin-|service-|None-|lf-)${WORD}{20,400}`, {
    accept: hasDigit,
    atWordStart: true,
  }),
  shape("huggingface-token", "hf_ api_org_", `${ANY}{30,60}`, {
    accept: (token) => isRandom(token) || /^hf_(?=.*[a-z])(?=.*[A-Z])[A-Za-z]{34}$/.test(token),
  }),
  shape("groq-key", "gsk_", `${ANY}{40,80}`),
  shape("replicate-token", "r8_", `${ANY}{32,60}`, { accept: isRandom }),
  shape("perplexity-key", "pplx-", `${ANY}{32,80}`),
  shape("xai-key", "xai-", `${ANY}{40,120}`),
  shape("fireworks-key", "fw_", `${ANY}{20,40}`, { accept: isRandom, atWordStart: true }),
  shape("langsmith-key", "lsv2_pt_ lsv2_sk_", `${HEX}{32}_${HEX}{10}`),
  shape("langfuse-key", "sk-lf- pk-lf-", UUID),
  shape("pinecone-key", "pcsk_", `${WORD}{30,120}`),
  shape("nvidia-key", "nvapi-", `${WORD}{40,120}`),
  shape("tavily-key", "tvly-", `${WORD}{20,80}`, { accept: hasDigit }),
  shape("e2b-key", "e2b_", `${HEX}{32,64}`),
  shape("jina-key", "jina_", `${WORD}{40,80}`, { accept: hasDigit }),
  shape("apify-token", "apify_api_", `${ANY}{30,50}`),
  shape("google-key", "AQ.Ab", `${WORD}{30,200}`, { atWordStart: true }),
  shape("elevenlabs-key", "sk_", `${HEX}{48}(?!${ANY})`, { atWordStart: true }),
  shape("firecrawl-key", "fc-", `${HEX}{32}(?!${ANY})`, { atWordStart: true }),
  shape("cursor-key", "crsr_ key_", `${HEX}{60,68}(?!${ANY})`, { atWordStart: true }),
  shape("together-key", "tgp_v1_", `${WORD}{30,80}`),
  shape("cerebras-key", "csk-", "[a-z0-9]{40,60}", { accept: hasDigit, atWordStart: true }),
  shape("wandb-key", "wandb_v1_", `${WORD}{30,120}`),
  shape("voyage-key", "pa-", `${WORD}{40,60}(?!${WORD})`, { accept: isRandom, atWordStart: true }),
  shape("braintrust-key", "bt-st-", `${WORD}{20,80}`, { atWordStart: true }),
  shape("helicone-key", "sk-helicone- pk-helicone-", `${WORD}{20,80}`),
  shape("mem0-key", "m0-", `${ANY}{30,60}`, { accept: isRandom, atWordStart: true }),
  shape("context7-key", "ctx7sk-", `${WORD}{20,60}`),
  shape("modal-token", "ak- as- wk- ws-", `${ANY}{22}(?!${ANY})`, { accept: isRandom, atWordStart: true }),
  shape("runpod-key", "rpa_", "[A-Z0-9]{30,60}", { accept: hasDigit, atWordStart: true }),
  shape("lambda-key", "secret_", `[a-z0-9-]{10,40}_${HEX}{32}\\.${ANY}{32}`),
  shape("composio-key", "ak_", `${WORD}{20,40}(?!${WORD})`, { accept: isRandom, atWordStart: true }),
  shape("browserbase-key", "bb_live_ bb_test_", `${WORD}{20,60}`),
  // Code hosting and package registries.
  shape("github-token", "ghp_ gho_ ghu_ ghs_ ghr_", `${ANY}{30,255}`),
  shape("github-token", "github_pat_", "\\w{30,255}"),
  shape(
    "gitlab-token",
    "glpat- gldt- glrt- glptt- glcbt- glft- glsoat- glimt- glagent- gloas- glffct- glwt-",
    "[\\w.-]{18,200}",
  ),
  shape("gitlab-token", "GR1348941", `${WORD}{20,40}`),
  shape("bitbucket-token", "ATBB BBDC-", `${ANY}{20,80}`, { accept: hasDigit }),
  shape("atlassian-token", "ATATT3 ATCTT3", "[\\w=-]{40,400}"),
  shape("npm-token", "npm_", `${ANY}{36,80}`, { accept: isRandom }),
  shape("pypi-token", "pypi-", `${WORD}{50,400}`),
  shape("rubygems-key", "rubygems_", `${HEX}{40,60}`),
  shape("crates-token", "cio", `${ANY}{32}(?!${ANY})`, { accept: isRandom, atWordStart: true }),
  shape("nuget-key", "oy2", "[a-z0-9]{43}(?![a-z0-9])", { atWordStart: true }),
  shape("clojars-token", "CLOJARS_", `${ANY}{50,80}`),
  shape("docker-token", "dckr_pat_ dckr_oat_", `${WORD}{20,80}`),
  shape("jfrog-key", "AKCp", `${ANY}{50,100}`),
  shape("jfrog-token", "cmVmdGtu", `${ANY}{40,80}`),
  shape("sourcegraph-token", "sgp_", `(?:${ANY}{16}_|local_)?${HEX}{40}`),
  shape("sonar-token", "sqp_ squ_ sqa_", `${HEX}{40}`),
  shape("codecov-token", "codecov_", `${HEX}{32,40}`),
  shape("circleci-token", "CCIPAT_ CCIPRJ_", `${ANY}{10,40}_${HEX}{40}`),
  shape("buildkite-token", "bkua_ bkaj_", `${HEX}{30,60}`),
  shape("snyk-token", "snyk_", `${WORD}{30,200}`, { accept: hasDigit }),
  shape("harness-token", "pat.", `${ANY}{20,24}\\.${ANY}{20,26}\\.${ANY}{16,24}`, { atWordStart: true }),
  shape("octopus-key", "API-", "[A-Z0-9]{25,32}(?![A-Za-z0-9])", { accept: hasDigit, atWordStart: true }),
  shape("postman-key", "PMAK-", `${HEX}{24}-${HEX}{34}`),
  shape("readme-key", "rdme_", "[a-z0-9]{60,80}"),
  shape("figma-token", "figd_ figo_ figu_", `${WORD}{30,80}`),
  shape("linear-key", "lin_api_ lin_oauth_ lin_wh_", `${ANY}{30,80}`),
  shape("notion-token", "secret_", `${ANY}{43}(?!${ANY})`, { accept: isRandom }),
  shape("notion-token", "ntn_", `${ANY}{40,60}`),
  shape("airtable-token", "pat", `${ANY}{14}\\.${HEX}{64}`),
  shape("typeform-token", "tfp_", `${WORD}{40,80}`),
  shape("wakatime-key", "waka_", UUID),
  shape("asana-token", "1/1 2/1", `\\d{12,18}(?:\\/\\d{12,18})?:${HEX}{32}(?!${ANY})`, { atWordStart: true }),
  shape("clickup-token", digitsAfter("pk_"), `\\d{4,11}_[A-Z0-9]{32}(?!${ANY})`, { atWordStart: true }),
  shape("shortcut-token", "sct_rw_ sct_ro_", `${WORD}{20,80}`),
  shape("storybook-token", "chpt_", `${HEX}{12,40}`, { atWordStart: true }),
  shape("depot-token", "depot_project_ depot_org_", `${HEX}{40,80}`),
  shape("rootly-key", "rootly_", `${HEX}{64}`),
  shape("lark-token", "t-g104", `${ANY}{30,60}`, { atWordStart: true }),
  shape("jetbrains-token", "perm:", "[\\w=+/.-]{40,200}", { accept: hasDigit, atWordStart: true }),
  shape("retool-token", "retool_", `${WORD}{20,60}`, { accept: isRandom, atWordStart: true }),
  // Clouds.
  shape("aws-access-key", "AKIA ASIA ABIA ACCA", "[A-Z0-9]{16}(?![A-Za-z0-9])"),
  shape("aws-mws-token", "amzn.mws.", UUID),
  shape("aws-bedrock-key", "ABSKQmVkcm9ja", "[A-Za-z0-9+/=]{80,300}"),
  shape("google-key", "AIza", `${WORD}{35}`),
  shape("google-oauth", "ya29.", `${WORD}{20,400}`),
  shape("google-oauth", "GOCSPX-", `${WORD}{20,60}`),
  shape("google-oauth", "1//0", `${WORD}{30,200}`),
  shape("firebase-key", "AAAA", `${WORD}{7}:${WORD}{120,180}`, { atWordStart: true }),
  shape("render-key", "rnd_", `${ANY}{24,60}`, { accept: hasDigit, atWordStart: true }),
  shape("aws-secret", "bedrock-api-key-", "[A-Za-z0-9+/=_-]{40,2000}"),
  shape("scaleway-key", "SCW", "[A-Z0-9]{17}(?![A-Za-z0-9])", { accept: hasDigit, atWordStart: true }),
  inner("azure-devops-token", "AZDO", `(?<!${ANY})${ANY}{76}`, `${ANY}{4}(?!${ANY})`),
  inner("azure-storage-key", "+AStA", "[A-Za-z0-9+/]{40,88}", "[A-Za-z0-9+/]{4,10}={0,2}"),
  inner(
    "azure-key",
    "+ASb +AEh +ACR +ACDb +AIoT",
    "(?<![A-Za-z0-9+/])[A-Za-z0-9+/]{20,60}",
    "[A-Za-z0-9+/]{4,12}={0,2}(?![A-Za-z0-9+/])",
  ),
  inner("azure-key", "AzSe JQQJ99", "(?<!\\w)\\w{30,90}", "\\w{4,40}"),
  inner("azure-function-key", "AzFu", "(?<![\\w-])[\\w-]{30,60}", "[\\w-]{6,20}={0,2}"),
  // Three characters, a digit, `Q~`, then the rest.
  inner("azure-secret", "0Q~ 1Q~ 2Q~ 3Q~ 4Q~ 5Q~ 6Q~ 7Q~ 8Q~ 9Q~", "[\\w.~-]{3}", "[\\w.~-]{31,40}"),
  shape("digitalocean-token", "dop_v1_ doo_v1_ dor_v1_", `${HEX}{40,80}`),
  shape("alibaba-key", "LTAI", `${ANY}{12,24}(?!${ANY})`, { accept: isRandom }),
  shape("tencent-key", "AKID", `${ANY}{32,36}(?!${ANY})`, { accept: isRandom }),
  shape("yandex-key", "AQVN", `${WORD}{35,40}`, { accept: isRandom }),
  shape("cloudflare-key", "v1.0-", `${HEX}{24}-${HEX}{100,160}`),
  shape("cloudflare-token", "cfat_ cfut_ cfk_", `${WORD}{30,80}`, { accept: hasDigit }),
  shape("heroku-key", "HRKU-", `${WORD}{30,80}`),
  shape("netlify-token", "nfp_ nfo_ nfc_ nfu_", `${ANY}{36,60}`),
  shape("vercel-token", "vercel_blob_rw_ vcp_ vci_ vca_ vcr_ vck_", `${WORD}{24,100}`, { accept: hasDigit }),
  shape("supabase-key", "sbp_ sb_secret_", `${WORD}{20,80}`, { accept: hasDigit }),
  shape("planetscale-token", "pscale_tkn_ pscale_pw_ pscale_oauth_", "[\\w.=-]{20,80}"),
  shape("neon-key", "napi_", `${ANY}{40,80}`),
  shape("databricks-token", "dapi", `${HEX}{32}(?:-\\d)?(?!${HEX})`),
  shape("fly-token", "FlyV1 fm2_ fo1_", "[\\w+/=, -]{40,2000}", { atWordStart: true }),
  shape("scalingo-token", "tk-us-", `${WORD}{40,60}`),
  shape("pulumi-token", "pul-", `${HEX}{40}`),
  inner("terraform-token", ".atlasv1.", `${ANY}{14}`, "[\\w=-]{50,80}"),
  shape("vault-token", "hvs. hvb. hvr.", `${WORD}{20,300}`),
  shape("doppler-token", "dp.pt. dp.st. dp.ct. dp.sa. dp.scim. dp.audit.", "[\\w.-]{36,80}"),
  shape("openshift-token", "sha256~", `${WORD}{43}`),
  shape("tailscale-key", "tskey-", `[a-z]{2,10}-${ANY}{8,30}(?:-${ANY}{8,60})?`),
  shape("onepassword-token", "ops_eyJ", "[A-Za-z0-9+/=_-]{100,2000}", { atWordStart: true }),
  shape("onepassword-key", "A3-", "[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})(?:-[A-Z0-9]{5}){3}", {
    atWordStart: true,
  }),
  shape(
    "bitwarden-token",
    hexAfter("0."),
    `${HEX}{7}-${HEX}{4}-${HEX}{4}-${HEX}{4}-${HEX}{12}\\.${ANY}{20,60}:[A-Za-z0-9+/]{16,40}={0,2}`,
    {
      atWordStart: true,
    },
  ),
  shape("infisical-token", "st.", `${HEX}{24}\\.${HEX}{32}\\.${HEX}{32}`, { atWordStart: true }),
  shape("docker-swarm-token", "SWMTKN-1- SWMKEY-1-", `${WORD}{40,120}`),
  shape("rancher-token", "token-", "[a-z0-9]{5}:[a-z0-9]{54}", { atWordStart: true }),
  shape("k3s-token", "K10", `${HEX}{64}::[\\w-]{1,40}:[\\w.-]{16,80}`, { atWordStart: true }),
  shape("age-key", "AGE-SECRET-KEY-1", "[A-Z0-9]{50,80}"),
  // Chat, mail and telephony.
  shape("slack-token", "xoxb- xoxp- xoxa- xoxr- xoxs- xoxo- xoxd- xoxc- xoxe- xoxe. xapp-", "[\\w.%-]{10,400}"),
  shape(
    "slack-webhook",
    "hooks.slack.com/services/ hooks.slack.com/workflows/ hooks.slack.com/triggers/",
    "[\\w/-]{16,200}",
  ),
  shape("discord-webhook", "discord.com/api/webhooks/ discordapp.com/api/webhooks/", "[\\w/-]{40,200}"),
  shape("teams-webhook", ".webhook.office.com/webhookb2/", "[\\w@/-]{60,300}"),
  inner("telegram-token", ":AA", "\\d{8,10}", "[\\w-]{32,34}(?![\\w-])"),
  shape("sendgrid-key", "SG.", `${WORD}{16,64}\\.${WORD}{16,64}`),
  shape("mailgun-key", "key-", `${HEX}{32}(?!${HEX})`, { atWordStart: true }),
  inner("mailchimp-key", "-us", `${HEX}{32}`, "\\d{1,2}(?!\\w)"),
  shape("brevo-key", "xkeysib- xsmtpsib-", `${HEX}{64}(?:-${ANY}{16})?`),
  shape("resend-key", "re_", `${ANY}{8}_${ANY}{20,30}`, { atWordStart: true }),
  shape("twilio-key", hexAfter("SK"), `${HEX}{31}(?!${ANY})`, { accept: hasDigit, atWordStart: true }),
  shape("frameio-token", "fio-u-", `${WORD}{40,80}`),
  shape("x-bearer", "AAAAAAAAAAAAAAAAAAAA", "[\\w%]{30,200}", {
    accept: (token) => /%[0-9A-F]{2}/.test(token),
    atWordStart: true,
  }),
  shape("facebook-token", "EAA", `${ANY}{40,400}`, { accept: isRandom, atWordStart: true }),
  shape("zapier-hook", "hooks.zapier.com/hooks/catch/", "\\d{3,12}/[\\w-]{5,40}"),
  shape("ifttt-key", "maker.ifttt.com/use/ /with/key/", `${WORD}{20,60}`),
  shape("make-hook", ".make.com/ .integromat.com/", "[a-z0-9]{28,40}", { accept: hasDigit }),
  shape("feishu-hook", "/open-apis/bot/v2/hook/", "[\\w-]{20,60}"),
  shape("pagerduty-key", "events.pagerduty.com/integration/", "[a-f0-9]{32}"),
  shape("healthchecks-url", "hc-ping.com/", UUID),
  shape("google-calendar", "/private-", `${HEX}{32}(?=/)`),
  shape("infura-key", "infura.io/v3/ alchemy.com/v2/ alchemyapi.io/v2/ quiknode.pro/ ankr.com/eth/", `${WORD}{24,80}`),
  shape("telegram-bot", "api.telegram.org/bot", "\\d{6,12}:[\\w-]{30,50}"),
  shape("twitch-token", "oauth:", "[a-z0-9]{30}(?![a-z0-9])", { accept: hasDigit }),
  shape("matrix-token", "syt_", `[A-Za-z0-9+/=]{4,60}_${ANY}{16,30}_${ANY}{6}`),
  // Payment and commerce.
  shape("stripe-key", "sk_live_ sk_test_ rk_live_ rk_test_ sk_org_", `${ANY}{10,255}`, { accept: hasDigit }),
  shape("stripe-webhook-secret", "whsec_", "[A-Za-z0-9+/=]{20,80}"),
  shape("square-token", "sq0atp- sq0csp- sq0idp-", `${WORD}{20,60}`),
  shape("square-token", "EAAA", `${WORD}{60,64}(?!${WORD})`, { accept: isRandom, atWordStart: true }),
  shape("paypal-token", "access_token$production$ access_token$sandbox$", "[a-z0-9]{13,20}\\$[a-f0-9]{32}"),
  shape("plaid-token", "access-sandbox- access-development- access-production-", UUID),
  shape("shopify-token", "shpat_ shpca_ shppa_ shpss_ shptka_", "[a-fA-F0-9]{32}"),
  shape("flutterwave-key", "FLWSECK", "[\\w-]{12,60}"),
  shape("easypost-key", "EZAK EZTK", `${ANY}{54}`),
  shape("shippo-token", "shippo_live_ shippo_test_", `${HEX}{40}`),
  shape("duffel-token", "duffel_live_ duffel_test_", `${WORD}{40,60}`),
  inner("stripe-client-secret", "_secret_", `(?<!${ANY})(?:pi|seti)_${ANY}{14,30}`, `${ANY}{20,40}`),
  shape("pagarme-key", "ak_live_", `${ANY}{30}`),
  shape("ramp-key", "ramp_sec_", `${ANY}{48}`),
  shape("square-token", "sandbox-sq0atb- sandbox-sq0csb- sqco_", `${WORD}{20,60}`),
  shape("razorpay-key", "rzp_live_ rzp_test_", `${ANY}{14,40}`),
  shape("paddle-key", "pdl_live_apikey_ pdl_sdbx_apikey_ pdl_ntfset_", `${WORD}{20,100}`),
  shape("polar-token", "polar_oat_ polar_pat_", `${ANY}{30,60}`),
  shape("klarna-key", "klarna_live_api_ klarna_test_api_", `${WORD}{20,100}`),
  shape("mollie-key", "access_", `${ANY}{40}(?!${ANY})`, { accept: isRandom, atWordStart: true }),
  shape("bitcoin-key", "xprv yprv zprv tprv", `${ANY}{100,115}(?!${ANY})`, { atWordStart: true }),
  shape("nostr-key", "nsec1", "[a-z0-9]{58}(?![a-z0-9])", { atWordStart: true }),
  shape("cardano-key", "ed25519_sk1 ed25519e_sk1 xprv1", "[a-z0-9]{50,160}", { atWordStart: true }),
  shape("gocardless-token", "live_", `${WORD}{40}(?!${WORD})`, { accept: isRandom, atWordStart: true }),
  shape("adobe-secret", "p8e-", `${WORD}{32}(?!${WORD})`, { accept: hasDigit, atWordStart: true }),
  shape("salad-key", "salad_cloud_", `${ANY}{1,7}_${ANY}{7,235}`),
  shape("zoho-token", "1000.", `${HEX}{32}\\.${HEX}{32}`, { atWordStart: true }),
  shape("voiceflow-key", "VF.", `(?:(?:DM|WS)\\.)?${HEX}{24}\\.${ANY}{16}`, { atWordStart: true }),
  shape("ubidots-token", "BBFF-", `${ANY}{30}`),
  shape("pubnub-secret", "sec-c-", "[A-Za-z0-9+/=]{40,70}"),
  shape("defined-key", "dnkey-", `${WORD}{70,90}`),
  shape("intra42-secret", "s-s4t2ud- s-s4t2af-", `${HEX}{64}`),
  shape("salesforce-token", "00D", `${ANY}{12,15}![\\w.]{60,200}`, { atWordStart: true }),
  shape("salesforce-token", "5AEP861", "[\\w.=]{60,200}", { atWordStart: true }),
  shape("amazon-secret", "amzn1.oa2-cs.v1.", `${HEX}{64}`),
  shape("amazon-token", "Atza| Atzr|", `${WORD}{40,2000}`),
  shape("yandex-token", "t1.", "[\\w=-]{20,200}\\.[\\w-]{80,90}={0,2}", { atWordStart: true }),
  shape("yandex-token", "y0_ y1_ y2_ y3_", `${WORD}{50,80}`, { accept: isRandom, atWordStart: true }),
  shape(
    "authress-key",
    "sc_ ext_ scauth_",
    `${ANY}{5,30}\\.${ANY}{4,6}\\.acc[_-][\\w-]{10,32}\\.[A-Za-z0-9+/_=-]{30,120}`,
    {
      atWordStart: true,
    },
  ),
  shape("endor-key", "endr+", `${WORD}{16}`),
  shape("figma-token", "figp_ figr_", `${WORD}{30,80}`),
  shape("openai-session", "sess-", `${ANY}{40}(?!${ANY})`, { atWordStart: true }),
  // Monitoring, analytics and others.
  inner("newrelic-key", "FFFFNRAL", `(?<!${ANY})${ANY}{30,36}`, ""),
  shape("honeycomb-key", "hcaik_ hcbik_ hcamk_ hcxik_ hcxmk_ hcxlk_", `${ANY}{30,80}`),
  shape("axiom-token", "xaat- xapt-", UUID),
  shape("logfire-token", "pylf_v1_", `[a-z]{2}_${ANY}{30,80}`),
  shape("checkly-key", "cu_", `${HEX}{32}`, { atWordStart: true }),
  shape("statsig-key", "secret- console-", `${ANY}{40,60}(?!${WORD})`, { accept: isRandom, atWordStart: true }),
  shape("segment-token", "sgp_", `${ANY}{30,80}`, { accept: isRandom }),
  shape(
    "private-key",
    "MIIEvQIBADANBgkqhkiG9w0BAQEFAASC MIIJQgIBADANBgkqhkiG9w0BAQEFAASC",
    "[A-Za-z0-9+/=\\n\\r]{100,8000}",
  ),
  shape(
    "private-key",
    "MIIEpAIBAAKCAQEA MIIEowIBAAKCAQEA MIIJKQIBAAKCAgEA MIICXAIBAAKBgQ MHcCAQEEI MIGHAgEAMBMGByqGSM49",
    "[A-Za-z0-9+/=\\n\\r]{60,8000}",
  ),
  shape("private-key", "b3BlbnNzaC1rZXktdjE", "[A-Za-z0-9+/=\\n\\r]{100,8000}"),
  shape("private-key", "RWRTY0Iy", "[A-Za-z0-9+/=]{60,240}", { atWordStart: true }),
  shape("newrelic-key", "NRAK- NRJS- NRII- NRRA- NRSP- NRBR- NRIQ-", "[\\w-]{19,40}"),
  shape("sentry-token", "sntrys_ sntryu_", "[\\w=+/.-]{40,400}"),
  shape("grafana-token", "glsa_ glc_", "[\\w=+/]{32,400}"),
  shape("grafana-key", "eyJrIjoi", `${WORD}{50,200}={0,2}`, { atWordStart: true }),
  shape("dynatrace-token", "dt0c01. dt0s01. dt0s16.", "[A-Z0-9]{8,24}\\.[A-Z0-9]{60,64}"),
  shape("datadog-key", "ddapp_ ddpat_", `${WORD}{30,60}`),
  shape("launchdarkly-key", "sdk- api- mob-", UUID, { atWordStart: true }),
  shape("posthog-key", "phx_ phs_ phc_", `${ANY}{40,60}`),
  shape("hubspot-token", "pat-na1- pat-na2- pat-eu1-", UUID),
  shape("contentful-token", "CFPAT-", `${WORD}{40,60}`),
  shape("adafruit-key", "aio_", `${ANY}{28}(?!${ANY})`, { accept: hasDigit }),
  shape("infracost-key", "ico-", `${ANY}{32}`),
  shape("prefect-key", "pnu_ pnb_", `${ANY}{36}`),
  shape("astra-token", "AstraCS:", "[\\w:=-]{40,160}"),
  shape("mapbox-token", "sk.eyJ", "[\\w-]{40,200}\\.[\\w-]{10,60}"),
  shape("trello-token", "ATTA", `${HEX}{60,80}`),
  shape("dropbox-token", "sl.", "(?:u\\.)?[\\w-]{60,2000}", { atWordStart: true }),
  shape("settlemint-token", "sm_aat_ sm_pat_ sm_sat_", `${ANY}{16,40}`),
  inner("maxmind-key", "_mmk", `(?<!\\w)${ANY}{6}_${ANY}{29}`, "(?!\\w)"),
  shape("clickhouse-key", "4b1d", `${ANY}{38}(?!${ANY})`, { accept: isRandom, atWordStart: true }),
  shape("jwt", "eyJ", "[\\w-]{8,4000}\\.[\\w-]{8,8000}\\.[\\w-]{0,2000}", { atWordStart: true }),
  shape("jwe", "eyJ", "[\\w-]{8,4000}\\.\\.?[\\w-]{8,8000}\\.[\\w-]{8,8000}\\.[\\w-]{8,2000}", { atWordStart: true }),
  // Password hashes: they can be attacked offline.
  shape("password-hash", "$2a$ $2b$ $2y$", "\\d\\d\\$[./A-Za-z0-9]{53}"),
  shape("password-hash", "$1$ $5$ $6$ $y$ $apr1$", "[^\\s:$]{1,60}\\$(?:[^\\s:$]{1,60}\\$)?[./A-Za-z0-9]{20,100}"),
  shape("password-hash", "$argon2id$ $argon2i$ $argon2d$", "[\\w=,$+/.-]{30,300}"),
  shape("password-hash", "grub.pbkdf2.", "[\\w.]{60,600}"),
  shape("password-hash", "SCRAM-SHA-256$ SCRAM-SHA-1$", "\\d{1,8}:[\\w$=+/:-]{30,300}"),
  inner("password-hash", ":::", "[a-fA-F0-9]{32}:[a-fA-F0-9]{32}", ""),
  shape("password-hash", "pbkdf2_sha256$ pbkdf2_sha512$", "[\\w$=+/.-]{30,300}"),
];
