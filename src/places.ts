/** Files shipped beside the code. This module stays at the top level, so that URLs fit both sources and bundle. */
export const SAMPLES: URL = new URL("../samples/", import.meta.url);
/** The file that holds this code. */
export const CODE: URL = new URL(import.meta.url);
export const MANIFEST: URL = new URL("../package.json", import.meta.url);
/** Script of a worker thread; null when running from TypeScript sources, where no compiled script exists. */
export const WORKER: URL | null = import.meta.url.endsWith(".ts") ? null : new URL("../bin/worker.js", import.meta.url);
/** Script of the worker threads that read usage only. */
export const USAGE_WORKER: URL | null = WORKER && new URL("usage-worker.js", WORKER);
/** Script of the threads that answer the questions of a server. */
export const ANSWER_WORKER: URL | null = WORKER && new URL("answer-worker.js", WORKER);
/** Script of the process that syncs on behalf of another process. */
export const SYNC_PROGRAM: URL | null = WORKER && new URL("sync.js", WORKER);
/** What imports modules whose names are known only at run time. */
export const IMPORTER: URL = new URL("../bin/import-module.js", import.meta.url);
/** The web page of `serve`, as built. Same location whether running from sources or from the bundle. */
export const PAGE: URL = new URL("../dist/page/", import.meta.url);
/** The web page of a team server. */
export const TEAM_PAGE: URL = new URL("../dist/team-page/", import.meta.url);
export const DOCS: URL = new URL("../docs/", import.meta.url);
/** The SQL that creates a team store, as files, so that a database administrator can read it. */
export const MIGRATIONS: URL = new URL("../migrations/", import.meta.url);
/** Prompts for the agents that write narratives or look for lessons. */
export const PROMPTS: URL = new URL("../prompts/", import.meta.url);
/** Tables that code looks things up in: prices and words. */
export const DATA: URL = new URL("../data/", import.meta.url);
