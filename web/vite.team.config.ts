import { svelte } from "@sveltejs/vite-plugin-svelte";
import { defineConfig, type UserConfig } from "vite";

/** The page of a team, which another program serves than one's own. */
const config: UserConfig = defineConfig({
  root: import.meta.dirname,
  plugins: [svelte()],
  build: {
    target: "es2022",
    emptyOutDir: true,
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    rollupOptions: { input: `${import.meta.dirname}/team.html` },
  },
});

export default config;
