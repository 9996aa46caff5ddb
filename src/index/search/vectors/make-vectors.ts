import type { ReadViews } from "../../../views/not-pushed.ts";
import type { Redactor } from "../../../base/redact/redact.ts";
import { parseTurnKey, turnKeyIn } from "../../../record/session-key.ts";
import { parseRow } from "../../tables/damaged-index.ts";
import type { IndexStore } from "../../tables/index-store.ts";
import type { Embedder } from "./embedder.ts";
import type { TurnPart, TurnVectors, VectorFile } from "./vector-file.ts";

/** A turn whose vectors are missing, or were made of an earlier state of it. */
export interface UnmadeTurn {
  session: string;
  ref: string;
  state: string;
}

/** Characters of a request or a reply: models read a few hundred words, and the beginning says what it is about. */
const MOST = 1600;
/** The same where both make one text. */
const MOST_OF_BOTH = 800;
/** Shorter texts mean nothing alone: `yes`, `go on`. */
const LEAST = 12;

/** What remains to be made, newest first; vectors of turns that are no longer there are deleted. */
export function unmadeTurns(store: IndexStore, file: VectorFile): UnmadeTurn[] {
  const made = file.states();
  const unmade: UnmadeTurn[] = [];
  for (const [session, ref, first, last, records] of store.list(
    "SELECT session, ref, first, last, records FROM turn ORDER BY time DESC, session, ref",
  )) {
    const turn = { session: String(session), ref: String(ref), state: [first, last, records].map(Number).join(" ") };
    const key = turnKeyIn(turn.session, turn.ref);
    if (made.get(key) !== turn.state) unmade.push(turn);
    made.delete(key);
  }
  file.drop([...made.keys()].map(parseTurnKey).map(({ session, turn_ref: ref }) => ({ session, ref })));
  return unmade;
}

/** The texts to make vectors of, by part, without secrets: they go to another program. */
export function textsOf(store: IndexStore, { session, ref }: UnmadeTurn, redactor: Redactor): Map<TurnPart, string> {
  const row = store.get("SELECT view FROM turn WHERE session = ? AND ref = ?", session, ref);
  if (!row) return new Map();
  const { trigger, final_text } = parseRow(row["view"]) as ReadViews["turn"];
  const [request, reply] = [trigger.text, final_text].map((text) => redactor.text(text).replace(/\s+/g, " ").trim());
  const parts: [TurnPart, string][] = [
    ["request", cut(request, MOST)],
    ["reply", cut(reply, MOST)],
    ["both", reply && request ? `${cut(request, MOST_OF_BOTH)}\n${cut(reply, MOST_OF_BOTH)}` : ""],
  ];
  return new Map(parts.filter(([, text]) => text.length >= LEAST));
}

/** The first characters; no half of a pair. */
function cut(text = "", most: number): string {
  return text.length <= most ? text : text.slice(0, most).replace(/[\ud800-\udbff]$/, "");
}

/** Makes the vectors of some turns in one request. */
export async function vectorsOf(
  turns: readonly (UnmadeTurn & { texts: ReadonlyMap<TurnPart, string> })[],
  embedder: Embedder,
  signal: AbortSignal | undefined,
): Promise<TurnVectors[]> {
  const texts = turns.flatMap((turn) => [...turn.texts.values()]);
  const vectors = texts.length === 0 ? [] : await embedder.embed(texts, signal);
  let at = 0;
  return turns.map(({ texts: parts, ...turn }) => ({
    ...turn,
    parts: new Map(
      [...parts.keys()].flatMap((part) => {
        const vector = vectors[at++];
        return vector ? [[part, vector] as const] : [];
      }),
    ),
  }));
}
