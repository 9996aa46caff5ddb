import { defineConfig } from "vitest/config";

/** Tests of one piece that change what others in their process would see. */
const APART = ["src/io/sqlite-foreign.test.ts", "src/store/tables/packed-state.test.ts", "src/time/zone.test.ts"];

/** Tests of the whole program that change nothing of their process. */
const TOGETHER = ["blame", "cases", "http", "narrate", "report", "truth", "web"].map((name) => `test/${name}/**/*.test.ts`);

export default defineConfig({
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
      { extends: true, test: { name: "pieces", include: ["src/**/*.test.ts"], exclude: APART, isolate: false } },
      { extends: true, test: { name: "together", include: TOGETHER, isolate: false } },
      { extends: true, test: { name: "whole", include: ["test/**/*.test.ts", ...APART], exclude: ["test/fixtures/**", ...TOGETHER] } },
    ],
  },
});
