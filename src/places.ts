/** Files that stand beside the code. This module lives at the top, where sources and bundle have the same neighbours. */
export const SAMPLES: URL = new URL("../samples/", import.meta.url);
/** The code itself. */
export const CODE: URL = new URL(import.meta.url);
export const MANIFEST: URL = new URL("../package.json", import.meta.url);
/** The thread's program; null when running from TypeScript sources, where there is no compiled one to start. */
export const WORKER: URL | null = import.meta.url.endsWith(".ts") ? null : new URL("../bin/worker.js", import.meta.url);
/** The same for threads that tell nothing but usage. */
export const USAGE_WORKER: URL | null = WORKER && new URL("usage-worker.js", WORKER);
/** The program of a process that syncs for another. */
export const SYNC_PROGRAM: URL | null = WORKER && new URL("sync.js", WORKER);
/** The page that `serve` shows, as it was built; beside the code, whichever way that runs. */
export const PAGE: URL = new URL("../dist/page/", import.meta.url);
/** The same for a team. */
export const TEAM_PAGE: URL = new URL("../dist/team-page/", import.meta.url);
export const DOCS: URL = new URL("../docs/", import.meta.url);
/** The SQL that makes a team store, in files that whoever runs the database can read. */
export const MIGRATIONS: URL = new URL("../migrations/", import.meta.url);
/** What agents are told that write narratives or look for lessons. */
export const PROMPTS: URL = new URL("../prompts/", import.meta.url);
