/**
 * The known fields of each native type. A field that is not listed does no harm, but it is counted and shown, so that a
 * change of the format is noticed before it makes the reader report something wrong.
 */
const ITEM = "id internal_chat_message_metadata_passthrough status";
const TURN_TIMES = "turn_id root_turn_id started_at completed_at duration_ms";
const EXEC =
  "call_id process_id turn_id command cwd parsed_cmd source interaction_input stdout stderr aggregated_output exit_code duration formatted_output status completed_at_ms started_at_ms";
const COLLAB =
  "call_id sender_thread_id receiver_thread_id receiver_thread_ids new_thread_id new_agent_nickname new_agent_role receiver_agent_nickname receiver_agent_role receiver_agents prompt model reasoning_effort status statuses agent_statuses completed_at_ms started_at_ms";

const KNOWN: Record<string, string> = {
  session_meta:
    "account_scoped id session_id forked_from_id forked_from_ordinal_exclusive parent_thread_id timestamp cwd originator cli_version source thread_source agent_nickname agent_role agent_type agent_path model_provider base_instructions instructions dynamic_tools selected_capability_roots memory_mode history_mode history_base subagent_history_start_ordinal multi_agent_version context_window git runtime_workspace_roots",
  turn_context:
    "turn_id root_turn_id cwd workspace_roots current_date timezone approval_policy approvals_reviewer sandbox_policy permission_profile active_permission_profile network file_system_sandbox_policy model comp_hash personality collaboration_mode multi_agent_version multi_agent_mode realtime_active effort summary truncation_policy user_instructions developer_instructions base_instructions final_output_json_schema output_schema disabled_plugin_ids trace_id",
  compacted:
    "message replacement_history replacement_history_metadata mcp_resource_origins window_number first_window_id previous_window_id window_id compaction_response_id guardian_history latest_token_usage_record resume_metadata retained_context",
  world_state: "full state",
  inter_agent_communication:
    "id author recipient other_recipients content encrypted_content trigger_turn internal_chat_message_metadata_passthrough",
  inter_agent_communication_metadata: "trigger_turn",
  token_usage_record:
    "thread_id turn_id session_id root_turn_id response_id usage turn_token_usage thread_token_usage model",
  retained_context: "call_id questions turn_id acceptance_order",
  security_risk_score: "score turn_id",
  "response_item/message": `${ITEM} role content phase end_turn`,
  "response_item/agent_message": `${ITEM} author recipient content`,
  "response_item/reasoning": `${ITEM} summary content encrypted_content`,
  "response_item/local_shell_call": `${ITEM} call_id action`,
  "response_item/function_call": `${ITEM} name namespace arguments encrypted_function_args call_id`,
  "response_item/function_call_output": `${ITEM} call_id name namespace output`,
  "response_item/custom_tool_call": `${ITEM} call_id name namespace input`,
  "response_item/custom_tool_call_output": `${ITEM} call_id name namespace output`,
  "response_item/local_shell_call_output": `${ITEM} call_id output`,
  "response_item/tool_search_call": `${ITEM} call_id execution arguments`,
  "response_item/tool_search_output": `${ITEM} call_id execution tools`,
  "response_item/web_search_call": `${ITEM} action`,
  "response_item/image_generation_call": `${ITEM} revised_prompt result`,
  "response_item/compaction": `${ITEM} encrypted_content`,
  "response_item/compaction_summary": `${ITEM} encrypted_content`,
  "response_item/context_compaction": `${ITEM} encrypted_content`,
  "response_item/compaction_trigger": ITEM,
  "response_item/ghost_snapshot": `${ITEM} ghost_commit`,
  "response_item/additional_tools": `${ITEM} role tools`,
  "event_msg/task_started": `${TURN_TIMES} turn_attribution trace_id model_context_window collaboration_mode_kind`,
  "event_msg/turn_started": `${TURN_TIMES} turn_attribution trace_id model_context_window collaboration_mode_kind`,
  "event_msg/task_complete": `${TURN_TIMES} last_agent_message error time_to_first_token_ms`,
  "event_msg/turn_complete": `${TURN_TIMES} last_agent_message error time_to_first_token_ms`,
  "event_msg/turn_aborted": `${TURN_TIMES} reason`,
  "event_msg/token_count": "info rate_limits",
  "event_msg/thread_rolled_back": "num_turns",
  "event_msg/thread_goal_updated": "threadId turnId goal",
  "event_msg/thread_settings_applied": "thread_id thread_settings",
  "event_msg/thread_name_updated": "thread_id thread_name",
  "event_msg/item_completed": "thread_id turn_id item started_at_ms completed_at_ms",
  "event_msg/item_started": "thread_id turn_id item started_at_ms",
  "event_msg/user_message": "client_id message kind images image_details local_images audio local_audio text_elements",
  "event_msg/agent_message": "message phase memory_citation delivery",
  "event_msg/agent_reasoning": "text",
  "event_msg/agent_reasoning_raw_content": "text",
  "event_msg/agent_reasoning_section_break": "item_id summary_index",
  "event_msg/patch_apply_end": "call_id turn_id stdout stderr success changes status auto_approved",
  "event_msg/patch_apply_begin": "call_id turn_id auto_approved changes",
  "event_msg/mcp_tool_call_begin": "call_id invocation mcp_app_resource_uri",
  "event_msg/mcp_tool_call_end": "call_id invocation duration result mcp_app_resource_uri turn_id plugin_id",
  "event_msg/web_search_begin": "call_id",
  "event_msg/web_search_end": "call_id query action results",
  "event_msg/image_generation_begin": "call_id",
  "event_msg/image_generation_end": "call_id status revised_prompt result saved_path",
  "event_msg/entered_review_mode": "target prompt user_facing_hint turn_id item_id",
  "event_msg/exited_review_mode": "review_output turn_id item_id",
  "event_msg/context_compacted": "",
  "event_msg/sub_agent_activity": "event_id occurred_at_ms agent_thread_id agent_path kind model reasoning_effort",
  "event_msg/exec_command_begin": EXEC,
  "event_msg/exec_command_end": EXEC,
  "event_msg/view_image_tool_call": "call_id path",
  "event_msg/error": "message codex_error_info",
  "event_msg/stream_error": "message codex_error_info additional_details",
  "event_msg/warning": "message",
  "event_msg/background_event": "message",
  "event_msg/deprecation_notice": "summary details",
  "event_msg/guardian_assessment":
    "id turn_id target_item_id started_at_ms completed_at_ms status risk_level risk_score user_authorization rationale decision_source action",
  "event_msg/guardian_warning": "message",
  "event_msg/undo_started": "message",
  "event_msg/undo_completed": "success message",
  "event_msg/turn_diff": "unified_diff",
  "event_msg/plan_update": "explanation plan",
  "event_msg/shutdown_complete": "",
  "event_msg/model_reroute": "from_model to_model reason",
  "event_msg/hook_started": "turn_id run",
  "event_msg/hook_completed": "turn_id run",
  "event_msg/dynamic_tool_call_request": "callId turnId tool arguments namespace",
  "event_msg/dynamic_tool_call_response":
    "call_id turn_id tool arguments content_items success error duration namespace completed_at_ms",
  "event_msg/request_user_input": "call_id turn_id questions",
  "event_msg/collab_agent_spawn_begin": COLLAB,
  "event_msg/collab_agent_spawn_end": COLLAB,
  "event_msg/collab_agent_interaction_begin": COLLAB,
  "event_msg/collab_agent_interaction_end": COLLAB,
  "event_msg/collab_waiting_begin": COLLAB,
  "event_msg/collab_waiting_end": COLLAB,
  "event_msg/collab_close_begin": COLLAB,
  "event_msg/collab_close_end": COLLAB,
  "event_msg/collab_resume_begin": COLLAB,
  "event_msg/collab_resume_end": COLLAB,
  "item/UserMessage": "id client_id content",
  "item/HookPrompt": "id fragments",
  "item/AgentMessage": "id content phase memory_citation delivery",
  "item/Plan": "id text",
  "item/Reasoning": "id summary_text raw_content",
  "item/CommandExecution":
    "id process_id command cwd parsed_cmd source interaction_input status stdout stderr aggregated_output exit_code duration formatted_output",
  "item/DynamicToolCall": "id namespace tool arguments status content_items success error duration",
  "item/CollabAgentToolCall":
    "id tool status sender_thread_id receiver_thread_ids receiver_agents prompt model reasoning_effort agents_states",
  "item/SubAgentActivity": "id kind agent_thread_id agent_path model reasoning_effort",
  "item/WebSearch": "id query action results",
  "item/ImageView": "id path",
  "item/ImageGeneration": "id status revised_prompt result saved_path",
  "item/EnteredReviewMode": "id target user_facing_hint",
  "item/ExitedReviewMode": "id review_output",
  "item/FileChange": "id changes status stdout stderr auto_approved",
  "item/McpToolCall":
    "id server tool arguments status result error duration mcpAppResourceUri pluginId mcp_app_resource_uri plugin_id",
  "item/ContextCompaction": "id",
  "item/Extension": "id kind data status query action results duration_ms",
};

/** Additional fields of bare lines in the oldest files, which have no envelope. */
const BARE = "id timestamp type role duration_ms call_id record_type";

const FIELDS: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  Object.entries(KNOWN).map(([type, list]) => [type, new Set(`type ${list}`.split(" "))]),
);
const BARE_FIELDS: ReadonlySet<string> = new Set(BARE.split(" "));

/** Names of fields that are not known for this type. */
export function unknownFields(type: string, value: Readonly<Record<string, unknown>>, bare: boolean): string[] {
  const known = FIELDS.get(type);
  if (!known) return [];
  const found: string[] = [];
  for (const name in value) if (!known.has(name) && !(bare && BARE_FIELDS.has(name))) found.push(name);
  return found;
}
