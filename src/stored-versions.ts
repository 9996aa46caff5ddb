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
  aider: { version: 25, code: "1dfa9c6c930a" },
  "claude-code": { version: 30, code: "df2155d3cdb4" },
  cline: { version: 5, code: "7e8b6b29b0ef" },
  "cline-tasks": { version: 3, code: "67d309a17e0e" },
  codex: { version: 35, code: "bcb626289f9e" },
  continue: { version: 5, code: "b0f367658eea" },
  copilot: { version: 28, code: "aa9ef57a70de" },
  crush: { version: 5, code: "856e8d8384f5" },
  cursor: { version: 5, code: "90697a7e3397" },
  droid: { version: 4, code: "211eed7c2216" },
  gemini: { version: 27, code: "31fd393a6113" },
  goose: { version: 25, code: "0b3b5a5e8f0d" },
  gptme: { version: 5, code: "a17782bb806d" },
  grok: { version: 2, code: "75f03f47b59c" },
  kilo: { version: 3, code: "00881a7b6335" },
  kimi: { version: 4, code: "c0a97a1aba18" },
  log: { version: 30, code: "c59ee4e752b4" },
  opencode: { version: 26, code: "b1a7ed24847c" },
  openhands: { version: 5, code: "4f7c860fdcbc" },
  pi: { version: 27, code: "2a7fae5e105d" },
  qwen: { version: 27, code: "0e52b402dac6" },
  vibe: { version: 2, code: "15ce8272cace" },
  "vscode-copilot": { version: 4, code: "116b3ebaf80a" },
};

/** Tables and the content of their rows: an index of another version is rebuilt from the book. */
export const TABLES: StoredVersion = { version: 89, code: "3de64ad0aa1e" };

/** Sources registered by users without a version: their pages are read again only if a file changes. */
const UNLISTED = 15;
/** Versions of the sources that users registered. */
const registered = new Map<string, number>();

export function registerReader(source: string, version: number): void {
  registered.set(source, version);
}

export function readerVersion(source: string): number {
  return READERS[source]?.version ?? registered.get(source) ?? UNLISTED;
}
