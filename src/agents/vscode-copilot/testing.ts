/** Sessions in the shape that VS Code's own source writes, for tests. Every value is made up. */
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

export const ID = "0fb1b9c7-0000-4000-8000-000000000001";
const T0 = Date.UTC(2026, 1, 12, 20, 44);

export function session(requests: readonly object[], more: object = {}): object {
  const base = { version: 3, creationDate: T0, initialLocation: "panel", responderUsername: "GitHub Copilot" };
  return { ...base, sessionId: ID, requests, ...more };
}

export function request(text: string, response: readonly object[], more: object = {}): object {
  return {
    requestId: `request_${text}`,
    timestamp: T0 + 1000,
    message: { text, parts: [] },
    variableData: { variables: [] },
    modelId: "copilot/claude-opus-4.6",
    response,
    ...more,
  };
}

export function tool(toolId: string, toolCallId: string, more: object = {}): object {
  const base = { kind: "toolInvocationSerialized", toolId, toolCallId, isConfirmed: { type: 1 }, isComplete: true };
  return { ...base, invocationMessage: { value: `Using ${toolId}` }, presentation: undefined, ...more };
}

export function terminal(command: string, state: object | undefined, more: object = {}): object {
  const toolSpecificData = {
    kind: "terminal",
    commandLine: { original: command },
    terminalCommandOutput: { text: "out" },
    terminalCommandState: state,
  };
  return tool("run_in_terminal", "call_t", { toolSpecificData, ...more });
}

/** How the turn of a request ended, with the calls as the extension keeps them. */
export function ended(
  calls: Readonly<Record<string, [name: string, input: object, told: string]>>,
  more: object = {},
): object {
  const toolCalls = Object.entries(calls).map(([id, [name, input]]) => ({
    id,
    name,
    arguments: JSON.stringify(input),
  }));
  const results = Object.entries(calls).map(([id, [, , told]]) => [id, { content: [{ value: told }] }]);
  const metadata = {
    toolCallRounds: [{ id: "r", response: "", toolCalls }],
    toolCallResults: Object.fromEntries(results),
  };
  return {
    responseId: "response_1",
    modelState: { value: 1, completedAt: T0 + 9000 },
    result: { timings: { firstProgress: 100, totalElapsed: 7000 }, metadata, ...more },
  };
}

/** A session with each kind of part. */
export const SAMPLE: object = session(
  [
    request(
      "make a file",
      [
        { kind: "mcpServersStarting", didStartServerIds: [] },
        { kind: "thinking", value: "first ", id: "t" },
        { kind: "thinking", value: "", id: "" },
        { value: "I will write " },
        { kind: "inlineReference", inlineReference: { path: "/w/a.txt", scheme: "file" } },
        { value: " now." },
        tool("copilot_createFile", "call_a__vscode-1"),
        { kind: "textEditGroup", uri: { path: "/w/a.txt", scheme: "file" }, edits: [], done: true },
        terminal("cat a.txt", { exitCode: 0, duration: 20 }),
        { value: "Done." },
      ],
      ended({
        "call_a__vscode-1": ["create_file", { filePath: "/w/a.txt", content: "x" }, "created"],
        call_t: ["run_in_terminal", { command: "cat a.txt" }, "x"],
      }),
    ),
    request('Continue: "Go on?"', [{ value: "Gone on." }], {
      confirmation: "Continue",
      ...ended({}, { usage: { promptTokens: 900, completionTokens: 12 } }),
    }),
    request("a task has ended", [], { isSystemInitiated: true, ...ended({}) }),
    request("", [], ended({})),
    request("edit it", [{ kind: "textEditGroup", uri: { path: "/w/b.txt" }, edits: [], done: true }], ended({})),
    request("still running", [{ value: "so far" }], { modelState: { value: 0 } }),
  ],
  { customTitle: "A file" },
);

/** `User/workspaceStorage/<hash>/chatSessions/<id>.json(l)`; returns its path. */
export function writeSession(user: string, lines: readonly object[], name: string = `${ID}.json`): string {
  const workspace = join(user, "workspaceStorage", "37d0");
  const path = join(workspace, "chatSessions", name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(join(workspace, "workspace.json"), JSON.stringify({ folder: "file:///home/nia/my%20shop" }));
  writeFileSync(path, lines.map((line) => JSON.stringify(line)).join("\n"));
  return path;
}

/** The same as a log of changes. */
export function asLog(document: object): object[] {
  const { requests, customTitle, ...rest } = document as { requests: object[]; customTitle?: string };
  return [
    { kind: 0, v: { ...rest, requests: [] } },
    ...requests.flatMap((one, at) => {
      const { response, result, modelState, ...asked } = one as Record<string, unknown>;
      return [
        { kind: 2, k: ["requests"], v: [{ ...asked, response: [] }] },
        { kind: 2, k: ["requests", at, "response"], v: response },
        { kind: 1, k: ["requests", at, "result"], v: result },
        { kind: 1, k: ["requests", at, "modelState"], v: modelState },
      ];
    }),
    { kind: 1, k: ["customTitle"], v: customTitle },
  ];
}

export function sampleStore(): string {
  const root = mkdtempSync(join(tmpdir(), "daybook-vscode-sample-"));
  writeSession(root, [SAMPLE]);
  return root;
}

export function sampleLogs(): string {
  const root = mkdtempSync(join(tmpdir(), "daybook-vscode-logs-"));
  writeSession(root, asLog(SAMPLE), `${ID}.jsonl`);
  return root;
}
