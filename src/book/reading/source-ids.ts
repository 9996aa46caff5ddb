import { shellQuote } from "../../base/text/shell-words.ts";
import type { Headless, McpClient, McpServerList, OutputMeter, SourceRef } from "../../agents/contract.ts";
import { findSource, SOURCES } from "../../agents/registry.ts";
import { keyOfSession } from "../../record/session-key.ts";

/** How to recognise the worktrees that agents create. */
export function worktreeLayouts(): ((dir: string) => string | null)[] {
  return SOURCES.flatMap(({ mainCheckout }) => (mainCheckout ? [orNull(mainCheckout)] : []));
}

/** A layout that throws does not know the path; others may. */
function orNull(layout: (dir: string) => string | null): (dir: string) => string | null {
  return (dir) => {
    try {
      return layout(dir);
    } catch {
      return null;
    }
  };
}

/** The ids of agents, as used in flags and answers. */
export function sourceIds(): string[] {
  return SOURCES.map((source) => source.id);
}

/** Display name of an agent. Sessions in canonical logs may come from agents without a source of their own. */
export function agentName(source: string): string {
  return findSource(source)?.name ?? source;
}

/** A POSIX shell command that starts the agent with the content of a file; null where the agent has none. */
export function startCommand(source: string, dir: string | null): string | null {
  const words = findSource(source)?.start;
  if (!words) return null;
  const command = words.map(shellQuote).join(" ");
  // brief.md is in the current directory of the user.
  return dir === null
    ? `${command} "$(cat brief.md)"`
    : `brief="$(cat brief.md)" && cd ${shellQuote(dir)} && ${command} "$brief"`;
}

/** Whether the agent stores the user's own commands as the text they expand to. */
export function sendsCommandsAsText(source: string): boolean {
  return SOURCES.some(({ id, capabilities }) => id === source && capabilities.commandsAsText === true);
}

/** Counts the output of each turn of a file, where the agent's lines prove it. */
export function meterOf(source: string): OutputMeter | null {
  return findSource(source)?.outputMeter?.() ?? null;
}

/** When a script started the session through the agent's own library, if the file header proves it; else null. */
export function scriptStart(ref: SourceRef, originator: string | null): number | null {
  return findSource(ref.source)?.scriptStart?.(ref, originator) ?? null;
}

/** Agents that can use MCP servers. */
function mcpClients(): { source: string; client: McpClient }[] {
  return SOURCES.flatMap(({ id, mcp }) => (mcp ? [{ source: id, client: mcp() }] : []));
}

/** `source/id` of the sessions that a tool call comes from, as far as the agent states it in the request metadata. */
export function mcpCallers(meta: Readonly<Record<string, unknown>>): string[] {
  return mcpClients().flatMap(({ source, client }) =>
    (client.callers?.(meta) ?? []).map((id) => keyOfSession(source, id)),
  );
}

/** The session that started this server, as far as the environment tells. */
export function mcpStarter(
  env: Readonly<Record<string, string | undefined>>,
): { source: string; session_id: string } | null {
  for (const { source, client } of mcpClients()) {
    const session_id = client.startedBy?.(env) ?? null;
    if (session_id !== null) return { source, session_id };
  }
  return null;
}

/** Where an agent lists its MCP servers; null where that is unknown, or it has none. */
export function mcpServerList(source: string): McpServerList | null {
  return mcpClients().find((one) => one.source === source)?.client.servers ?? null;
}

/** Agents whose server list is known. */
export function mcpInstallable(): string[] {
  return mcpClients().flatMap(({ source, client }) => (client.servers ? [source] : []));
}

/** Environment variables that say where agents store their sessions. */
export function sessionVariables(): string[] {
  return mcpClients().flatMap(({ client }) => client.variables ?? []);
}

/** Whether a shell with this environment is run by an agent. */
export function isAgentShell(env: Readonly<Record<string, string | undefined>>): boolean {
  return SOURCES.some(({ capabilities: { shellVariables = [] } }) =>
    shellVariables.some((name) => (env[name] ?? "").trim() !== ""),
  );
}

/** The agent that identifies itself to an MCP server by this name; null for others. */
export function mcpSource(name: string): string | null {
  return mcpClients().find(({ client }) => client.name === name)?.source ?? null;
}

/** How to run an agent with a single prompt; null where that was never tested. */
export function headlessOf(source: string): Headless | null {
  return findSource(source)?.headless?.() ?? null;
}

/** Agents that can be run with a single prompt. */
export function headlessAgents(): string[] {
  return SOURCES.flatMap(({ id, headless }) => (headless ? [id] : []));
}
