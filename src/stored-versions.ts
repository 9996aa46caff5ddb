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
  aider: { version: 19, code: "4ce3b8f22248" },
  "claude-code": { version: 21, code: "259d81972753" },
  codex: { version: 27, code: "332a0e218776" },
  copilot: { version: 19, code: "ccc99835345f" },
  gemini: { version: 19, code: "785938b56636" },
  goose: { version: 19, code: "ba5a626dffb9" },
  log: { version: 22, code: "6b8f79012df3" },
  opencode: { version: 19, code: "1a25fbd24408" },
  pi: { version: 19, code: "5081eb058717" },
  qwen: { version: 19, code: "d2e421ecbbc9" },
};

/** Tables and the content of their rows: an index of another version is rebuilt from the book. */
export const TABLES: StoredVersion = { version: 58, code: "6930b7776986" };

/** Sources registered by users of the library are not in the list: their pages are read again only if a file changes. */
const UNLISTED = 15;

export function readerVersion(source: string): number {
  return READERS[source]?.version ?? UNLISTED;
}
