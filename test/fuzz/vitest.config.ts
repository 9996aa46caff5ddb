import { fileURLToPath } from "node:url";
import { defineConfig, type ViteUserConfig } from "vitest/config";

/** Configuration of `npm run fuzz`, which runs only `long.ts`. */
const config: ViteUserConfig = defineConfig({
  test: {
    globalSetup: [fileURLToPath(new URL("../global-setup.ts", import.meta.url))],
    include: ["test/fuzz/long.ts"],
    env: { TZ: "UTC", NO_COLOR: "1", COLUMNS: "100" },
    disableConsoleIntercept: true,
  },
});
export { config as default };
