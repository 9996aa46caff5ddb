/** The store of a session: a snapshot of its history, and a journal of what changed since. Older parts are deleted. */
import { dirname, join } from "node:path";
import { readWhole, type ReadMeter } from "../../base/io/bytes.ts";
import { placed, placedIn, placedValue, type PlacedRecord } from "../kit/bundle.ts";
import { parsedInput } from "../kit/blocks.ts";
import { cannotOpen } from "../kit/json-lines.ts";
import { parseDocument } from "../kit/document-lines.ts";
import { list, num, obj, objects, str, type Native } from "../kit/native.ts";
import { filesIn } from "../kit/session-files.ts";

/** The history as it is now: facts of the session, its entries, and at the end the state of the turn and of the session. */
export function recordsOf(path: string, meter?: ReadMeter): PlacedRecord[] {
  const store = new Store(dirname(path), meter);
  const meta = store.facts(path);
  const current = obj(store.json("CURRENT"));
  // Names come from files: none may lead out of the directory.
  const generation = /^\d+$/.exec(str(current?.["generation"]) ?? "")?.[0] ?? "";
  const folder = `generations/${generation}`;
  const manifest = obj(store.json(`${folder}/manifest.json`));
  const history = new History(obj(obj(store.json(`${folder}/projection-state.json`))?.["snapshot"]));
  history.entries = store.chunks(manifest, "projection_state");
  const spent = new Spending();
  for (const [change, isNew] of store.journal(num(current?.["snapshot_sequence"]) ?? 0)) {
    if (isNew) history.apply(change);
    spent.note(change);
  }
  const { identity, session_metadata, core_system_instructions } =
    obj(store.json(`${folder}/runtime-state.json`)) ?? {};
  const facts = { part: "facts", meta, identity, session_metadata, core_system_instructions };
  const { latestTurn, session } = history.envelope;
  const seen = store.chunks(manifest, "checkpoint");
  return [
    placedValue(facts, "meta.json"),
    ...behindPrompts(history.entries, rejectedIn(seen), spent.responses),
    ...history.broken,
    placedValue({ part: "turn", turn: latestTurn ?? null }, `${folder}/projection-state.json`),
    placedValue({ part: "session", session: session ?? null }, `${folder}/projection-state.json`),
  ];
}

class Store {
  readonly #directory: string;
  readonly #meter: ReadMeter | undefined;

  constructor(directory: string, meter?: ReadMeter) {
    this.#directory = directory;
    this.#meter = meter;
  }

