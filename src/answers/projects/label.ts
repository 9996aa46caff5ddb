export const UNKNOWN = "unknown-project";

/** As many characters as a name may have: with the hash behind it, it still is a file name everywhere. */
const LONGEST = 48;

/**
 * Safe in file names and addresses, in any script: letters, their marks, digits and emoji stay, every run of anything else is
 * a dash. Names in ASCII come out as they always did, so their keys stay.
 */
export function slug(label: string): string {
  const dashed = label
    .normalize("NFC")
    .replace(/[^\p{L}\p{M}\p{N}\p{Emoji_Presentation}._-]+/gu, "-")
    .replace(/-+/g, "-");
  const cut = [...trimmed(dashed)].slice(0, LONGEST).join("");
  const name = trimmed(cut);
  // Of dots alone no name is made: they mean places.
  return /^\.*$/.test(name) ? UNKNOWN : name;
}

/** A mark without the letter it belongs to would sit on whatever stands before the name. */
function trimmed(text: string): string {
  return text.replace(/^[-\p{M}]+|-+$/gu, "");
}

/** The last part of a path of any system. */
export function basename(path: string): string {
  return path.split(/[/\\]+/).findLast((part) => part !== "") ?? "";
}

/** `owner-repo` from https, ssh and scp-like addresses. */
export function fromRemote(url: string): string | null {
  const parts = pathOf(url);
  const repo = parts.at(-1);
  const owner = parts.at(-2);
  if (repo === undefined) return null;
  return owner === undefined || owner.includes(".") ? repo : `${owner}-${repo}`;
}

/** The same text for every spelling of one repository's address, with whatever password, protocol or port. */
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
