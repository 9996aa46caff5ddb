import type { Pool } from "pg";
import type { TeamTurn, TeamTurnsAnswer } from "../../views/team.ts";
import { DaybookError } from "../../base/errors.ts";
import { removedBefore, removedNote } from "../retention/removed.ts";
import { transaction, type Sql } from "../store/transaction.ts";
import type { View } from "./view.ts";

export interface PageWanted {
  /** Whose turns; required if several people may be seen. */
  person: string | null;
  project: string | null;
  since: Date;
  until: Date;
  limit: number;
  cursor: string | null;
}

interface Row {
  session_id: string;
  n: number;
  ts: Date | null;
  status: string;
  source: string;
  project: string;
  model: string;
  calls: number;
  failed: number;
  pico: string | null;
  body: string | null;
}

const CURSOR = /^(\d{1,16})\.([0-9a-f-]{36})\.(\d{1,9})$/;

/** One person's turns, newest first: their own, or anybody's for an auditor. A lead sees none. */
export async function turnsOf(pool: Pool, view: View, wanted: PageWanted, login: string): Promise<TeamTurnsAnswer> {
  if (view.kind === "led")
    throw new DaybookError("leads see totals, but no turns", { code: "refused", op: "ask store" });
  return transaction(pool, view.acting, async (sql) => {
    const name = view.kind === "own" ? login : wanted.person;
    const owner = view.kind === "own" ? view.owner : await ownerOf(sql, wanted.person, view.team);
    const rows = await rowsOf(sql, owner, wanted);
    const last = rows.at(-1);
    const removed = await removedBefore(sql);
    const isMore = rows.length === wanted.limit && last !== undefined && last.ts !== null;
    return {
      turns: rows.map((row) => turnOf(row, name ?? "")),
      next_cursor: isMore ? `${last.ts?.getTime()}.${last.session_id}.${last.n}` : null,
      withheld: removedNote(removed, wanted.since, { turns: "turns", texts: "texts" }),
    };
  });
}

async function ownerOf(sql: Sql, person: string | null, team: string | null): Promise<string> {
  if (person === null) throw new DaybookError("person: must name a person", { code: "usage", op: "ask store" });
  const { rows } = await sql.query<{ owner_id: string }>(
    `SELECT o.owner_id FROM daybook.owners o WHERE o.login = $1
       AND ($2::uuid IS NULL OR EXISTS (SELECT 1 FROM daybook.memberships m WHERE m.team_id = $2 AND m.owner_id = o.owner_id))`,
    [person, team],
  );
  const [found] = rows;
  if (!found) throw new DaybookError(`there is nobody called ${person}`, { code: "not_found", op: "ask store" });
  return found.owner_id;
}

async function rowsOf(sql: Sql, owner: string, wanted: PageWanted): Promise<Row[]> {
  const [, ms, session, n] = wanted.cursor === null ? [] : (CURSOR.exec(wanted.cursor) ?? []);
  if (wanted.cursor !== null && ms === undefined)
    throw new DaybookError("this is not a cursor of Daybook", { code: "usage", op: "ask store" });
  const { rows } = await sql.query<Row>(
    `SELECT t.session_id, t.n, t.ts, t.status, t.source, t.project, t.model, t.calls, t.failed, t.pico, d.body
     FROM daybook.turns t
     LEFT JOIN daybook.details d
       ON d.owner_id = t.owner_id AND d.session_id = t.session_id AND d.kind = 1 AND d.n = t.n
     WHERE t.owner_id = $1 AND t.ts >= $2 AND t.ts < $3 AND ($4::text IS NULL OR t.project = $4)
       AND ($5::timestamptz IS NULL OR (t.ts, t.session_id, t.n) < ($5, $6::uuid, $7::int4))
     ORDER BY t.ts DESC, t.session_id DESC, t.n DESC LIMIT $8`,
    [
      owner,
      wanted.since,
      wanted.until,
      wanted.project,
      ms === undefined ? null : new Date(Number(ms)),
      session ?? null,
      n === undefined ? null : Number(n),
      wanted.limit,
    ],
  );
  return rows;
}

function turnOf(row: Row, login: string): TeamTurn {
  const { session_id, n, ts, status, source, project, model, calls, failed, pico, body } = row;
  return {
    login,
    session_id,
    n,
    at: ts?.toISOString() ?? null,
    status,
    source,
    project,
    model,
    calls,
    failed_calls: failed,
    cost_usd: pico === null ? null : Number(pico) / 1e12,
    turn: viewIn(body),
  };
}

/** Null for what is no JSON: stores of older versions took anything. */
function viewIn(body: string | null): unknown {
  try {
    return body === null ? null : (JSON.parse(body) as unknown);
  } catch {
    return null;
  }
}
