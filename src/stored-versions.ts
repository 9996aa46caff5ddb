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
  cline: { version: 6, code: "8c6105e3c9e0" },
  "cline-tasks": { version: 4, code: "5cd77b4f0553" },
  codex: { version: 35, code: "bcb626289f9e" },
  continue: { version: 7, code: "bc3b0e0c7281" },
  copilot: { version: 28, code: "aa9ef57a70de" },
  crush: { version: 6, code: "8161c44d7002" },
  cursor: { version: 6, code: "d134b8fc2af7" },
  droid: { version: 5, code: "42e2ff76fa83" },
  gemini: { version: 27, code: "31fd393a6113" },
  goose: { version: 25, code: "0b3b5a5e8f0d" },
  gptme: { version: 7, code: "378ed173fb08" },
  grok: { version: 4, code: "33ac26f91a0d" },
  kilo: { version: 3, code: "00881a7b6335" },
  kimi: { version: 6, code: "6b2c7f67ea89" },
  log: { version: 30, code: "c59ee4e752b4" },
  opencode: { version: 26, code: "b1a7ed24847c" },
  openhands: { version: 6, code: "c7feeaa840e8" },
  pi: { version: 28, code: "63f737952ff1" },
  qwen: { version: 27, code: "0e52b402dac6" },
  vibe: { version: 4, code: "0620579c7aa3" },
  "vscode-copilot": { version: 5, code: "e0db3ceff730" },
};

/** Tables and the content of their rows: an index of another version is rebuilt from the book. */
export const TABLES: StoredVersion = { version: 92, code: "68721f99e8e2" };

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
