import type { CancelledBody, RecordBody, SessionMetaBody } from "../../format/record.ts";
import { fieldsOf, nameOf, numberOf, wordOf } from "./fields.ts";
import { changedMeta, triggerEntryOf, metaBody } from "./header.ts";
import { expectCopy } from "./inherit.ts";
import { statedInstructions } from "./instructions.ts";
import { withInstructions, verdict, type ClassifyContext, type Verdict } from "./verdict.ts";
import type { ReaderState } from "./state.ts";

/** The header for a file that begins in the middle: only its name identifies the session. */
export function missingHeader(state: ReaderState): SessionMetaBody {
  const body: SessionMetaBody = {
    type: "session_meta",
    source: "codex",
    kind: "root",
    cwd: null,
    started_at: null,
    agent_version: null,
    stated: false,
  };
  state.header = { ...body };
  return body;
}

/**
 * `session_meta`: the first one identifies the file, later ones change it, those of other sessions belong to copied
 * history.
 */
export function sessionMeta(ctx: ClassifyContext): Verdict {
  const { record, state } = ctx;
  const { payload } = record;
  const id = nameOf(payload.id);
  if (Object.keys(payload).length === 0) return verdict("session", "codex.header.empty");
  // If a header has no id, the next one that has an id names the session.
  if (state.header !== null && (state.named || id === null)) {
    if (id !== null && id !== state.sessionId) return verdict("inherited", "codex.header.foreign");
    const now = metaBody(payload);
    const change = changedMeta(state.header, now);
    state.version = now.agent_version ?? state.version;
    if (change === null)
      return withInstructions(ctx, verdict("session", "codex.header.repeated"), () => statedInstructions(ctx));
    state.header = { ...state.header, ...change };
    return withInstructions(ctx, verdict("session", "codex.header.changed", [change]), () => statedInstructions(ctx));
  }
  const body = metaBody(payload);
  if (id !== null) {
    state.sessionId = id;
    state.named = true;
  }
  state.bare = record.bare;
  state.kind = body.kind;
  state.entry = triggerEntryOf(payload);
  state.version = body.agent_version;
  state.cwd = body.cwd;
  state.historyStart = numberOf(payload.subagent_history_start_ordinal);
  state.header = { ...body };
  const records: RecordBody[] = [body];
  const base = fieldsOf(payload.history_base);
  const based = wordOf(base.thread_id) !== null;
  if (based && wordOf(payload.forked_from_id) === null && id !== null) {
    const from = numberOf(base.end_ordinal_exclusive);
    // A revert continues under the same thread id: everything from this point on in the older segment was undone.
    const body: CancelledBody = { type: "cancelled", reason: "rewound", ...(from === null ? {} : { from_line: from }) };
    records.push(body);
  }
  const next = ctx.ahead(0);
  const following = next?.type === "session_meta" ? nameOf(next.payload.id) : null;
  const copied = id !== null && following !== null && following !== id;
  if (!based && (copied || wordOf(payload.forked_from_id) !== null)) expectCopy(state, record);
  return withInstructions(ctx, verdict("session", "codex.header", records, next === null), () =>
    statedInstructions(ctx),
  );
}
