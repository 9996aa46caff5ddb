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
  aider: { version: 26, code: "5c6932e7d9eb" },
  "claude-code": { version: 31, code: "2c2dde44b6d3" },
  cline: { version: 7, code: "b874d1efe23f" },
  "cline-tasks": { version: 5, code: "71ee29b81fe5" },
  codex: { version: 36, code: "58cbd1829913" },
  continue: { version: 8, code: "49dcba486fc6" },
  copilot: { version: 29, code: "6036883989ef" },
  crush: { version: 7, code: "8a1b18e72d40" },
  cursor: { version: 7, code: "09556e73515a" },
  droid: { version: 7, code: "6dbebf37abf2" },
  gemini: { version: 28, code: "254819265489" },
  goose: { version: 26, code: "63ffd925dc25" },
  gptme: { version: 8, code: "117e5007e93e" },
  grok: { version: 5, code: "c1ec20b15d5d" },
  kilo: { version: 4, code: "e757d3174069" },
  kimi: { version: 7, code: "0e67ca747876" },
  log: { version: 31, code: "d316be79def0" },
  opencode: { version: 27, code: "21466b46c1bb" },
  openhands: { version: 8, code: "8bf84642eeb1" },
  pi: { version: 29, code: "4dd4fb3661ff" },
  qwen: { version: 28, code: "894979fec50f" },
  vibe: { version: 5, code: "32983015b735" },
  "vscode-copilot": { version: 6, code: "5d311c1215f7" },
};

/** Tables and the content of their rows: an index of another version is rebuilt from the book. */
export const TABLES: StoredVersion = { version: 95, code: "436585fcb42e" };

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
