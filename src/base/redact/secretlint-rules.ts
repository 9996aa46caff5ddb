import { creator } from "@secretlint/secretlint-rule-preset-recommend";
import type { Span } from "./named.ts";

/**
 * The recommended rules of secretlint, so that its updates reach Daybook with the next version. They expect a file, but
 * get only a piece of text around a sign, because every rule scans everything it is given.
 */
interface SecretlintRule {
  file: (source: object) => unknown;
}

interface SecretlintRuleCreator {
  meta: { id: string; type: string };
  create: (context: object, options: object) => SecretlintRule;
}

interface Report {
  message: { messageId: string };
  range: readonly [number, number];
}

/** Maps message ids of secretlint to the kinds that Daybook's own rules use. */
const KINDS: Readonly<Record<string, string>> = {
  AWSSecretAccessKey: "aws-secret-key",
  GITHUB_TOKEN: "github-token",
  IncomingWebhook: "slack-webhook",
  LINEAR_API_TOKEN: "linear-key",
  NPM_ACCESS_TOKEN: "npm-token",
  OPENAI_TOKEN: "openai-key",
  ANTHROPIC_API_KEY: "anthropic-key",
  SENDGRID_KEY: "sendgrid-key",
  SHOPIFY_KEY: "shopify-token",
  SLACK_TOKEN: "slack-token",
};

/** Ignored: account ids are not secret, and of a connection string only the password is, which an own rule finds. */
const NOT_OURS = /^(?:AWSAccountID|BasicAuth|\w+Connection)$/;

/** Characters before and after a sign that are passed to the rules. */
const [BEFORE, BEHIND] = [100, 2000];

let rules: readonly SecretlintRule[] | null = null;
let reports: Report[] = [];

export function secretlintSecrets(text: string, at: number): { found: Span[]; end: number } {
  const start = Math.max(0, at - BEFORE);
  const piece = text.slice(start, at + BEHIND);
  rules ??= loadRules();
  reports = [];
  const source = { content: piece, contentType: "text", filePath: "session.txt", ext: ".txt", hasBOM: false };
  for (const rule of rules) rule.file(source);
  const found = reports
    .filter(({ message }) => !NOT_OURS.test(message.messageId))
    .map(({ message, range }) => ({
      start: start + range[0],
      end: start + range[1],
      kind: KINDS[message.messageId] ?? "secret",
    }));
  return { found, end: at + BEHIND };
}

function loadRules(): SecretlintRule[] {
  const loaded: SecretlintRule[] = [];
  const context = {
    sharedOptions: {},
    locale: "en",
    ignore: () => undefined,
    report: (report: Report) => void reports.push(report),
    createTranslator: () => (messageId: string) => ({ message: "", messageId, docsUrl: "" }),
  };
  const register = {
    registerRule(rule: SecretlintRuleCreator, descriptor?: { options?: object }) {
      // Comments in a session that disable the linter must not disable redaction.
      if (rule.meta.id.includes("filter-comments")) return;
      loaded.push(rule.create(context, descriptor?.options ?? {}));
    },
  };
  (creator as { create: (context: object, options: object) => void }).create(register, {});
  return loaded;
}
