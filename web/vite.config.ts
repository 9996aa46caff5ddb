import { svelte } from "@sveltejs/vite-plugin-svelte";
import { defineConfig, type UserConfig } from "vite";
import { frame } from "./frame.ts";

const config: UserConfig = defineConfig({
  root: import.meta.dirname,
  plugins: [svelte(), frame()],
  build: {
    target: "es2022",
    emptyOutDir: true,
    // The page's Content-Security-Policy forbids inline scripts.
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    reportCompressedSize: false,
  },
});

export default config;
