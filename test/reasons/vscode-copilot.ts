import { reasonsOf } from "../../src/agents/kit/chat.ts";
import { CLASSES } from "../../src/agents/vscode-copilot/rules.ts";
import { request, SAMPLE, session, writeSession } from "../../src/agents/vscode-copilot/testing.ts";
import type { Listed } from "./listed.ts";

const DEEP_PART = JSON.parse(`${"[".repeat(3000)}${"]".repeat(3000)}`) as object;
const HEAD = '{"version":3,"responderUsername":"GitHub Copilot","requests":[';

export const VSCODE_COPILOT: Listed = {
  reasons: reasonsOf("vscode", CLASSES),
  folder: "src/agents/vscode-copilot",
  prefix: "vscode",
  fixtures: /^vscode-/,
  files: [{ name: "chatSessions/half.json", lines: [HEAD] }],
  make(root) {
    writeSession(root, [SAMPLE]);
    const odd = [{ kind: "hologram" }, "no part" as unknown as object, DEEP_PART];
    writeSession(root, [session([request("odd", odd)])], "odd.json");
  },
  unreached: {
    "vscode.line.blank": "an empty file is not recognised",
    "vscode.line.nul_bytes": "a document has no lines",
    "vscode.line.too_large": "a document has no lines",
    "vscode.line.torn": "a document has no lines",
  },
};
