import { fileURLToPath } from "node:url";
import { defineConfig, type ViteUserConfig } from "vitest/config";

/** The long run alone: `npm run fuzz`. */
const config: ViteUserConfig = defineConfig({
  test: {
    globalSetup: [fileURLToPath(new URL("../global-setup.ts", import.meta.url))],
    include: ["test/fuzz/long.ts"],
    env: { TZ: "UTC", NO_COLOR: "1", COLUMNS: "100" },
    disableConsoleIntercept: true,
  },
});
export { config as default };