  /** Without this file there is no session. */
  facts(path: string): unknown {
    try {
      return parsedInput(readWhole(path, this.#meter).toString("utf8"));
    } catch (cause) {
      throw cannotOpen(path, cause);
    }
  }

  json(file: string): unknown {
    try {
      return parseDocument(readWhole(join(this.#directory, file), this.#meter).toString("utf8"));
    } catch {
      // Half written, or gone: what is missing is said where it is used.
      return null;
    }
  }

  /** The items of the files that a part of the manifest names. */
  chunks(manifest: Native | null, part: string): PlacedRecord[] {
    return list(obj(manifest?.[part])?.["chunks"]).flatMap((hash) => {
      const file = `chunks/${/^[0-9a-f]{16,}$/.exec(str(hash) ?? "")?.[0] ?? ""}.json`;
      const items = this.json(file);
      return Array.isArray(items) ? items.map((item, i) => placedValue(item, `${file}:${i + 1}`)) : [placed("{", file)];
    });
  }

  /** What is left of the journal, and whether it is behind the snapshot. */
  *journal(snapshot: number): Generator<[PlacedRecord, boolean]> {
    for (const name of filesIn(join(this.#directory, "journal")).filter((one) => /^\d+\.jsonl$/.test(one)))
      for (const record of placedIn(join(this.#directory, "journal", name), `journal/${name}`, this.#meter))
        yield [record, Number.parseInt(name, 10) > snapshot];
  }
}

/** The responses in the journal, by the prompt they answer: the history says nothing of tokens. */
class Spending {
  readonly responses = new Map<unknown, PlacedRecord[]>();
  #prompt: unknown = null;

  note({ value, place }: PlacedRecord): void {
    const { type, payload } = value ?? {};
    const { delta, action_id: id, result } = obj(payload) ?? {};
    for (const { entry } of objects(delta)) if (isAsked(obj(entry) ?? {})) this.#prompt = obj(entry)?.["id"];
    const usage = obj(obj(obj(result)?.["result"])?.["usage"]);
    if (type !== "action_result" || !usage) return;
    push(this.responses, this.#prompt, placedValue({ part: "response", id, usage }, place));
  }
}

/** A prompt, or `/compact`. */
function isAsked({ source, kind, details }: Native): boolean {
  return source === "turn_start" || (kind === "compaction" && obj(details)?.["trigger"] === "manual");
}

function push(lists: Map<unknown, PlacedRecord[]>, key: unknown, record: PlacedRecord): void {
  lists.set(key, [...(lists.get(key) ?? []), record]);
}

/** Entries are appended, replaced and removed by their ids; everything else is one object that is set as a whole. */
class History {
  entries: PlacedRecord[] = [];
  envelope: Native;
  /** Changes that cannot be read. */
  readonly broken: PlacedRecord[] = [];

  constructor(envelope: Native | null) {
    this.envelope = envelope ?? {};
  }

  apply(record: PlacedRecord): void {
    if (!record.value) this.broken.push(record);
    if (record.value?.["type"] !== "projection_delta") return;
    for (const change of objects(obj(record.value["payload"])?.["delta"])) this.#change(change, record.place);
  }

  #change({ op, id, entry, entries, state }: Native, place: string): void {
    const at = this.entries.findIndex(({ value }) => value?.["id"] === id);
    if (op === "append_entry") this.entries.push(placedValue(entry, place));
    else if (op === "set_history_entries") this.entries = list(entries).map((one) => placedValue(one, place));
    else if (op === "set_envelope") this.envelope = obj(state) ?? {};
    else if (op === "replace_entry" && at !== -1) this.entries[at] = placedValue(entry, place);
    else if (op === "remove_entry") this.entries = this.entries.filter(({ value }) => value?.["id"] !== id);
    else this.broken.push(placed("{", `${place} ${str(op) ?? ""}`));
  }
}

/** Calls that were rejected before a tool was asked leave no entry: only what the model saw holds them, by turns. */
function rejectedIn(seen: readonly PlacedRecord[]): Map<unknown, PlacedRecord[]> {
  const rejected = new Map<unknown, PlacedRecord[]>();
  const calls = new Map<unknown, Native>();
  for (const { value, place } of seen) {
    const { role, content, tool_call_id } = obj(value?.["message"]) ?? {};
    for (const part of objects(content)) if (part["type"] === "tool_call") calls.set(part["id"], part);
    const call = calls.get(tool_call_id);
    const [said] = objects(content);
    if (role !== "tool" || !call || !(str(said?.["text"]) ?? "").includes('"name":"InvalidToolCall"')) continue;
    push(rejected, value?.["turn_index"], placedValue({ part: "rejected", call, text: said?.["text"] }, place));
  }
  return rejected;
}

/** What has no place in the history stands behind the prompt of its turn, if that is still there. */
function behindPrompts(
  entries: readonly PlacedRecord[],
  rejected: ReadonlyMap<unknown, PlacedRecord[]>,
  responses: ReadonlyMap<unknown, PlacedRecord[]>,
): PlacedRecord[] {
  let turn = -1;
  return entries.flatMap((entry) => {
    const isPrompt = entry.value?.["source"] === "turn_start";
    if (isPrompt) turn++;
    return [entry, ...(responses.get(entry.value?.["id"]) ?? []), ...((isPrompt && rejected.get(turn)) || [])];
  });
}
