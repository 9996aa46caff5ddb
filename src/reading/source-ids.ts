import { quoted } from "../text/shell-words.ts";
import type { Headless, McpClient, McpServerList, OutputMeter, SourceRef } from "../sources/contract.ts";
import { findSource, SOURCES } from "../sources/registry.ts";

/** What the worktrees look like that agents make themselves. */
export function worktreeLayouts(): ((dir: string) => string | null)[] {
  return SOURCES.flatMap(({ mainCheckout }) => (mainCheckout ? [orNull(mainCheckout)] : []));
}

/** A layout that cannot make sense of a path does not know it; the others may. */
function orNull(layout: (dir: string) => string | null): (dir: string) => string | null {
  return (dir) => {
    try {
      return layout(dir);
    } catch {
      return null;
    }
  };
}

/** The names agents go by, in flags and in answers. */
export function sourceIds(): string[] {
  return SOURCES.map((source) => source.id);
}

/** What people call an agent. Sessions kept in a log may be of agents that nobody else knows. */
export function agentName(source: string): string {
  return findSource(source)?.name ?? source;
}

/** The agent's command that begins with what a file holds, for a POSIX shell; null where it has none. */
export function startCommand(source: string, dir: string | null): string | null {
  const words = findSource(source)?.start;
  if (!words) return null;
  const command = words.map(quoted).join(" ");
  // The brief lies where whoever asked for it is.
  return dir === null
    ? `${command} "$(cat brief.md)"`
    : `brief="$(cat brief.md)" && cd ${quoted(dir)} && ${command} "$brief"`;
}

/** The agent stores commands of the human's own as the text they stand for. */
export function sendsCommandsAsText(source: string): boolean {
  return SOURCES.some(({ id, capabilities }) => id === source && capabilities.commandsAsText === true);
}

/** Counts what was written in each turn of a file, where the agent's lines prove it. */
export function meterOf(source: string): OutputMeter | null {
  return findSource(source)?.outputMeter?.() ?? null;
}

/** When a script began the session through the agent's own library, as the header of its file proves; null without proof. */
export function scriptStart(ref: SourceRef, originator: string | null): number | null {
  return findSource(ref.source)?.scriptStart?.(ref, originator) ?? null;
}

/** Agents that work with servers of the Model Context Protocol. */
function mcpClients(): { source: string; client: McpClient }[] {
  return SOURCES.flatMap(({ id, mcp }) => (mcp ? [{ source: id, client: mcp() }] : []));
}

/** `source/id` of the sessions a call of a tool comes from, as far as the agent says so beside it. */
export function mcpCallers(meta: Readonly<Record<string, unknown>>): string[] {
  return mcpClients().flatMap(({ source, client }) => (client.callers?.(meta) ?? []).map((id) => `${source}/${id}`));
}

/** The session a server was started by, as far as its environment says so. */
export function mcpStarter(
  env: Readonly<Record<string, string | undefined>>,
): { source: string; session_id: string } | null {
  for (const { source, client } of mcpClients()) {
    const session_id = client.startedBy?.(env) ?? null;
    if (session_id !== null) return { source, session_id };
  }
  return null;
}

/** Where an agent lists its servers; null where that is not known, or it has none. */
export function mcpServerList(source: string): McpServerList | null {
  return mcpClients().find((one) => one.source === source)?.client.servers ?? null;
}

/** Agents of which that is known. */
export function mcpInstallable(): string[] {
  return mcpClients().flatMap(({ source, client }) => (client.servers ? [source] : []));
}

/** Variables that say where agents keep their sessions. */
export function sessionVariables(): string[] {
  return mcpClients().flatMap(({ client }) => client.variables ?? []);
}

/** Whether a shell with these variables is run by an agent. */
export function isAgentShell(env: Readonly<Record<string, string | undefined>>): boolean {
  return SOURCES.some(({ capabilities: { shellVariables = [] } }) =>
    shellVariables.some((name) => (env[name] ?? "").trim() !== ""),
  );
}

/** The agent that greets a server by this name; null for others. */
export function mcpSource(name: string): string | null {
  return mcpClients().find(({ client }) => client.name === name)?.source ?? null;
}

/** How an agent is given one prompt; null where nobody tried. */
export function headlessOf(source: string): Headless | null {
  return findSource(source)?.headless?.() ?? null;
}

/** Agents that can be given one. */
export function headlessAgents(): string[] {
  return SOURCES.flatMap(({ id, headless }) => (headless ? [id] : []));
}
