import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    globalSetup: ["./test/global-setup.ts"],
    include: ["src/**/*.test.ts", "test/**/*.test.ts"],
    env: { TZ: "UTC", NO_COLOR: "1", COLUMNS: "100" },
    // They end what hangs, and say nothing about speed: a busy machine may be many times slower.
    testTimeout: 300_000,
    hookTimeout: 300_000,
  },
});
