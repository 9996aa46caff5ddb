/** Messages that Aider printed: some amount to tool calls. */
import type { FileOperation, RecordBody, SessionMetaBody, ToolStatus } from "../../record/record.ts";
import type { EntryClass } from "../contract.ts";
import { SOURCE_ID } from "./native.ts";
import { findAhead, isLintFix, verdict, type Scene, type Verdict } from "./rules.ts";
import { usageOf } from "./usage.ts";

const COMMAND_LINE = /(?:^|[\\/])aider(?:\.exe|\.py|-script\.py)?(?: |$)/;
const MESSAGE_FLAG = / (?:--msg|--message|--message-file|-m|-f)(?:[ =]|$)/;
const VERSION = /^Aider v(\S+)/;
const MODEL = /^(?:Main model|Models?): (.+?)(?: with .*)?$/;
const EDITOR = /^Editor model: (.+?)(?: with .*)?$/;
const DIRECTORY = /^Cur working dir: (.+)$/;
const INTERRUPT = /^\^C (?:again to exit|KeyboardInterrupt)/;
/**
 * Errors of the model or its provider, by the names litellm and Aider give them. Test output is full of other errors.
 */
const FAULT =
  /^(?:\w+Error: )?litellm\.|^Unexpected error: |^(?:The )?API provider|^API Error|^OpenAI|has hit a token limit!$/;
const RETRY = /^Retrying in /;
/** After these messages the model is asked again without new input. */
const AGAIN =
  /did not conform to the edit format|^(?:Attempt to )?fix (?:lint|test) errors.*\b[ya]\w*$|^Add .*\bto the chat\?.*\b[ya]\w*$/i;
const CREATION = /^(?:Creating empty file (.+)|Allow creation of new file (.+?)\? .*\b[ya]\w*)$/i;
const CREATION_ASKED = /^Create new file\? .*\b[ya]\w*$/i;
const APPLIED = /^Applied edit to (.+)$/;
const REFUSED = /^(?:Did not apply edit to (.+?)(?: \(--dry-run\))?|Skipping edits to (.+))$/;
const MALFORMED = /did not conform to the edit format/;
const COMMIT = /^Commit ([0-9a-f]{7,40}) (.*)$/;
const RAN = /^Running (.+)$/;
const NOT_RUN = /^Run shell commands?\? .*\b[nsd]\w*$/i;

/** A console message: announcements, questions with their answers, edits, commits, errors, the usage report. */
export function messageVerdict(scene: Scene): Verdict {
  const { line, state, id } = scene;
  const body = line.body.trim();
  if (isLintFix(body)) state.pair = { how: "any", text: "" };
  const model = state.editing ? state.editor : state.model;
  const usage = usageOf(body, id, model);
  if (usage) {
    state.turn = "ended";
    state.pair = null;
    const records: RecordBody[] = [usage, { type: "assistant_finished", text: "", model, turn_ended: true }];
    return verdict("reaction", "aider.message.usage", "report", records);
  }
  if (AGAIN.test(body) && state.owner === "turn") {
    state.turn = "running";
    state.replied = false;
  }
  const found = interruptVerdict(body, scene) ?? faultVerdict(body, scene) ?? plainVerdict(body, scene);
  if (body !== "") state.subject = body;
  return found;
}

/** A further line of a message. */
export function tailVerdict(scene: Scene): Verdict {
  return verdict(ownerClass(scene), "aider.message.more", "message");
}

/** Messages before the first prompt are setup; after a client command they belong to the client. */
function ownerClass({ state }: Scene): EntryClass {
  return state.owner === "none" ? "setup" : state.owner === "turn" ? "reaction" : "session";
}

/**
 * Ctrl-C stops a model that has not answered; afterwards it only leaves Aider. The partial reply is written below it.
 */
function interruptVerdict(body: string, scene: Scene): Verdict | null {
  const { state } = scene;
  if (!INTERRUPT.test(body)) return null;
  const working = state.owner === "turn" && state.turn === "running" && !state.replied;
  if (!working) return verdict("session", "aider.message.interrupt.idle", "message");
  state.turn = "ended";
  return verdict("reaction", "aider.message.interrupt", "message", [{ type: "cancelled", reason: "interrupted" }]);
}

