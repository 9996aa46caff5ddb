import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";
import { svelteOnServer } from "./scripts/svelte-on-server.js";
import { LongestFirst } from "./test/longest-first.ts";
import { importTypeScript } from "./test/typescript.js";

// For the global setup.
importTypeScript();

/** Tests that replace modules, which only Vite's own way of running them can on Node 20. */
const REPLACING = [
  "src/base/io/sqlite-foreign.test.ts",
  "src/index/tables/packed-state.test.ts",
  "test/platforms.test.ts",
  "test/store/growth.test.ts",
];

/** Tests that change what other tests in the same process would see, such as registered sources. */
const CHANGING = [
  "src/base/time/zone.test.ts",
  "test/conformance/toy-source.test.ts",
  "test/{registered,throwing}-source.test.ts",
  "test/store/decisions*.test.ts",
];

/** Tests that open hundreds of databases or measure memory: a large process slows them, and is what they become. */
const LARGE = [
  "test/terminal-escapes.test.ts",
  "test/store/{databases,incremental,living,stores,survival,work}.test.ts",
];

/** Tests that start many programs, which a large process does slowly: they share one that stays small. */
const STARTING = [
  "src/record/crash.test.ts",
  "test/blame/*.test.ts",
  "test/{code-cache,completions,examples,no-home,odd-files,program}.test.ts",
  "test/http/serve.test.ts",
  "test/narrate/{command,kills,lies,tools}.test.ts",
  "test/security/interrupted.test.ts",
  "test/store/{background,faults,forget,kill,marks,start,together,untouched}.test.ts",
];

const APART = [...CHANGING, ...LARGE];

export default defineConfig({
  plugins: [svelteOnServer()],
  test: {
    globalSetup: ["./test/global-setup.ts"],
    setupFiles: ["./test/typescript.js", "./test/seed.ts"],
    sequence: { sequencer: LongestFirst, setupFiles: "list" },
    env: { TZ: "UTC", NO_COLOR: "1", COLUMNS: "100" },
    // They end what hangs, and say nothing about speed: a busy machine may be many times slower.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    // One more than there are cores: some tests mostly wait, for a lock, a browser or another program.
    maxWorkers: availableParallelism() + 1,
    experimental: { viteModuleRunner: false, nodeLoader: false },
    projects: [
      // To load the program anew for each file would take longer than most of them.
      {
        extends: true,
        test: {
          name: "together",
          include: ["{src,test}/**/*.test.ts"],
          exclude: ["test/fixtures/**", ...APART, ...STARTING, ...REPLACING],
          isolate: false,
        },
      },
      { extends: true, test: { name: "starting", include: STARTING, isolate: false } },
      { extends: true, test: { name: "apart", include: APART } },
      {
        extends: true,
        test: { name: "replacing", include: REPLACING, experimental: { viteModuleRunner: true, nodeLoader: true } },
      },
    ],
  },
});
