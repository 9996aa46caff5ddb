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
  aider: { version: 21, code: "cb36c8f34790" },
  "claude-code": { version: 24, code: "74cb1f185b9a" },
  codex: { version: 29, code: "0aa3b0064611" },
  copilot: { version: 22, code: "5dee37221a72" },
  gemini: { version: 22, code: "c02dc7c88453" },
  goose: { version: 21, code: "398697d85969" },
  log: { version: 24, code: "53de740f534f" },
  opencode: { version: 21, code: "ee3c2fb2e7ce" },
  pi: { version: 22, code: "2625e0331656" },
  qwen: { version: 22, code: "38ffc905c524" },
};

/** Tables and the content of their rows: an index of another version is rebuilt from the book. */
export const TABLES: StoredVersion = { version: 62, code: "aa16b7a3dcfd" };

/** Sources registered by users of the library are not in the list: their pages are read again only if a file changes. */
const UNLISTED = 15;

export function readerVersion(source: string): number {
  return READERS[source]?.version ?? UNLISTED;
}