function faultVerdict(body: string, scene: Scene): Verdict | null {
  const { state, lines } = scene;
  if (!FAULT.test(body) || state.owner !== "turn" || state.turn !== "running" || state.replied) return null;
  const ahead = findAhead(lines, 0, (line) => line.kind === "reply" || (line.kind === "tool" && RETRY.test(line.body)));
  const record: RecordBody = { type: "failed", message: body, turn_ended: !ahead.found };
  return verdict("reaction", "aider.message.error", "message", [record], { open: ahead.open });
}

function plainVerdict(body: string, scene: Scene): Verdict {
  const cls = ownerClass(scene);
  const facts = announcementRecords(body, scene);
  if (facts) return verdict(cls, "aider.message.announcement", "message", facts);
  const acts = actionRecords(body, scene);
  if (acts) {
    // Edits and commits follow the usage report that ended the turn; they still belong to it and are no new work.
    const done = acts.length > 0 && scene.state.owner === "turn" && scene.state.turn === "ended";
    if (done) acts.push({ type: "assistant_finished", text: "", turn_ended: true });
    return verdict(cls, "aider.message.action", "message", acts);
  }
  return verdict(cls, "aider.message", "message");
}

/** Printed at the start and again whenever the model or the mode changes. */
function announcementRecords(body: string, { state }: Scene): RecordBody[] | null {
  const version = VERSION.exec(body)?.[1];
  if (version !== undefined) return [{ ...meta(), agent_version: version }];
  const model = MODEL.exec(body)?.[1];
  if (model !== undefined && state.owner !== "turn") {
    state.model = model;
    return [{ type: "context", model }];
  }
  const editor = EDITOR.exec(body)?.[1];
  if (editor !== undefined && state.owner !== "turn") {
    state.editor = editor;
    return [];
  }
  const directory = DIRECTORY.exec(body)?.[1];
  if (directory !== undefined) return [{ ...meta(), cwd: directory }];
  if (state.owner !== "none" || state.headless !== null || !COMMAND_LINE.test(body)) return null;
  state.headless = MESSAGE_FLAG.test(body);
  return [];
}

export function meta(): SessionMetaBody {
  return { type: "session_meta", source: SOURCE_ID, kind: "root", cwd: null, started_at: null, agent_version: null };
}

/** Messages that amount to tool calls. Aider writes no separate result: the message is call and result in one. */
function actionRecords(body: string, scene: Scene): RecordBody[] | null {
  const { state } = scene;
  const creation = CREATION.exec(body);
  if (creation) state.created = creation[1] ?? creation[2] ?? null;
  else if (CREATION_ASKED.test(body)) state.created = state.subject;
  const applied = APPLIED.exec(body)?.[1];
  if (applied !== undefined) {
    const operation: FileOperation = state.created === applied ? "created" : "modified";
    return call(scene, "edit", { path: applied }, "ok", [{ path: applied, operation }]);
  }
  const refused = REFUSED.exec(body);
  if (refused) return call(scene, "edit", { path: refused[1] ?? refused[2] ?? "" }, "denied");
  if (MALFORMED.test(body)) return call(scene, "edit", null, "failed");
  const commit = COMMIT.exec(body);
  if (commit) return call(scene, "commit", { commit: commit[1] ?? "", message: commit[2] ?? "" }, "ok");
  const ran = RAN.exec(body)?.[1];
  if (ran !== undefined && state.owner === "turn") return call(scene, "shell", { command: ran }, "ok");
  if (NOT_RUN.test(body)) return call(scene, "shell", { command: state.subject }, "denied");
  return creation ? [] : null;
}

function call(
  { id, full }: Scene,
  name: string,
  input: Record<string, string> | null,
  status: ToolStatus,
  files?: { path: string; operation: FileOperation }[],
): RecordBody[] {
  return [
    { type: "tool_started", call_id: id, name, input: full ? input : null },
    { type: "tool_finished", call_id: id, status, exit_code: null, duration_ms: null, ...(files ? { files } : {}) },
  ];
}
