import { existsSync, readFileSync } from "node:fs";
import { applyEdits, findNodeAtLocation, getNodeValue, modify, parseTree, type ParseError } from "jsonc-parser";
import { DaybookError } from "../../base/errors.ts";
import type { ConfigChange } from "../../base/io/config-change.ts";
import type { QuestionHooks } from "../../agents/contract.ts";
import type { Hook } from "../hook.ts";

/** Matches our hooks, wherever the program was installed. */
const OURS = /\bdecisions hook (capture|enforce)\b/;

export interface HookPlace {
  env: Readonly<Record<string, string | undefined>>;
  home: string;
}

/** The change that adds both hooks to the agent's settings; other hooks stay as they are. */
export function installingHooks(
  hooks: QuestionHooks,
  { env, home }: HookPlace,
  commandOf: (hook: Hook) => string,
): ConfigChange {
  const path = hooks.settings(env, home);
  const before = textOf(path);
  const wanted: [event: string, command: string][] = [
    [hooks.before, commandOf("enforce")],
    [hooks.after, commandOf("capture")],
  ];
  const there = before === null ? [] : ourEntries(before);
  const isSame =
    there.length === wanted.length &&
    wanted.every(([event, command]) =>
      there.some((one) => one.event === event && one.command === command && one.matcher === hooks.matcher),
    );
  if (isSame) return { path, before, after: before };
  let text = before === null || before.trim() === "" ? "{}\n" : withoutOurs(before);
  for (const [event, command] of wanted) {
    const entry = {
      matcher: hooks.matcher,
      hooks: [{ type: "command", command, timeout: hooks.timeoutSeconds }],
    };
    const list = valueAt(text, ["hooks", event]);
    if (list === undefined) text = editJson(text, ["hooks", event], [entry]);
    else if (Array.isArray(list)) text = editJson(text, ["hooks", event, list.length], entry, true);
    else throw broken(path);
  }
  return { path, before, after: text };
}

/** The change that removes them again. */
export function uninstallingHooks(hooks: QuestionHooks, { env, home }: HookPlace): ConfigChange {
  const path = hooks.settings(env, home);
  const before = textOf(path);
  if (before === null || ourEntries(before).length === 0) return { path, before, after: before };
  const after = withoutOurs(before);
  // A file that was created only for the hooks is removed.
  return { path, before, after: /^\s*\{\s*\}\s*$/.test(after) ? null : after };
}

interface OurEntry {
  event: string;
  group: number;
  index: number;
  command: string;
  matcher: unknown;
}

function ourEntries(text: string): OurEntry[] {
  return Object.entries(fields(valueAt(text, ["hooks"]))).flatMap(([event, groups]) =>
    list(groups).flatMap((value, group) =>
      list(fields(value)["hooks"]).flatMap((one, index): OurEntry[] => {
        const { command } = fields(one);
        if (typeof command !== "string" || !OURS.test(command)) return [];
        return [{ event, group, index, command, matcher: fields(value)["matcher"] }];
      }),
    ),
  );
}

/** Removes our hooks, and the lists and objects that held nothing else. */
function withoutOurs(text: string): string {
  let left = text;
  for (let [entry] = ourEntries(left); entry; [entry] = ourEntries(left)) {
    const { event, group, index } = entry;
    const path = ["hooks", event, group, "hooks", index];
    left = editJson(left, path, undefined);
    // From the inside out: the hooks of a group, the groups of an event, the events.
    for (let depth = path.length - 1; depth > 0; depth--) {
      const holder = valueAt(left, path.slice(0, depth));
      const isEmpty = depth === 3 ? list(fields(holder)["hooks"]).length === 0 : Object.keys(holder ?? {}).length === 0;
      if (!isEmpty) break;
      left = editJson(left, path.slice(0, depth), undefined);
    }
  }
  return left;
}

function editJson(text: string, path: (string | number)[], value: unknown, isArrayInsertion = false): string {
  const indent = /^([ \t]+)"/m.exec(text)?.[1] ?? "  ";
  const formattingOptions = {
    insertSpaces: !indent.includes("\t"),
    tabSize: indent.includes("\t") ? 1 : indent.length,
    eol: text.includes("\r\n") ? "\r\n" : "\n",
  };
  return applyEdits(text, modify(text, path, value, { formattingOptions, isArrayInsertion }));
}

function valueAt(text: string, path: (string | number)[]): unknown {
  const errors: ParseError[] = [];
  const root = text.trim() === "" ? undefined : parseTree(text, errors, { allowTrailingComma: true });
  if (errors.length > 0 || (root && root.type !== "object")) throw broken("the settings");
  const node = root && findNodeAtLocation(root, path);
  return node && getNodeValue(node);
}

function textOf(path: string): string | null {
  return existsSync(path) ? readFileSync(path, "utf8") : null;
}

function fields(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};
}

function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

function broken(path: string): DaybookError {
  return new DaybookError(`${path}: not the JSON it should be`, {
    code: "invalid",
    op: "read configuration",
    path,
    hint: "mend it first; nothing was changed",
  });
}
