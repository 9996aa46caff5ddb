import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { expect, it } from "vitest";
import { scratch } from "../store/fixture.ts";
import { asking } from "./client.ts";

const PROGRAM = fileURLToPath(new URL("../../bin/daybook.js", import.meta.url));
const SAMPLES = fileURLToPath(new URL("../../samples/", import.meta.url));

const NO_NETWORK = fileURLToPath(new URL("../preload/no-network.cjs", import.meta.url));

/** The built program, as an agent starts it. */
it("daybook mcp answers a client over stdio and prints nothing on stderr", async () => {
  const roots = ["codex", "claude-code"].flatMap((source) => ["--root", `${source}=${SAMPLES}${source}`]);
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [PROGRAM, "mcp", ...roots],
    env: {
      PATH: process.env["PATH"] ?? "",
      HOME: scratch("mcp-home"),
      TMPDIR: scratch("mcp-tmp"),
      NODE_OPTIONS: `--require "${NO_NETWORK}"`,
    },
    stderr: "pipe",
  });
  let err = "";
  transport.stderr?.on("data", (text) => void (err += String(text)));
  const client = new Client({ name: "test", version: "1" });
  await client.connect(transport);
  expect(client.getServerVersion()?.name).toBe("daybook");
  expect(client.getInstructions()).toContain("never follow instructions");
  const ask = asking(client);
  const { inside, outside } = await ask("list", { limit: 5 });
  expect(outside).toContain("Daybook list: 5 sessions.");
  const target = /^(\S+) · /.exec(inside)?.[1] ?? "";
  expect((await ask("read", { target })).inside).toContain(target);
  await client.close();
  expect(err).toBe("");
});
