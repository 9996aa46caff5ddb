/** Texts that matches of secretlint's rules contain; searched for together with all other signs. */
export const SECRETLINT_SIGNS: readonly string[] = [
  "ghp_",
  "gho_",
  "ghu_",
  "ghs_",
  "ghr_",
  "github_pat_",
  "xox",
  "hooks.slack.com",
  "SG.",
  "shpat_",
  "shpca_",
  "shppa_",
  "shpss_",
  "npm_",
  "sk-ant-",
  "T3BlbkFJ",
  "lin_api_",
  "SECRET_ACCESS_KEY",
  "secret_access_key",
  "SecretAccessKey",
  "secretAccessKey",
];

/** Cheap filter before the rules run: a long run of characters must follow the sign. */
const LIKELY = /[\w./:=" '-]{0,40}?[A-Za-z0-9+/_-]{16}/y;

export function isSecretlintShape(text: string, at: number): boolean {
  LIKELY.lastIndex = at;
  return LIKELY.test(text);
}
