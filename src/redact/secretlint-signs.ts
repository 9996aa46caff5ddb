/** What one of these rules may begin with: looked for with all other signs, and then more closely. */
export const SECRETLINT_SIGNS: readonly string[] = [
  ...["ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_", "xox", "hooks.slack.com", "SG.", "shpat_"],
  ...["shpca_", "shppa_", "shpss_", "npm_", "sk-ant-", "T3BlbkFJ", "lin_api_"],
  ...["SECRET_ACCESS_KEY", "secret_access_key", "SecretAccessKey", "secretAccessKey"],
];

/** Behind a sign something long must follow; to ask the rules costs more than to see that nothing does. */
const LIKELY = /[\w./:=" '-]{0,40}?[A-Za-z0-9+/_-]{16}/y;

export function isSecretlintShape(text: string, at: number): boolean {
  LIKELY.lastIndex = at;
  return LIKELY.test(text);
}
