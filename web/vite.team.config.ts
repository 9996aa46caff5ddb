import { svelte } from "@sveltejs/vite-plugin-svelte";
import { defineConfig, type UserConfig } from "vite";

/** The team page, which is served by the team's server rather than by `daybook serve`. */
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
