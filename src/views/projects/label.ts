export const UNKNOWN_PROJECT = "unknown-project";

/** Maximum characters of a name: with the hash appended, it must be a valid file name on every system. */
const LONGEST = 48;

/**
 * Makes a label safe for file names and URLs, in any script: letters, combining marks, digits and emoji stay; every run
 * of other characters becomes a dash. The result for ASCII labels must not change, because project keys depend on it.
 */
export function slug(label: string): string {
  const dashed = label
    .normalize("NFC")
    .replace(/[^\p{L}\p{M}\p{N}\p{Emoji_Presentation}._-]+/gu, "-")
    .replace(/-+/g, "-");
  const cut = [...trimmed(dashed)].slice(0, LONGEST).join("");
  const name = trimmed(cut);
  // A name of only dots would mean a directory.
  return /^\.*$/.test(name) ? UNKNOWN_PROJECT : name;
}

/** Also removes a leading combining mark, which would combine with the character before the name. */
function trimmed(text: string): string {
  return text.replace(/^[-\p{M}]+|-+$/gu, "");
}

/** The last part of a path with slashes or backslashes. */
export function basename(path: string): string {
  return path.split(/[/\\]+/).findLast((part) => part !== "") ?? "";
}

/** `owner-repo` from https, ssh and scp-like URLs. */
export function nameFromRemote(url: string): string | null {
  const parts = pathOf(url);
  const repo = parts.at(-1);
  const owner = parts.at(-2);
  if (repo === undefined) return null;
  return owner === undefined || owner.includes(".") ? repo : `${owner}-${repo}`;
}

/** Normalises a repository URL: equal for every spelling, whatever the credentials, protocol or port. */
export function repositoryOf(url: string): string | null {
  const parts = pathOf(url.replace(/^[a-z][a-z+]*:\/\//i, "").replace(/^[^/@]*@/, ""));
  const named = parts.filter((part, i) => i !== 1 || !/^\d+$/.test(part));
  return named.length === 0 ? null : named.join("/").toLowerCase();
}

function pathOf(url: string): string[] {
  const path = url
    .trim()
    .replace(/[?#].*$/, "")
    .replace(/\/+$/, "")
    .replace(/\.git$/, "");
  return path.split(/[/:\\]+/).filter((part) => part !== "" && !part.includes("@"));
}
