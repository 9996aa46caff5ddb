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
  aider: { version: 24, code: "b7e0c0e8c973" },
  "claude-code": { version: 28, code: "bfeab1c4a45d" },
  cline: { version: 2, code: "83b21d7ef7ca" },
  codex: { version: 32, code: "110404c45d56" },
  continue: { version: 2, code: "e7e2442b43cd" },
  copilot: { version: 26, code: "4f653deff718" },
  crush: { version: 3, code: "be9c4dfa92b7" },
  cursor: { version: 2, code: "1eb17c14a8d0" },
  droid: { version: 2, code: "87edef421ac6" },
  gemini: { version: 25, code: "a9cb92c658ce" },
  goose: { version: 24, code: "821ce952403f" },
  gptme: { version: 3, code: "349b225341e2" },
  kilo: { version: 2, code: "75165e30a1b9" },
  kimi: { version: 2, code: "330b6528ab1a" },
  log: { version: 28, code: "c457b03ce1ef" },
  opencode: { version: 25, code: "cda5c03d5319" },
  openhands: { version: 3, code: "0c4c16700390" },
  pi: { version: 25, code: "6e2806fa21e5" },
  qwen: { version: 26, code: "7e0ef7ccf211" },
};

/** Tables and the content of their rows: an index of another version is rebuilt from the book. */
export const TABLES: StoredVersion = { version: 71, code: "5c3119eec4ca" };

/** Sources registered by users of the library are not in the list: their pages are read again only if a file changes. */
const UNLISTED = 15;

export function readerVersion(source: string): number {
  return READERS[source]?.version ?? UNLISTED;
}
