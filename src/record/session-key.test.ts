import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { parseSessionKey, parseTurnKey, sessionKey, turnKey, turnKeyIn } from "./session-key.ts";

it("the key of a session is its source and its id, which may contain slashes", () => {
  const session = { source: "codex", session_id: "2026/05/12/one" };
  expect(sessionKey(session)).toBe("codex/2026/05/12/one");
  expect(parseSessionKey("codex/2026/05/12/one")).toEqual(session);
  expect(parseSessionKey("unknown")).toEqual({ source: "unknown", session_id: "" });
});

it("the key of a turn is that of its session and its name", () => {
  const key = turnKey({ source: "codex", session_id: "a/b", turn_ref: "T0002" });
  expect(key).toBe("codex/a/b/T0002");
  expect(parseTurnKey(key)).toEqual({ session: "codex/a/b", turn_ref: "T0002" });
  expect(turnKeyIn("codex/a/b", "T0002")).toBe(key);
});

it("keys of sessions are made and parsed here alone", () => {
  const root = fileURLToPath(new URL("../..", import.meta.url));
  const made = /source\}\/\$\{(?:[\w.]*session|id\})|source \|\| '\/'/i;
  const parsed = /(?:key|session\w*|\bk|owner\.name)\)?\.(?:split|indexOf|lastIndexOf)\("\/"/i;
  const found = ["src", "web/src"].flatMap((dir) =>
    readdirSync(join(root, dir), { recursive: true, encoding: "utf8" })
      .filter((name) => /\.(?:ts|svelte)$/.test(name) && !/session-key|\.test\.ts$|^sources/.test(name))
      .flatMap((name) =>
        readFileSync(join(root, dir, name), "utf8")
          .split("\n")
          .filter((line) => made.test(line) || parsed.test(line))
          .map((line) => `${dir}/${name}: ${line.trim()}`),
      ),
  );
  const label = "src/views/projects/paths.ts: return `unknown-project/${source}/${sessionId}`;";
  expect(found).toEqual([label]);
});
