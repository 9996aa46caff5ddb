/**
 * A slash command as Claude Code records it: an envelope of `<command-name>`, `<command-message>`, `<command-args>`.
 */
export interface SlashCommand {
  /** Without the slash. */
  name: string;
  /** `/name args`, as the human typed it. */
  text: string;
  /**
   * The message comes first in commands that expand to a prompt, the name in commands that the client handles itself.
   */
  messageFirst: boolean;
  /** The record also holds the prompt that the command expands to. */
  expanded?: true;
}

const ELEMENT = /\s*<(command-[a-z]+|skill-format)>([\s\S]*?)<\/\1>/y;

export function parseCommand(text: string): SlashCommand | null {
  const body = text.trim();
  if (!body.startsWith("<command-")) return null;
  const parts = new Map<string, string>();
  ELEMENT.lastIndex = 0;
  let end = 0;
  for (let match = ELEMENT.exec(body); match; match = ELEMENT.exec(body)) {
    parts.set(match[1] ?? "", match[2] ?? "");
    end = ELEMENT.lastIndex;
  }
  ELEMENT.lastIndex = 0;
  if (end !== body.length) return null;
  const name = parts.get("command-name")?.trim().replace(/^\//, "");
  if (!name) return null;
  const args = parts.get("command-args")?.trim() ?? "";
  return {
    name,
    text: args === "" ? `/${name}` : `/${name} ${args}`,
    messageFirst: body.startsWith("<command-message>"),
  };
}

/**
 * Commands that the client handles without a model. `messageFirst` tells them from custom commands of the same name.
 */
const LOCAL: ReadonlySet<string> = new Set(
  (
    "add-dir agents allowed-tools bashes bug clear color config context copy cost doctor effort exit export extra-usage fast " +
    "feedback files help hooks ide install-github-app install-slack-app keybindings login logout mcp memory migrate-installer " +
    "mobile model new output-style passes permissions plugin plugins privacy-settings quit rate-limit-options release-notes " +
    "reload-plugins remote-control remote-env rename reset resume rewind sandbox settings skills stats status " +
    "stickers tag tasks terminal-setup theme think-back todos upgrade usage vim voice web-setup"
  ).split(" "),
);

export function isLocalCommand(command: SlashCommand): boolean {
  return LOCAL.has(command.name) && !command.messageFirst;
}

/** Like `isLocalCommand`, for the command line as it was typed. */
export function isLocalText(text: string): boolean {
  const name = /^\/([\w-]+)(?:\s|$)/.exec(text)?.[1];
  return name !== undefined && LOCAL.has(name);
}

/** Whether the output of `/compact` says that it had nothing to do or failed before any request to a model. */
export function compactRefused(output: string): boolean {
  return /^\W*(?:\[[0-9;]*m)*\s*(?:Error:|No messages to compact|Not enough messages|Nothing to compact)/.test(output);
}
