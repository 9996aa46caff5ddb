import { describe, expect, it } from "vitest";
import { editsOf } from "./traits.ts";

const PATCH =
  '*** Begin Patch\n*** Update File: a.py\n*** Move to: b.py\n@@ def f():\n one\n-two\n+"2"\n@@\n+end\n*** Delete File: c.py\n*** Add File: d.py\n+new\n*** End Patch';
const PATCH_EDITS = [
  {
    kind: "patch",
    path: "a.py",
    to: "b.py",
    hunks: [
      { before: ["one", "two"], after: ["one", '"2"'], behind: "def f():" },
      { before: [], after: ["end"], behind: null },
    ],
  },
  { kind: "delete", path: "c.py" },
  { kind: "write", path: "d.py", content: "new\n" },
];

describe("file edits in the input of a tool call", () => {
  it.each([
    ["apply_patch", PATCH],
    ["apply_patch", { input: PATCH }],
    ["apply_patch", { patchText: PATCH }],
    ["shell", { command: ["apply_patch", PATCH] }],
    ["shell", { command: ["bash", "-lc", `apply_patch <<'EOF'\n${PATCH}\nEOF`] }],
    ["exec_command", { cmd: `cd x && apply_patch <<'EOF'\n${PATCH}\nEOF\n` }],
    ["exec", `text(await tools.apply_patch(${JSON.stringify(PATCH)}));`],
    ["exec", `const p = \`${PATCH}\`;\nawait tools.apply_patch(p);`],
    ["exec", `const p = String.raw\`${PATCH}\`;\nawait tools.apply_patch(p);`],
    ["exec", `await tools.apply_patch('${PATCH.replaceAll("\n", String.raw`\n`)}');`],
  ])("are parsed from the patch in %s %j", (name, input) => {
    expect(editsOf(name, input)).toEqual(PATCH_EDITS);
  });

  it.each([
    ["exec", `const p = \`*** Begin Patch\n*** Add File: \${name}\n+x\n*** End Patch\`;`],
    ["apply_patch", "*** Begin Patch\n*** Update File: a\nno patch at all\n*** End Patch"],
    ["Edit", { file_path: "a", old_string: 1, new_string: "b" }],
    ["Read", { file_path: "a" }],
    ["nothing", null],
  ])("are empty without a readable edit: %s %j", (name, input) => {
    expect(editsOf(name, input)).toEqual([]);
  });

  const replacement = { kind: "replace", path: "/f", before: "a", after: "b", all: false };
  it.each([
    ["Edit", { file_path: "/f", old_string: "a", new_string: "b" }],
    ["MultiEdit", { file_path: "/f", edits: [{ old_string: "a", new_string: "b" }] }],
    ["replace", { file_path: "/f", old_string: "a", new_string: "b", instruction: "do" }],
    ["edit", { file_path: "/f", old_string: "a", new_string: "b" }],
    ["edit", { filePath: "/f", oldString: "a", newString: "b" }],
    ["edit", { path: "/f", oldText: "a", newText: "b" }],
    ["edit", { path: "/f", edits: [{ oldText: "a", newText: "b" }] }],
    ["edit", { path: "/f", old_str: "a", new_str: "b" }],
    ["developer__text_editor", { command: "str_replace", path: "/f", old_str: "a", new_str: "b" }],
    ["str_replace_editor", { command: "str_replace", path: "/f", old_str: "a", new_str: "b" }],
  ])("are one replacement for %s %j", (name, input) => {
    expect(editsOf(name, input)).toEqual([replacement]);
  });

  it.each([
    ["Write", { file_path: "/f", content: "x" }],
    ["write_file", { file_path: "/f", content: "x" }],
    ["write", { filePath: "/f", content: "x" }],
    ["write", { path: "/f", content: "x" }],
    ["create", { path: "/f", file_text: "x" }],
    ["text_editor", { command: "write", path: "/f", file_text: "x" }],
  ])("are one whole-file write for %s %j", (name, input) => {
    expect(editsOf(name, input)).toEqual([{ kind: "write", path: "/f", content: "x" }]);
  });
});
