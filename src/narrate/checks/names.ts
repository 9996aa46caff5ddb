import { inQuotes } from "./citations.ts";
import type { Problem } from "./problem.ts";
import { someTextHolds, type Scope } from "./scope.ts";

const URL_TEXT = /\bhttps?:\/\/[^\s<>"'`)\]]+/giu;
/** A text with a slash, or a file name by its extension. */
const PATH =
  /(?<![\w/.:@-])(?:[~.]{0,2}\/)?(?:[\w.@+-]+\/)+[\w.@+-]*[\w@+-]|(?<![\w/.-])[\w-][\w.-]*\.(?:[cm]?[jt]sx?|py|rs|go|rb|java|kt|swift|php|cs?|h|cpp|sh|md|json|ya?ml|toml|lock|html|css|sql|txt|svelte|vue|env|cfg|ini|xml|proto)\b/gu;
const HASH = /(?<![\w-])(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{7,40}(?![\w-])/gu;

/** URLs, paths and commits must be in the cited lines, or among the files and commits of the turns. */
export function nameProblems(text: string, scope: Scope, path: string): Problem[] {
  const own = scope.turns.flatMap(({ view, commits, agents }) => [
    ...(view?.files?.map((file) => file.path) ?? []),
    ...[...commits, ...agents.flatMap((agent) => agent.commits)].flatMap(({ hash }) => (hash === null ? [] : [hash])),
  ]);
  const isKnown = (name: string): boolean =>
    someTextHolds(scope, (said) => said.includes(name)) ||
    own.some((one) => one.includes(name) || (name.length >= 7 && name.startsWith(one)));
  const without = text.replace(URL_TEXT, " ");
  const urls = [...text.matchAll(URL_TEXT)].map(([url]) => url.replace(/[.,;:!?]+$/, ""));
  const paths = [...without.matchAll(PATH)].map(([name]) => name).filter((name) => !isAlternative(name));
  const hashes = [...without.matchAll(HASH)].map(([name]) => name);
  return [...new Set([...urls, ...paths, ...hashes])]
    .filter((name) => !isKnown(name))
    .map((name) => ({
      rule: "name.unknown",
      path,
      message: `${inQuotes(name)} does not stand in the cited lines`,
      hint: "name only files, addresses and commits of the cited lines, as they are written there",
    }));
}

/** `and/or`, `S0001/T0001`, `1/3`: words separated by a slash. */
function isAlternative(name: string): boolean {
  const parts = name.split("/");
  if (/^S\d{4,}\/T\d{4,}$/.test(name) || parts.every((part) => /^\d+$/.test(part))) return true;
  return parts.length === 2 && parts.every((part) => /^\p{L}+$/u.test(part));
}
