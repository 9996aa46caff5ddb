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
  cline: { version: 4, code: "455a06f192aa" },
  "cline-tasks": { version: 2, code: "94850809e730" },
  codex: { version: 35, code: "bcb626289f9e" },
  continue: { version: 4, code: "332106ebc824" },
  copilot: { version: 28, code: "aa9ef57a70de" },
  crush: { version: 4, code: "1e6696b27d43" },
  cursor: { version: 4, code: "acab2c127686" },
  droid: { version: 3, code: "b1ff0e472f85" },
  gemini: { version: 27, code: "31fd393a6113" },
  goose: { version: 25, code: "0b3b5a5e8f0d" },
  gptme: { version: 4, code: "2d97cde2bdfd" },
  grok: { version: 1, code: "a792c672c7ba" },
  kilo: { version: 3, code: "00881a7b6335" },
  kimi: { version: 3, code: "a028d75c665d" },
  log: { version: 30, code: "c59ee4e752b4" },
  opencode: { version: 26, code: "b1a7ed24847c" },
  openhands: { version: 4, code: "3eee0b7b9fee" },
  pi: { version: 26, code: "ef424ea85bd3" },
  qwen: { version: 27, code: "0e52b402dac6" },
  vibe: { version: 1, code: "743e280a3e90" },
  "vscode-copilot": { version: 3, code: "9e1a6bdd4478" },
};

/** Tables and the content of their rows: an index of another version is rebuilt from the book. */
export const TABLES: StoredVersion = { version: 86, code: "faac1b3f2911" };

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
