import { fileURLToPath } from "node:url";
import { aider } from "../../src/sources/aider/index.ts";
import { writeSampleStore } from "../../src/sources/aider/testing.ts";
import { claudeCode } from "../../src/sources/claude-code/index.ts";
import { codex } from "../../src/sources/codex/index.ts";
import { pi } from "../../src/sources/pi/index.ts";
import { describeSource } from "./describe-source.ts";

function corpus(label: string): string {
  return fileURLToPath(new URL(`../fixtures/corpus/${label}/`, import.meta.url));
}

// Three dialects of the rollout format, and the terminal's own records.
describeSource({ source: codex, reasonPrefix: "codex", fixture: corpus("codex-0.63.0") });
describeSource({ source: codex, reasonPrefix: "codex", fixture: corpus("codex-0.130.0-tui") });
describeSource({ source: codex, reasonPrefix: "codex", fixture: corpus("codex-0.166.0-tui-nodaemon") });
describeSource({ source: claudeCode, reasonPrefix: "claude", fixture: corpus("claude-2.1.325") });
describeSource({ source: claudeCode, reasonPrefix: "claude", fixture: corpus("claude-2.1.325-tui") });
describeSource({ source: pi, reasonPrefix: "pi", fixture: corpus("pi-0.87.1") });
// No Aider history may be copied here, so these are written the way Aider writes them.
describeSource({ source: aider, reasonPrefix: "aider", fixture: () => writeSampleStore(), sample: 8 });
