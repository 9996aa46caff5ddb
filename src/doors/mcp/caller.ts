import { type Daybook, inside, mcpCallers, mcpSource, mcpStarter } from "../../answers/daybook.ts";
import type { SessionView } from "../../views/session-view.ts";
import { sessionKey, keyOfSession } from "../../record/session-key.ts";

/** In ms. A session without activity for this long is not the caller. */
const SILENCE_MS = 15 * 60_000;
/** How many of the newest sessions are considered. */
const NEWEST_SESSIONS = 40;

export interface CallerFacts {
  /** Where the client works; null if unknown. */
  cwd: string | null;
  /** The environment of the server process; empty if the client did not start it. */
  env: Readonly<Record<string, string | undefined>>;
  /** The client's name, as it states it. */
  client: string | null;
  /** The metadata sent with the call. */
  meta: Readonly<Record<string, unknown>>;
  /** When the server started. */
  since: number;
}

/** The caller. Its own session is left out of answers about the past. */
export class Caller {
  readonly cwd: string | null;
  readonly #daybook: Daybook;
  readonly #facts: CallerFacts;
  #own: Promise<ReadonlySet<string>> | null = null;

  constructor(daybook: Daybook, facts: CallerFacts) {
    this.#daybook = daybook;
    this.#facts = facts;
    this.cwd = facts.cwd;
  }

  /** Resolves a project given by the caller: `.` is where it works. */
  project(named: string | undefined): string | undefined {
    return named === "." ? (this.cwd ?? undefined) : named;
  }

  /** The calling session as `source/id`, and its parents. */
  async ownSessions(): Promise<readonly string[]> {
    return [...(await (this.#own ??= this.#find()))];
  }

  /** Whether something belongs to the calling session, or to one it started. */
  async isOwn(): Promise<
    (one: Pick<SessionView, "source" | "session_id"> & Partial<Pick<SessionView, "parent">>) => boolean
  > {
    const own = new Set(await this.ownSessions());
    return ({ source, session_id, parent }) =>
      own.has(keyOfSession(source, session_id)) || (!!parent && own.has(sessionKey(parent)));
  }

  async #find(): Promise<ReadonlySet<string>> {
    const { env, meta, client, since } = this.#facts;
    const stated = mcpCallers(meta);
    if (stated.length > 0) return new Set(stated);
    const starter = mcpStarter(env);
    if (!starter) return new Set(await this.#guessed(client === null ? null : mcpSource(client), 0));
    // If the starting session is idle, it is not the caller: the client has started another one since, and kept the
    // server.
    const [ends] = await inside(this.#daybook).ends([starter]);
    const later = ends?.last?.outcome === "open" ? [] : await this.#guessed(starter.source, since);
    return new Set(later.length > 0 ? later : [sessionKey(starter)]);
  }

  /**
   * If the agent does not say: its session in the same directory that has an open turn and was written last. A
   * session that only looks like it is left out for as long as it does.
   */
  async #guessed(source: string | null, begun: number): Promise<string[]> {
    const { cwd } = this.#facts;
    if (cwd === null) return [];
    const since = this.#daybook.now - SILENCE_MS;
    const recent = (await this.#daybook.sessions({ limit: NEWEST_SESSIONS, own: true })).filter(
      (one) =>
        one.cwd === cwd &&
        (source === null || one.source === source) &&
        one.kind === "root" &&
        Date.parse(one.started_at ?? "") >= begun &&
        Date.parse(one.ended_at ?? "") >= since,
    );
    const ends = await inside(this.#daybook).ends(recent);
    const [last] = recent
      .filter((_, i) => ends[i]?.last?.outcome === "open")
      .toSorted((a, b) => Date.parse(b.ended_at ?? "") - Date.parse(a.ended_at ?? ""));
    return last ? [sessionKey(last)] : [];
  }
}
