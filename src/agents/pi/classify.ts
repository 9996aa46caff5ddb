import type { RecordBody, SessionMetaBody } from "../../record/record.ts";
import { parentFromPath, sessionIdNamed, SOURCE_ID } from "./identity.ts";
import { injected, messageVerdict } from "./messages.ts";
import { messageOf, nativeType } from "./native.ts";
import { str, type Native } from "../kit/native.ts";
import { verdict } from "../kit/verdict.ts";
import type { Scene, Verdict } from "./verdict.ts";
import { instant } from "../../base/io/instant.ts";

/** The classification rules, by type of record. */
export function classify(scene: Scene): Verdict {
  const { record, full } = scene;
  const message = messageOf(record);
  if (message) return messageVerdict(message, scene);
  switch (str(record["type"])) {
    case "session":
      return verdict("session", "pi.session", () => [header(record, scene)]);
    case "model_change":
      return verdict("setup", "pi.model_change", () => modelChange(record, scene));
    case "thinking_level_change":
      return verdict("setup", "pi.thinking_level_change", () => [
        { type: "context", effort: str(record["thinkingLevel"]) },
      ]);
    case "compaction":
      // Nothing distinguishes `/compact` from an overflow, so it belongs to the turn it follows.
      return verdict("reaction", "pi.compaction", () => [
        { type: "compacted", trigger: "unknown", summary: full ? str(record["summary"]) : null },
      ]);
    case "branch_summary":
      return injected(record["summary"], scene, "pi.branch_summary");
    case "custom_message":
      return injected(record["content"], scene, "pi.custom_message");
    case "session_info":
    case "title":
      return verdict("session", "pi.title", () => renamed(record));
    case "context_edit":
      // Changes what the model sees from here on; what was said and spent stays.
      return verdict("reaction", "pi.context_edit");
    case "usage":
      return verdict("reaction", "pi.usage");
    case "active_tools_change":
      return verdict("setup", "pi.active_tools_change");
    case "custom":
      return verdict("session", "pi.custom");
    case "label":
      return verdict("session", "pi.label");
    default:
      return verdict("unknown", "pi.type.unknown", () => [{ type: "unknown", native_type: nativeType(record) }]);
  }
}

function header(record: Native, { path, state }: Scene): SessionMetaBody {
  const origin = str(record["parentSession"]) ?? str(record["branchedFrom"]);
  const version = record["version"];
  state.version = typeof version === "number" ? `session v${version}` : "session v1";
  state.provider = str(record["provider"]);
  return {
    type: "session_meta",
    source: SOURCE_ID,
    kind: state.kind,
    cwd: str(record["cwd"]),
    started_at: isoOf(record["timestamp"]),
    // pi never writes its own version.
    agent_version: null,
    provider: state.provider,
    model: str(record["modelId"]),
    title: str(record["title"]),
    parent: parentFromPath(path),
    forked_from: origin === null ? null : sessionIdNamed(origin),
  };
}

function isoOf(value: unknown): string | null {
  const time = instant(Date.parse(str(value) ?? ""));
  return time === null ? null : new Date(time).toISOString();
}

function modelChange(record: Native, { state }: Scene): RecordBody[] {
  const out: RecordBody[] = [{ type: "context", model: str(record["modelId"]) }];
  const provider = str(record["provider"]);
  if (provider === null || provider === state.provider) return out;
  state.provider = provider;
  const same = { source: SOURCE_ID, kind: state.kind, cwd: null, started_at: null, agent_version: null };
  return [{ type: "session_meta", ...same, provider }, ...out];
}

/** An empty name clears the title. */
function renamed(record: Native): RecordBody[] {
  const title = str(record["name"] ?? record["title"])?.trim() ?? "";
  const by = record["type"] === "session_info" ? "human" : "agent";
  return [{ type: "session_renamed", title: title === "" ? null : title, by }];
}
