import type { ContextBody, RecordBody } from "../../format/record.ts";
import type { MessageContext } from "./draft.ts";
import { nonEmpty } from "./native.ts";
import { obj, type Native } from "../kit/native.ts";

/** The model a message names: user messages name the chosen one, assistant messages the one that answered. */
export function modelOf(message: Native): string | null {
  const chosen = obj(message["model"]);
  return nonEmpty(message["modelID"]) ?? nonEmpty(chosen?.["modelID"]) ?? nonEmpty(chosen?.["id"]);
}

/** Settings that changed with this message. */
export function contextRecords(message: Native, ctx: MessageContext): RecordBody[] {
  const { ruling } = ctx.state;
  const body: ContextBody = { type: "context" };
  const model = modelOf(message);
  if (model !== null && model !== ruling.model) body.model = ruling.model = model;
  const effort = nonEmpty(obj(message["model"])?.["variant"]) ?? nonEmpty(message["variant"]);
  if (effort !== null && effort !== ruling.effort) body.effort = ruling.effort = effort;
  const cwd = nonEmpty(obj(message["path"])?.["cwd"]);
  if (cwd !== null && cwd !== (ruling.cwd ?? ctx.facts.cwd)) body.cwd = ruling.cwd = cwd;
  return Object.keys(body).length > 1 ? [body] : [];
}
