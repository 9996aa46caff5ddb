/** Version of code whose results are stored, and a hash of that code. `npm run versions` keeps both. */
export interface StoredVersion {
  version: number;
  /** A test compares it with the code, so that nobody changes what is stored without raising the version. */
  code: string;
}

/**
 * The reader of each source. A page names the version that wrote it: pages of another version are read again while
 * their files exist; where the file is gone, the page stays as it is. Up to version 15 all sources shared one number.
 */
export const READERS: Readonly<Record<string, StoredVersion>> = {
  aider: { version: 20, code: "bdd9023e5fff" },
  "claude-code": { version: 23, code: "556545dcd403" },
  codex: { version: 28, code: "78822a71a799" },
  copilot: { version: 21, code: "a6e5ad9bfead" },
  gemini: { version: 21, code: "11118e5e5bd8" },
  goose: { version: 20, code: "2adcf5c0ac22" },
  log: { version: 23, code: "39ba0994b538" },
  opencode: { version: 20, code: "140c4dfe1f60" },
  pi: { version: 21, code: "a3d88c1d77fa" },
  qwen: { version: 21, code: "f04437d70a21" },
};

/** Tables and the content of their rows: an index of another version is rebuilt from the book. */
export const TABLES: StoredVersion = { version: 61, code: "dab98370694c" };

/** Sources registered by users of the library are not in the list: their pages are read again only if a file changes. */
const UNLISTED = 15;

export function readerVersion(source: string): number {
  return READERS[source]?.version ?? UNLISTED;
}
