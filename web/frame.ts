import { svelte } from "@sveltejs/vite-plugin-svelte";
import type * as SvelteServer from "svelte/server";
import { createServer, type Plugin } from "vite";

const EMPTY = '<div id="app"></div>';

/**
 * Renders the page's frame (its navigation) into the HTML document at build time, so that it is visible before the
 * script and the first answers have loaded. The script then replaces it.
 */
export function frame(): Plugin {
  return {
    name: "frame",
    apply: "build",
    async transformIndexHtml(html) {
      const server = await createServer({
        root: import.meta.dirname,
        configFile: false,
        logLevel: "error",
        plugins: [svelte()],
        server: { middlewareMode: true, ws: false, watch: null },
        appType: "custom",
        optimizeDeps: { noDiscovery: true },
      });
      try {
        const { render } = (await server.ssrLoadModule("svelte/server")) as typeof SvelteServer;
        const { default: Shell } = (await server.ssrLoadModule("/src/components/Shell.svelte")) as { default: never };
        const { body } = render(Shell, {
          props: { overview: null, here: "", isConnected: true, children: () => undefined } as never,
        });
        return html.replace(EMPTY, EMPTY.replace("><", `>${body.replaceAll(/<!--.*?-->/g, "")}<`));
      } finally {
        await server.close();
      }
    },
  };
}
