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
  aider: { version: 20, code: "fb241bc7ef03" },
  "claude-code": { version: 22, code: "d80a9f5901ee" },
  codex: { version: 28, code: "4468ba6e7d4b" },
  copilot: { version: 20, code: "9f24fb593cce" },
  gemini: { version: 20, code: "a3b48a137331" },
  goose: { version: 20, code: "580f467ea24b" },
  log: { version: 23, code: "c3569c24bff8" },
  opencode: { version: 20, code: "84552c943f4e" },
  pi: { version: 20, code: "806bc95a3776" },
  qwen: { version: 20, code: "b9d105177385" },
};

/** Tables and the content of their rows: an index of another version is rebuilt from the book. */
export const TABLES: StoredVersion = { version: 59, code: "8bef75167e9c" };

/** Sources registered by users of the library are not in the list: their pages are read again only if a file changes. */
const UNLISTED = 15;

export function readerVersion(source: string): number {
  return READERS[source]?.version ?? UNLISTED;
}
