import { defineConfig } from "vitest/config";
import { svelteOnServer } from "./scripts/svelte-on-server.js";

/** Tests that change what other tests in the same process would see: mocked modules, registered sources. */
const CHANGING = [
  "src/io/sqlite-foreign.test.ts",
  "src/store/tables/packed-state.test.ts",
  "src/time/zone.test.ts",
  "test/conformance/toy-source.test.ts",
  "test/platforms.test.ts",
  "test/registered-source.test.ts",
  "test/store/decisions*.test.ts",
  "test/store/growth.test.ts",
  "test/throwing-source.test.ts",
];

/** Tests that open hundreds of databases, start hundreds of programs or measure memory: a large process slows them. */
const LARGE = [
  "test/blame/*.test.ts",
  "test/{odd-files,program,terminal-escapes}.test.ts",
  "test/store/{databases,faults,forget,incremental,kill,living,marks,start,stores,survival,together,work}.test.ts",
];

const APART = [...CHANGING, ...LARGE];

export default defineConfig({
  plugins: [svelteOnServer()],
  test: {
    globalSetup: ["./test/global-setup.ts"],
    setupFiles: ["./test/seed.ts"],
    env: { TZ: "UTC", NO_COLOR: "1", COLUMNS: "100" },
    // They end what hangs, and say nothing about speed: a busy machine may be many times slower.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    // The default leaves one core to a watcher that hardly uses it.
    maxWorkers: "100%",
    projects: [
      // To load the program anew for each file would take longer than most of them.
      {
        extends: true,
        test: {
          name: "together",
          include: ["{src,test}/**/*.test.ts"],
          exclude: ["test/fixtures/**", ...APART],
          isolate: false,
        },
      },
      { extends: true, test: { name: "apart", include: APART } },
    ],
  },
});
