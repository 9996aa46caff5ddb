import type { Skimmer } from "../../io/lines.ts";

const OUTPUT = "function_call_output|custom_tool_call_output|additional_tools";
const ITEM = `response_item","payload":\\{"type":"(?:(${OUTPUT})"|message",(?:"id":"[^"]*",)?"role":"(developer)")`;
const FOLDED = new RegExp(`^\\{"timestamp":"[^"]*",(?:"ordinal":\\d+,)?"type":"(?:${ITEM}|(world_state)")`);

/**
 * Lines that neither ask nor state usage, and that no verdict on a prompt looks at: tool outputs and scaffolding. They are
 * most of the bytes of a session. Calls, events and compactions are always read: they decide what was a human action.
 */
export const skimForUsage: Skimmer = (head) => {
  const match = FOLDED.exec(head);
  if (match === null) return null;
  const [, output, developer, world] = match;
  if (output !== undefined) return `response_item/${output}`;
  return developer === undefined ? (world ?? null) : "response_item/message/developer";
};
