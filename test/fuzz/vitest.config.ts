import { defineConfig, type ViteUserConfig } from "vitest/config";

/** The long run alone: `npm run fuzz`. */
const config: ViteUserConfig = defineConfig({
  test: {
    globalSetup: ["./test/global-setup.ts"],
    include: ["test/fuzz/long.ts"],
    env: { TZ: "UTC", NO_COLOR: "1", COLUMNS: "100" },
    disableConsoleIntercept: true,
  },
});
export { config as default };
