import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    globalSetup: ["./test/global-setup.ts"],
    include: ["src/**/*.test.ts", "test/**/*.test.ts"],
    env: { TZ: "UTC", NO_COLOR: "1", COLUMNS: "100" },
    testTimeout: 60_000,
  },
});
