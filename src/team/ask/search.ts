import type { Pool } from "pg";
import type { TeamSearchAnswer } from "../../views/team.ts";
import { SEARCH_KINDS } from "../../answers/daybook.ts";
import { removedBefore, removedNote } from "../retention/removed.ts";
import { termQuery } from "../rows/search-terms.ts";
import { transaction } from "../store/transaction.ts";

export interface SearchWanted {
  query: string;
  since: Date | null;
  until: Date | null;
  limit: number;
}

interface Row {
  session_id: string;
  turn: number | null;
  line: number | null;
  kind: number;
  ts: Date | null;
  body: string;
}

/**
 * One's own texts that contain all the words. Other people's texts cannot be queried: the database function
 * determines the owner itself.
 */
export async function searchOwn(pool: Pool, owner: string, wanted: SearchWanted): Promise<TeamSearchAnswer> {
  const { query, since, until, limit } = wanted;
  const terms = termQuery(query);
  if (terms === "") return { query, hits: [], withheld: null };
  const { rows, withheld } = await transaction(pool, { role: "daybook_dev", owner }, async (sql) => ({
    ...(await sql.query<Row>("SELECT * FROM daybook_ask.search_texts($1, $2, $3, $4)", [terms, since, until, limit])),
    withheld: removedNote(await removedBefore(sql), since, { texts: "texts" }),
  }));
  return {
    query,
    withheld,
    hits: rows.map(({ session_id, turn, line, kind, ts, body }) => ({
      session_id,
      turn,
      line,
      kind: SEARCH_KINDS[kind] ?? "text",
      at: ts?.toISOString() ?? null,
      text: body,
    })),
  };
}
