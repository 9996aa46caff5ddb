/** The records of a session: what was asked, the parts of the response, how it ended; what holds for all comes last. */
import { readWhole, type ReadMeter } from "../../base/io/bytes.ts";
import { placedValue, type PlacedRecord } from "../kit/bundle.ts";
import { cannotOpen } from "../kit/json-lines.ts";
import { list, nonEmpty, obj, objects, str, type Native } from "../kit/native.ts";
import { documentIn } from "./replay.ts";

/** Fields of a request that say how it ended. */
const END = ["result", "modelState", "isCanceled", "responseId", "usage", "completionTokens"];

export function recordsOf(path: string, meter?: ReadMeter): PlacedRecord[] {
  let document: Native | null;
  let bytes: number;
  try {
    const whole = readWhole(path, meter);
    bytes = whole.length;
    document = documentIn(whole.toString("utf8"));
  } catch (cause) {
    throw cannotOpen(path, cause);
  }
  if (!document) return [{ value: null, problem: bytes === 0 ? "blank" : "not_json", bytes, place: "document" }];
  const { requests, ...rest } = document;
  const records = list(requests).flatMap((request, at) => partsOf(request, `requests[${at}]`));
  return [...records, placedValue({ ...rest, part: "document" }, "document")];
}

function partsOf(request: unknown, place: string): PlacedRecord[] {
  const found = obj(request);
  if (!found) return [placedValue(request, place)];
  const { response, ...asked } = found;
  const end: Native = {
    part: "end",
    requestId: asked["requestId"],
    timestamp: asked["timestamp"],
    modelId: asked["modelId"],
  };
  for (const name of END) {
    if (asked[name] !== undefined) end[name] = asked[name];
    delete asked[name];
  }
  const calls = callsOf(obj(end["result"]));
  const items = joined(list(response)).map(([item, at]) => {
    const part = obj(item);
    const value = part
      ? { ...part, ...statedOf(part, calls), part: kindOf(part), requestId: asked["requestId"] }
      : item;
    return placedValue(value, `${place}.response[${at}]`);
  });
  return [placedValue({ ...asked, part: "request" }, place), ...items, placedValue(end, `${place}.result`)];
}

/** A part without a kind is text. */
function kindOf(part: Native): string {
  return str(part["kind"]) ?? ("value" in part || "content" in part ? "markdownContent" : "(none)");
}

/** Text and the names of files inside it are parts of their own: neighbours are one text. */
function joined(parts: readonly unknown[]): [item: unknown, at: number][] {
  const out: [item: unknown, at: number][] = [];
  for (const [at, item] of parts.entries()) {
    const part = obj(item);
    const text = part ? textIn(part) : null;
    const before = out.at(-1);
    const text0 = before ? obj(before[0]) : null;
    if (text === null || !part) out.push([item, at]);
    else if (text0?.["kind"] === "text") text0["text"] = `${str(text0["text"]) ?? ""}${text}`;
    else out.push([{ kind: "text", text }, at]);
  }
  return out;
}

/** What a part adds to a text; null if it is none. */
function textIn(part: Native): string | null {
  const kind = kindOf(part);
  if (kind === "markdownContent" || kind === "markdownVuln")
    return markdownIn(part["content"]) ?? markdownIn(part) ?? "";
  if (kind !== "inlineReference") return null;
  const to = obj(part["inlineReference"]) ?? {};
  const path =
    nonEmpty(to["path"]) ?? nonEmpty(obj(to["uri"])?.["path"]) ?? nonEmpty(obj(obj(to["location"])?.["uri"])?.["path"]);
  const name = nonEmpty(part["name"]) ?? nonEmpty(to["name"]) ?? path?.slice(path.lastIndexOf("/") + 1);
  return name === undefined ? "" : `\`${name}\``;
}

/** Markdown is a string, or an object with one. */
export function markdownIn(value: unknown): string | null {
  if (typeof value === "string") return value;
  const inner = obj(value)?.["value"];
  return typeof inner === "string" ? inner : null;
}

interface StatedCall {
  call: Native;
  result: Native | null;
}

/** What the extension keeps of its calls: their names as the model gave them, their input, what the model was told. */
function callsOf(result: Native | null): Map<string, StatedCall> {
  const metadata = obj(result?.["metadata"]);
  const results = obj(metadata?.["toolCallResults"]) ?? {};
  const calls = new Map<string, StatedCall>();
  for (const { toolCalls } of objects(metadata?.["toolCallRounds"]))
    for (const call of objects(toolCalls)) {
      const id = str(call["id"]) ?? "";
      calls.set(bare(id), { call, result: Object.hasOwn(results, id) ? obj(results[id]) : null });
    }
  return calls;
}

/** The extension makes the ids of some models unique. */
function bare(id: string): string {
  return id.split("__vscode-")[0] ?? id;
}

function statedOf(part: Native, calls: ReadonlyMap<string, StatedCall>): Native {
  const stated = calls.get(bare(str(part["toolCallId"]) ?? ""));
  return stated ? { stated: stated.call, told: stated.result } : {};
}
