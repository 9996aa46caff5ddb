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
  aider: { version: 20, code: "9efb4b867440" },
  "claude-code": { version: 22, code: "a2c9f703b868" },
  codex: { version: 28, code: "745893288489" },
  copilot: { version: 20, code: "97ac19087bec" },
  gemini: { version: 20, code: "d3cb1a2e3f5e" },
  goose: { version: 20, code: "237904cfe5f3" },
  log: { version: 23, code: "1b9d9154f7ad" },
  opencode: { version: 20, code: "79a2c949dbc1" },
  pi: { version: 20, code: "80f29c128067" },
  qwen: { version: 20, code: "630649b0c0bb" },
};

/** Tables and the content of their rows: an index of another version is rebuilt from the book. */
export const TABLES: StoredVersion = { version: 59, code: "5453f948b06f" };

/** Sources registered by users of the library are not in the list: their pages are read again only if a file changes. */
const UNLISTED = 15;

export function readerVersion(source: string): number {
  return READERS[source]?.version ?? UNLISTED;
}
