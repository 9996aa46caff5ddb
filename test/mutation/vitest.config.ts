import { defineConfig, type ViteUserConfig } from "vitest/config";

/** The tests that one group of files is measured by: quick ones, that run the sources themselves and not the built program. */
const config: ViteUserConfig = defineConfig({
  test: {
    include: JSON.parse(process.env["MUTATION_TESTS"] ?? "[]") as string[],
    env: { TZ: "UTC", NO_COLOR: "1", COLUMNS: "100" },
    testTimeout: 60_000,
  },
});

export default config;
