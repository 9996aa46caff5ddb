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
  aider: { version: 23, code: "1f7b32873b1b" },
  "claude-code": { version: 26, code: "9e20ebbe5e53" },
  codex: { version: 31, code: "74df0ada1b25" },
  copilot: { version: 24, code: "e88883c61ee0" },
  gemini: { version: 24, code: "9ec3599982e0" },
  goose: { version: 23, code: "6aa298fb2e2e" },
  log: { version: 26, code: "75ceb391cbe3" },
  opencode: { version: 23, code: "1c13efcaaf6d" },
  pi: { version: 24, code: "4448a1605474" },
  qwen: { version: 24, code: "83777c91f505" },
};

/** Tables and the content of their rows: an index of another version is rebuilt from the book. */
export const TABLES: StoredVersion = { version: 65, code: "b553fec65160" };

/** Sources registered by users of the library are not in the list: their pages are read again only if a file changes. */
const UNLISTED = 15;

export function readerVersion(source: string): number {
  return READERS[source]?.version ?? UNLISTED;
}
