import type { EntryClass } from "../contract.ts";

/**
 * Events with nothing to record, by class: `session` for events of the session itself, `reaction` for events inside a
 * turn. Most are named by the public schema of the SDK; not all are ever written to disk.
 */
const QUIET: Record<"session" | "reaction", string> = {
  session:
    "commands.changed capabilities.changed session.auto_mode_resolved session.autopilot_objective_changed " +
    "session.background_tasks_changed session.binary_asset session.canvas.closed session.canvas.opened " +
    "session.canvas.registry_changed session.custom_agents_updated session.custom_notification session.extensions_loaded " +
    "session.extensions.attachments_pushed session.handoff session.idle session.info session.mcp_server_status_changed " +
    "session.mcp_servers_loaded session.mode_changed session.permissions_changed session.plan_changed " +
    "session.remote_steerable_changed session.schedule_cancelled session.schedule_created session.skills_loaded " +
    "session.todos_changed session.tools_updated session.usage_checkpoint session.usage_info session.warning " +
    "session.workspace_file_changed pending_messages.modified",
  reaction:
    "assistant.intent assistant.message_delta assistant.message_start assistant.reasoning_delta assistant.streaming_delta " +
    "auto_mode_switch.completed auto_mode_switch.requested command.completed command.execute command.queued " +
    "elicitation.completed elicitation.requested exit_plan_mode.completed exit_plan_mode.requested external_tool.completed " +
    "external_tool.requested hook.end hook.progress hook.start mcp.oauth_completed mcp.oauth_required " +
    "mcp_app.tool_call_complete permission.completed permission.requested sampling.completed sampling.requested " +
    "session.compaction_start session.truncation skill.invoked subagent.configured subagent.deselected subagent.selected " +
    "system.notification tool.execution_partial_result tool.execution_progress user_input.completed user_input.requested",
};

const CLASSES: ReadonlyMap<string, "session" | "reaction"> = new Map(
  (["session", "reaction"] as const).flatMap((cls) => QUIET[cls].split(" ").map((type) => [type, cls] as const)),
);

/** Null for types that have not been checked. */
export function quietClass(type: string): Extract<EntryClass, "session" | "reaction"> | null {
  return CLASSES.get(type) ?? null;
}
