import type { ContextBody, RecordBody } from "../../format/record.ts";
import type { MessageContext } from "./draft.ts";
import { filled } from "./native.ts";
import { obj, type Native } from "../kit/native.ts";

/** The model a message names: user messages say what was chosen, assistant messages what answered. */
export function modelOf(message: Native): string | null {
  const chosen = obj(message["model"]);
  return filled(message["modelID"]) ?? filled(chosen?.["modelID"]) ?? filled(chosen?.["id"]);
}

/** What rules the work from this message on, where it changed. */
export function contextRecords(message: Native, ctx: MessageContext): RecordBody[] {
  const { ruling } = ctx.state;
  const body: ContextBody = { type: "context" };
  const model = modelOf(message);
  if (model !== null && model !== ruling.model) body.model = ruling.model = model;
  const effort = filled(obj(message["model"])?.["variant"]) ?? filled(message["variant"]);
  if (effort !== null && effort !== ruling.effort) body.effort = ruling.effort = effort;
  const cwd = filled(obj(message["path"])?.["cwd"]);
  if (cwd !== null && cwd !== (ruling.cwd ?? ctx.facts.cwd)) body.cwd = ruling.cwd = cwd;
  return Object.keys(body).length > 1 ? [body] : [];
}
