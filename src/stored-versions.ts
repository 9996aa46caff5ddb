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
  aider: { version: 22, code: "c1a13c78bec2" },
  "claude-code": { version: 25, code: "4e3df3899803" },
  codex: { version: 30, code: "bff2bc55495b" },
  copilot: { version: 23, code: "92e4328e54f3" },
  gemini: { version: 23, code: "7e16bb3d1605" },
  goose: { version: 22, code: "3b435c931d6c" },
  log: { version: 25, code: "3a5d666f70f9" },
  opencode: { version: 22, code: "8e1b05460005" },
  pi: { version: 23, code: "67464a785bbe" },
  qwen: { version: 23, code: "f8ec9050d369" },
};

/** Tables and the content of their rows: an index of another version is rebuilt from the book. */
export const TABLES: StoredVersion = { version: 63, code: "cd5e68e4ddc4" };

/** Sources registered by users of the library are not in the list: their pages are read again only if a file changes. */
const UNLISTED = 15;

export function readerVersion(source: string): number {
  return READERS[source]?.version ?? UNLISTED;
}
