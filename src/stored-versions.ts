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
  aider: { version: 27, code: "3ff3dbc49959" },
  "claude-code": { version: 32, code: "7fa903d638de" },
  cline: { version: 8, code: "de157c5467df" },
  "cline-tasks": { version: 6, code: "0fd384449456" },
  codex: { version: 37, code: "5ba93a4a9197" },
  continue: { version: 9, code: "b920f8dca2b9" },
  copilot: { version: 30, code: "72b59a3a6e1c" },
  crush: { version: 8, code: "baa5b9bf61e2" },
  cursor: { version: 8, code: "6e0739b70db4" },
  droid: { version: 8, code: "964864457894" },
  gemini: { version: 29, code: "07ea53c527a1" },
  goose: { version: 27, code: "1df887921a69" },
  gptme: { version: 9, code: "fe156a8650e2" },
  grok: { version: 6, code: "55bc76395054" },
  kilo: { version: 5, code: "bf38f081bb8f" },
  kimi: { version: 8, code: "a7fffc1df456" },
  log: { version: 32, code: "a2c9309b4bef" },
  opencode: { version: 28, code: "916a43d94d59" },
  openhands: { version: 9, code: "18174f8a1cc7" },
  pi: { version: 30, code: "49d6b33b01fd" },
  qwen: { version: 29, code: "8ed44f0ca9c6" },
  vibe: { version: 6, code: "5ecc9394698f" },
  "vscode-copilot": { version: 7, code: "4984e5cd5488" },
};

/** Tables and the content of their rows: an index of another version is rebuilt from the book. */
export const TABLES: StoredVersion = { version: 96, code: "db16c88a3603" };

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
