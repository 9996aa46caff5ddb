import type { ChildLinkedBody } from "../../format/record.ts";
import { textInTag } from "./content.ts";
import { SOURCE_ID } from "./identity.ts";
import { subagentLink } from "../kit/subagent-link.ts";
import { obj, str, type Native } from "../kit/native.ts";
import type { ReaderState } from "./state.ts";

const LAUNCHED = /(?:^|\n)task_id: (\S+)/;

/** Links stated by the result of a subagent call: a launch receipt starts the child, a full result also ends it. */
export function childrenOfResult(
  call: string,
  detail: Native | null,
  text: string,
  state: ReaderState,
): ChildLinkedBody[] {
  const display = obj(detail?.["resultDisplay"]);
  if (display?.["type"] !== "task_execution") return [];
  const role = str(display["subagentName"]) ?? state.roles.get(call) ?? null;
  // Agents are named after the role and the call that started them; a receipt has the full name.
  const agent = LAUNCHED.exec(text)?.[1] ?? `${role ?? "agent"}-${call}`;
  const spawned = subagentLink(SOURCE_ID, agent, "spawned", role, call);
  return display["status"] === "background"
    ? [spawned]
    : [spawned, subagentLink(SOURCE_ID, agent, "returned", role, call)];
}

/** The end of a background agent arrives as a message in the user's name. */
export function childOfNotification(record: Native, text: string, state: ReaderState): ChildLinkedBody[] {
  const task = obj(obj(record["systemPayload"])?.["backgroundTask"]);
  const id = textInTag(text, "task-id")?.trim() ?? str(task?.["taskId"]);
  const call = textInTag(text, "tool-use-id")?.trim() ?? str(task?.["toolUseId"]);
  if (!id) return [];
  const role = call === null ? null : (state.roles.get(call) ?? null);
  const isAgent = task ? task["kind"] === "agent" : role !== null || /<summary>Agent "/.test(text);
  return isAgent ? [subagentLink(SOURCE_ID, id, "returned", role, call)] : [];
}
