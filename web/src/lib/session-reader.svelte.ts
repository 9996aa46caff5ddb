import { ApiProblem, ask, type LogRecord, type Schemas, type Turn, type TurnBrief } from "../api/client.ts";
import { isAbout, live } from "../api/live.svelte.ts";
import { untrack } from "svelte";

type Find = (query: { limit: number; cursor?: string; after?: number }) => Promise<Schemas["RecordPage"]>;

/** Records that are asked for at once. */
const PAGE = 200;
export const MOST = 500;

/** The records of one turn, or of a session that has none, as far as they were asked for. */
export class TurnRecords {
  records: LogRecord[] = $state.raw([]);
  problem: ApiProblem | null = $state.raw(null);
  isWhole = $state(false);
  /** They stay on the machine that pushed; what the turn ended with is known all the same. */
  areElsewhere = $state(false);
  /** The turn itself, as it was answered with its records. */
  turn: Turn | null = $state.raw(null);
  readonly #find: Find;
  #next: string | null = null;
  #asking: Promise<void> | null = null;
  #isBegun = false;

  constructor(find: Find) {
    this.#find = find;
  }

  get isBegun(): boolean {
    return this.#isBegun;
  }

  /** Has the first records asked for, once. */
  begin(): void {
    if (!this.#isBegun) void this.more();
  }

  /** Has the next records asked for: more at once where one of them is looked for. */
  async more(limit = PAGE): Promise<void> {
    this.#isBegun = true;
    if (this.isWhole) return;
    await (this.#asking ??= this.#ask({ limit, ...(this.#next === null ? {} : { cursor: this.#next }) }));
  }

  /** Has those asked for that were written since; where not all were read yet, what is said of the turn. */
  async tail(): Promise<void> {
    await this.#asking;
    if (!this.#isBegun) return;
    if (!this.isWhole) return this.#renew();
    this.isWhole = false;
    await (this.#asking ??= this.#ask({ limit: PAGE, after: this.records.at(-1)?.seq ?? -1 }));
  }

  async #renew(): Promise<void> {
    try {
      this.turn = (await this.#find({ limit: 1 })).turn;
    } catch {
      // What is shown stays; the next asking says what is wrong.
    }
  }

  async #ask(query: { limit: number; cursor?: string; after?: number }): Promise<void> {
    try {
      const page = await this.#find(query);
      const last = this.records.at(-1)?.seq ?? -1;
      const added = page.records.filter(({ seq }) => seq > last);
      if (added.length > 0) this.records = [...this.records, ...added];
      // A cursor counts in the list it was given for: what comes behind `after` is counted from there again.
      this.#next = query.after === undefined ? page.next_cursor : null;
      this.isWhole = page.next_cursor === null;
      this.turn = page.turn;
      this.areElsewhere = page.are_elsewhere;
      this.problem = null;
      if (query.after !== undefined && page.next_cursor !== null) {
        await this.#ask({ limit: PAGE, after: this.records.at(-1)?.seq ?? -1 });
      }
    } catch (error) {
      this.problem = error instanceof ApiProblem ? error : new ApiProblem(0, "the server does not answer", null);
    } finally {
      this.#asking = null;
    }
  }
}

/** One session as it is read: its turns, and the records of those that were looked at. It grows with its file. */
export class SessionReader {
  detail: Schemas["SessionRequests"] | null = $state.raw(null);
  problem: ApiProblem | null = $state.raw(null);
  readonly source: string;
  readonly session: string;
  readonly reveal: boolean;
  readonly #turns = new Map<string, TurnRecords>();

  constructor(source: string, session: string, reveal: boolean) {
    this.source = source;
    this.session = session;
    this.reveal = reveal;
  }

  /** Asks until it is told to stop: at first, and whenever something about the session is new. To be called in an effect. */
  follow(): void {
    let heard: Schemas["ChangeEvent"] | null | undefined;
    $effect(() => {
      void live.version;
      const event = untrack(() => live.last);
      // The same change again: the line was cut and taken up again, and nobody knows what was missed.
      const isNew = heard === undefined || event === heard || isAbout(event, this.source, this.session);
      const isFirst = heard === undefined;
      heard = event;
      // What the asking reads, the answer writes: were it a reason to ask again, there would be no end.
      if (isNew) void untrack(() => this.#ask(isFirst));
    });
  }

  /** The records of a turn; of the whole session where no turn is named. */
  turn(ref: string | null): TurnRecords {
    const name = ref ?? "";
    const known = this.#turns.get(name);
    if (known) return known;
    const { source, session, reveal } = this;
    const made = new TurnRecords((query) =>
      ask("/sessions/{source}/{session}/records", {
        params: { source, session },
        query: { ...query, ...(ref === null ? {} : { turn: ref }) },
        reveal,
      }),
    );
    this.#turns.set(name, made);
    return made;
  }

  async #ask(isFirst: boolean): Promise<void> {
    const { source, session, reveal } = this;
    try {
      const open = this.#growing();
      const before = this.detail?.turns ?? [];
      const [detail] = await Promise.all([
        ask("/sessions/{source}/{session}/requests", { params: { source, session }, reveal }),
        ...(isFirst ? [] : open.map((turn) => turn.tail())),
      ]);
      this.detail = detail;
      for (const turn of this.#changed(before, detail.turns)) if (!open.includes(turn)) void turn.tail();
      this.problem = null;
    } catch (error) {
      this.problem =
        error instanceof ApiProblem
          ? error
          : new ApiProblem(0, "the server does not answer", "is `daybook serve` still running?");
    }
  }

  /** Turns of which something else is said than before. */
  #changed(before: readonly TurnBrief[], now: readonly TurnBrief[]): TurnRecords[] {
    if (before.length === 0) return [];
    return now.flatMap((brief, i) => {
      const turn = this.#turns.get(brief.turn_ref);
      return turn && JSON.stringify(brief) !== JSON.stringify(before[i]) ? [turn] : [];
    });
  }

  /** Turns to which records may still come: those that are open, and the last. */
  #growing(): TurnRecords[] {
    const turns = this.detail?.turns ?? [];
    const refs = turns.filter(({ outcome }, i) => outcome === "open" || i === turns.length - 1);
    return ["", ...refs.map(({ turn_ref }) => turn_ref)].flatMap((ref) => this.#turns.get(ref) ?? []);
  }
}
