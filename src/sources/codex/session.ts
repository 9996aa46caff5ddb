import type { CancelledBody, RecordBody, SessionMetaBody } from "../../format/record.ts";
import { fieldsOf, nameOf, numberOf, wordOf } from "./fields.ts";
import { changedMeta, entryOf, metaBody } from "./header.ts";
import { expectCopy } from "./inherit.ts";
import { statedInstructions } from "./instructions.ts";
import { instructed, verdict, type Scene, type Verdict } from "./scene.ts";
import type { ReaderState } from "./state.ts";

/** A file that begins in the middle: only its name tells whose it is. */
export function headerless(state: ReaderState): SessionMetaBody {
  const body: SessionMetaBody = {
    ...{ type: "session_meta", source: "codex", kind: "root", cwd: null, started_at: null, agent_version: null },
    stated: false,
  };
  state.header = { ...body };
  return body;
}

/** `session_meta`: the first one is the file's identity, later ones change it, foreign ones came with a copied history. */
export function sessionMeta(scene: Scene): Verdict {
  const { record, state } = scene;
  const { payload } = record;
  const id = nameOf(payload.id);
  if (Object.keys(payload).length === 0) return verdict("session", "codex.header.empty");
  // A header without an id leaves the question who this is to the next one.
  if (state.header !== null && (state.named || id === null)) {
    if (id !== null && id !== state.sessionId) return verdict("inherited", "codex.header.foreign");
    const now = metaBody(payload);
    const change = changedMeta(state.header, now);
    state.version = now.agent_version ?? state.version;
    if (change === null)
      return instructed(scene, verdict("session", "codex.header.repeated"), () => statedInstructions(scene));
    state.header = { ...state.header, ...change };
    return instructed(scene, verdict("session", "codex.header.changed", [change]), () => statedInstructions(scene));
  }
  const body = metaBody(payload);
  if (id !== null) {
    state.sessionId = id;
    state.named = true;
  }
  state.bare = record.bare;
  state.kind = body.kind;
  state.entry = entryOf(payload);
  state.version = body.agent_version;
  state.cwd = body.cwd;
  state.historyStart = numberOf(payload.subagent_history_start_ordinal);
  state.header = { ...body };
  const records: RecordBody[] = [body];
  const base = fieldsOf(payload.history_base);
  const based = wordOf(base.thread_id) !== null;
  if (based && wordOf(payload.forked_from_id) === null && id !== null) {
    const from = numberOf(base.end_ordinal_exclusive);
    // A revert goes on under the same thread id: what stood from here on in the older segment was taken back.
    const body: CancelledBody = { type: "cancelled", reason: "rewound", ...(from === null ? {} : { from_line: from }) };
    records.push(body);
  }
  const next = scene.ahead(0);
  const following = next?.type === "session_meta" ? nameOf(next.payload.id) : null;
  const copied = id !== null && following !== null && following !== id;
  if (!based && (copied || wordOf(payload.forked_from_id) !== null)) expectCopy(state, record);
  return instructed(scene, verdict("session", "codex.header", records, next === null), () => statedInstructions(scene));
}
