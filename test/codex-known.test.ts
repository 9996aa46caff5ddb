import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { codex } from "../src/agents/codex/source.ts";

it.each(["codex-goals", "codex-plans", "codex-subagent-prompts"])(
  "every type and field in the genuine files of %s is known, up to 0.169",
  (store) => {
    const root = fileURLToPath(new URL(`./fixtures/${store}/`, import.meta.url));
    const refs = [...codex.discover({ env: {}, home: "/nowhere", roots: [root], report: () => undefined })];
    const versions = new Set<string>();
    for (const ref of refs) {
      const reading = codex.read(ref, null, { detail: "full" });
      for (const entry of reading) expect(entry.class).not.toBe("unknown");
      const { versions: seen, unknownTypes, unknownFields } = reading.drift();
      expect({ unknownTypes, unknownFields }).toEqual({ unknownTypes: {}, unknownFields: {} });
      for (const version of Object.keys(seen)) versions.add(version);
    }
    expect(versions).toContain(codex.checked?.newest);
  },
);
