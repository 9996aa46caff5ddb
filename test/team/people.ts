import { randomUUID } from "node:crypto";
import type { Client } from "pg";

/** A person in a store; `owner` is the id that begins the key of all their rows. */
export interface Person {
  login: string;
  owner: string;
}

/** Adds a person with one day of rows at level `full`: a session of two turns, tool calls, usage and texts. */
export async function addPerson(client: Client, login: string, more: Partial<Work> = {}): Promise<Person> {
  const owner = randomUUID();
  await client.query("INSERT INTO daybook.owners (owner_id, login) VALUES ($1, $2)", [owner, login]);
  await addWork(client, owner, more);
  return { login, owner };
}

export interface Work {
  session: string;
  day: string;
  source: string;
  project: string;
  model: string;
  turns: number;
  /** In 10^-12 dollars. */
  pico: number;
  tool: string;
  text: string;
}

export async function addWork(client: Client, owner: string, more: Partial<Work> = {}): Promise<void> {
  const work: Work = {
    session: randomUUID(),
    day: "2026-05-11",
    source: "codex",
    project: "shop",
    model: "gpt-5.2",
    turns: 2,
    pico: 1_000_000,
    tool: "shell",
    text: `private words of ${owner}`,
    ...more,
  };
  const { session, day, source, project, model, turns, pico, tool, text } = work;
  const at = `${day}T10:00:00Z`;
  const run = (sql: string, ...values: unknown[]): Promise<unknown> => client.query(sql, [owner, ...values]);
  await run("INSERT INTO daybook.heads VALUES ($1, 1) ON CONFLICT (owner_id) DO NOTHING");
  await run("INSERT INTO daybook.machines VALUES ($1, $2, 'laptop', NULL)", randomUUID());
  await run(
    `INSERT INTO daybook.sessions (owner_id, session_id, source, project, level, started, ended, turns, lines, reader, hash, machine_id, seq)
     VALUES ($1, $2, $3, $4, 2, $5, $5, $6, 10, 1, '\\x01', $2, 1)`,
    session,
    source,
    project,
    at,
    turns,
  );
  await run("INSERT INTO daybook.session_copies VALUES ($1, $2, $2, 10, 2, '\\x01')", session);
  for (let n = 1; n <= turns; n++) {
    await run(
      `INSERT INTO daybook.turns (owner_id, session_id, n, ts, ended, day, calls, failed, pico, status, source, project, model, hash)
       VALUES ($1, $2, $3, $4, $4, $5, 1, 1, $6, 'done', $7, $8, $9, '\\x01')`,
      session,
      n,
      at,
      day,
      pico,
      source,
      project,
      model,
    );
    await run(
      `INSERT INTO daybook.tool_calls (owner_id, session_id, n, turn, ts, took, trouble, risky, status, name, hash)
       VALUES ($1, $2, $3, $3, $4, 5, 1, false, 'failed', $5, '\\x01')`,
      session,
      n,
      at,
      tool,
    );
    await run("INSERT INTO daybook.details VALUES ($1, $2, 1, $3, $4, '\\x01')", session, n, `{"turn":${n}}`);
    await run("INSERT INTO daybook.details VALUES ($1, $2, 2, $3, $4, '\\x01')", session, n, `{"call":"${text}"}`);
    await run("INSERT INTO daybook.facts VALUES ($1, $2, $3, $4, '\\x01')", session, n, `{"facts":"${text}"}`);
    await run(
      `INSERT INTO daybook.texts (owner_id, session_id, n, turn, line, kind, ts, body, terms, words, hash)
       VALUES ($1, $2, $3, $3, 1, 1, $4, $5, 'private:1 words:2'::tsvector, 2, '\\x01')`,
      session,
      n,
      at,
      text,
    );
  }
  await run("INSERT INTO daybook.details VALUES ($1, $2, 0, 0, '{}', '\\x01')", session);
  await run("INSERT INTO daybook.decisions VALUES ($1, $2, 1, $3, 1, 'two-way', 2, true, true, '\\x01')", session, at);
  await run(
    "INSERT INTO daybook.usage_responses VALUES ($1, $2, $3, $4, $5, 1, $6, $7, $8, 100, 50, 10, 0, 20, 5, $9, true)",
    randomUUID(),
    session,
    at,
    day,
    source,
    project,
    model,
    pico * turns,
  );
  await run(
    `INSERT INTO daybook.usage_days VALUES ($1, $2, $3, $4, $5, $6::int4, $6::int4, $6::int4, 1, 0, 100, 50, 10, 0, 20, 5, $7)
     ON CONFLICT (owner_id, day, source, project, model) DO UPDATE SET turns = usage_days.turns + excluded.turns`,
    day,
    source,
    project,
    model,
    turns,
    pico * turns,
  );
}

/** Adds a team of these people; the first one leads it. */
export async function addTeam(client: Client, name: string, people: readonly Person[]): Promise<string> {
  const team = randomUUID();
  await client.query("INSERT INTO daybook.teams VALUES ($1, $2)", [team, name]);
  for (const [i, { owner }] of people.entries())
    await client.query("INSERT INTO daybook.memberships VALUES ($1, $2, $3)", [
      team,
      owner,
      i === 0 ? "lead" : "member",
    ]);
  return team;
}
