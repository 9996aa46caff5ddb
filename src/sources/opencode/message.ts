import type { RecordBody } from "../../format/record.ts";
import { closingRecords, openingRecords, partRecords } from "./assistant.ts";
import { corrupt, pieceTime, type EntryDraft, type Message, type MessageContext, type MessagePart } from "./draft.ts";
import { noteFields, partType } from "./drift.ts";
import { fingerprint } from "./identity.ts";
import { nonEmpty, time } from "./native.ts";
import { obj, str, type Native } from "../kit/native.ts";
import { addInstructions } from "../kit/instructions.ts";
import { unfold } from "./oldest.ts";
import { PART } from "./reasons.ts";
import type { Bundle, NativeRow } from "./rows.ts";
import { systemTexts } from "./system-texts.ts";
import { judgeUser } from "./user.ts";

/** Builds a message from its rows; null if the message's own row cannot be parsed. */
export function assembleMessage(bundle: Bundle): Message | null {
  const { message: row, parts } = bundle;
  if (!row.data) return null;
  const { message: data, inline } = unfold(row.data);
  const pieces: MessagePart[] = [
    ...inline.map((part) => ({ data: part, row: null })),
    ...parts.map((part) => ({ data: part.data, row: part })),
  ];
  return messageOf(row, data, pieces);
}

export function messageOf(row: NativeRow, data: Native, pieces: readonly MessagePart[]): Message {
  const identity = fingerprint(
    data,
    pieces.map((piece) => piece.data),
  );
  return { id: row.id, data, row, pieces, identity, time: time(obj(data["time"])?.["created"]) ?? row.time };
}

/** One draft per row of the message, in order. */
export function readMessage(bundle: Bundle, message: Message | null, ctx: MessageContext): EntryDraft[] {
  if (!message) return [corrupt(bundle.message, "message"), ...bundle.parts.map((row) => orphan(row, bundle, ctx))];
  const role = str(message.data["role"]);
  noteFields(ctx.drift, `message/${role ?? ""}`, message.data);
  if (role === "user") return userDrafts(message, ctx);
  if (role === "assistant") return assistantDrafts(message, ctx);
  const native = `message/${role ?? "(no role)"}`;
  ctx.drift.countUnknownType(native);
  const head = draft(message, "unknown", "opencode.message.unknown", native, [
    { type: "unknown", native_type: native },
  ]);
  return [head, ...rowsOf(message).map((piece, i) => partDraft(piece, i, message, ctx, () => []))];
}

function userDrafts(message: Message, ctx: MessageContext): EntryDraft[] {
  const verdict = judgeUser(message, ctx);
  const head = draft(message, verdict.class, verdict.reason, "message/user", verdict.records);
  addInstructions(head, systemTexts(message.data, ctx), ctx.full);
  if (verdict.class === "trigger" || verdict.reason === "opencode.user.delegated") head.turnId = message.id;
  return [head, ...rowsOf(message).map((piece, i) => partDraft(piece, i, message, ctx, userPart))];
}

/** The text of a prompt is reported with its message; its parts only need to be of a known type. */
function userPart(part: Native): RecordBody[] | null {
  return USER_PARTS.has(str(part["type"]) ?? "") ? [] : null;
}

const USER_PARTS: ReadonlySet<string> = new Set([
  "text",
  "file",
  "agent",
  "subtask",
  "compaction",
  "snapshot",
  "patch",
  "step-start",
  "reasoning",
]);

function assistantDrafts(message: Message, ctx: MessageContext): EntryDraft[] {
  const opening = openingRecords(message, ctx);
  const head = draft(message, "reaction", "opencode.assistant.message", "message/assistant", opening);
  addInstructions(head, systemTexts(message.data, ctx), ctx.full);
  const turn = nonEmpty(message.data["parentID"]);
  const drafts = [head];
  for (const [i, piece] of message.pieces.entries()) {
    const recordsOf = (part: Native): RecordBody[] | null => partRecords(part, i, message, ctx);
    if (piece.row) drafts.push(partDraft(piece, i, message, ctx, recordsOf));
    else if (piece.data) head.records.push(...inlineRecords(piece.data, recordsOf, ctx));
  }
  const last = drafts.at(-1) ?? head;
  // The end is reported with the last row of the message, after everything the message did.
  last.records.push(...closingRecords(message, ctx));
  if (turn !== null) for (const each of drafts) each.turnId = turn;
  return drafts;
}

function inlineRecords(
  part: Native,
  recordsOf: (part: Native) => RecordBody[] | null,
  ctx: MessageContext,
): RecordBody[] {
  const records = recordsOf(part);
  if (records) return records;
  ctx.drift.countUnknownType(partType(part));
  return [{ type: "unknown", native_type: partType(part) }];
}

function rowsOf(message: Message): MessagePart[] {
  return message.pieces.filter((piece) => piece.row !== null);
}

function partDraft(
  piece: MessagePart,
  index: number,
  message: Message,
  ctx: MessageContext,
  recordsOf: (part: Native) => RecordBody[] | null,
): EntryDraft {
  const row = piece.row ?? message.row;
  const identity = `${message.identity}/${index}`;
  if (!piece.data) return { ...corrupt(row, "part"), identity };
  const native = partType(piece.data);
  noteFields(ctx.drift, native, piece.data);
  const records = recordsOf(piece.data);
  const start = time(obj(piece.data["time"])?.["start"]) ?? time(obj(obj(piece.data["state"])?.["time"])?.["start"]);
  const base = { native, time: pieceTime(piece, message, start), bytes: row.bytes, identity };
  const reason = PART[str(piece.data["type"]) ?? ""];
  if (records && reason) return { ...base, class: "reaction", reason, records };
  ctx.drift.countUnknownType(native);
  return {
    ...base,
    class: "unknown",
    reason: "opencode.part.unknown",
    records: [{ type: "unknown", native_type: native }],
  };
}

/** A part whose message cannot be parsed: its author is unknown, but its calls are still reported. */
function orphan(row: NativeRow, bundle: Bundle, ctx: MessageContext): EntryDraft {
  const message = messageOf(bundle.message, {}, [{ data: row.data, row }]);
  const recordsOf = (part: Native): RecordBody[] | null =>
    part["type"] === "text" || part["type"] === "reasoning" ? [] : partRecords(part, 0, message, ctx);
  const made = partDraft(
    { data: row.data, row },
    0,
    { ...message, identity: `${bundle.message.id}/${row.id}` },
    ctx,
    recordsOf,
  );
  return { ...made, identity: `${bundle.message.id}/${row.id}` };
}

function draft(
  message: Message,
  cls: EntryDraft["class"],
  reason: EntryDraft["reason"],
  native: string,
  records: readonly RecordBody[],
): EntryDraft {
  return {
    class: cls,
    reason,
    native,
    time: message.time,
    bytes: message.row.bytes,
    records: [...records],
    identity: message.identity,
  };
}
