import { messageOf } from "../base/errors.ts";
import type { RecallEmbeddings, RecallQuery } from "../index/search/recall/model.ts";
import type { AnswerContext } from "./answer-context.ts";

/** How long a question waits for its own vector, in ms. */
const PATIENCE = 3000;
/** How many similar turns take part in an answer. */
const MOST = 60;

/**
 * What vectors contribute to a question. Turns that have none yet are found by their words alone, and a model that does
 * not answer in time is left out: a question never waits for more than its own vectors.
 */
export async function similarTurns(
  { vectors, index }: Pick<AnswerContext, "vectors" | "index">,
  wordings: readonly string[],
  hide: (text: string) => string,
): Promise<Pick<RecallQuery, "similar" | "embeddings">> {
  if (!vectors) return {};
  const { name: model } = vectors.embedder;
  const of = Number(index.store.get("SELECT count(*) AS n FROM turn")?.["n"]);
  const partOf = (turns: number, failed: string | null): RecallEmbeddings => ({ model, turns, of, failed });
  try {
    const { file } = vectors;
    if (file.turns === 0) return { embeddings: partOf(0, null) };
    const made = await vectors.embedder.embed(wordings.map(hide), AbortSignal.timeout(PATIENCE));
    const byWording = new Map(wordings.map((text, i) => [text, made[i]]));
    return {
      embeddings: partOf(file.turns, null),
      similar: (wording, isMeant) => {
        const vector = byWording.get(wording);
        return vector ? file.similar(vector, isMeant, MOST) : [];
      },
    };
  } catch (error) {
    return { embeddings: partOf(0, messageOf(error)) };
  }
}
