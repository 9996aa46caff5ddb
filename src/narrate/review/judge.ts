import { createHash } from "node:crypto";
import type { z } from "zod";
import { flat } from "../../answers/digest/text.ts";
import type { DayDigest, DigestTurn, OpenBefore, SentPiece } from "../../answers/digest/model.ts";
import type { DayReview, Missing, ReadPoint, RefusedPoint } from "../../views/day-review.ts";
import { parseAnswer } from "../given.ts";
import { DayRecords, mayDeny, proofOf, unmet } from "./records.ts";
import {
  closedShape,
  decidedShape,
  openedShape,
  resultShape,
  type GivenClosed,
  type GivenDecided,
  type GivenOpened,
  type GivenResult,
} from "./shape.ts";

/** What of an answer is let in. */
export type Judged = Pick<DayReview, "opened" | "closed" | "decided" | "results" | "refused">;

/** More points than this of one kind are no reading of a day. */
const MOST = 200;

const LISTS = ["opened", "closed", "decided", "results"] as const;

/** Judges an answer; null if it is none. `turns`: the names of those that were sent with this request. */
export function judgeAnswer(text: string, digest: DayDigest, turns: readonly string[]): Judged | null {
  const parsed = parseAnswer(text);
  if ("problem" in parsed || typeof parsed.value !== "object" || parsed.value === null) return null;
  const given = parsed.value as Record<string, unknown>;
  if (!LISTS.some((kind) => Array.isArray(given[kind]))) return null;
  return new Judge(digest, turns).judge(given);
}

/** A point is refused: why, under which rule. */
class Refused extends Error {
  readonly rule: string;

  constructor(rule: string, reason: string) {
    super(reason);
    this.rule = rule;
  }
}

class Judge {
  readonly #digest: DayDigest;
  readonly #sent: ReadonlySet<string>;
  readonly #records: DayRecords;
  readonly #refused: RefusedPoint[] = [];
  readonly #closed = new Set<string>();
  readonly #ids = new Set<string>();

  constructor(digest: DayDigest, turns: readonly string[]) {
    this.#digest = digest;
    this.#sent = new Set(turns);
    this.#records = new DayRecords(digest.turns);
  }

  judge(given: Record<string, unknown>): Judged {
    return {
      opened: this.#each("opened", given["opened"], openedShape, (one) => this.#opened(one)),
      closed: this.#each("closed", given["closed"], closedShape, (one) => this.#close(one)),
      decided: this.#each("decided", given["decided"], decidedShape, (one) => this.#decided(one)),
      results: this.#each("result", given["results"], resultShape, (one) => this.#result(one)),
      refused: this.#refused,
    };
  }

  #each<Given, Point>(
    kind: RefusedPoint["kind"],
    list: unknown,
    shape: z.ZodType<Given>,
    judge: (given: Given) => Point,
  ): Point[] {
    return (Array.isArray(list) ? list.slice(0, MOST) : []).flatMap((one: unknown): Point[] => {
      try {
        const { success, data, error } = shape.safeParse(one);
        if (success) return [judge(data)];
        const [issue] = error.issues;
        throw new Refused("shape", `${issue?.path.join(".") ?? ""}: ${issue?.message ?? ""}`.slice(0, 200));
      } catch (error) {
        if (!(error instanceof Refused)) throw error;
        this.#refused.push({ kind, ...this.#named(one), rule: error.rule, reason: error.message });
        return [];
      }
    });
  }

  #named(one: unknown): Pick<RefusedPoint, "source" | "session_id" | "turn_ref" | "quote"> {
    const { turn, quote } = (typeof one === "object" && one !== null ? one : {}) as Record<string, unknown>;
    const found = typeof turn === "string" ? this.#records.turn(turn) : null;
    const { source = "", session_id = "", turn_ref = "" } = found ?? {};
    return { source, session_id, turn_ref, quote: typeof quote === "string" ? quote.slice(0, 600) : "" };
  }

  #opened({ turn: name, missing, quote, why: given }: GivenOpened): DayReview["opened"][number] {
    const { turn, by } = this.#quoted(name, quote);
    const against = this.#records.contradicts(missing, turn, `${quote} ${given}`);
    if (against !== null) throw new Refused("contradicted", against);
    const denied = mayDeny(missing, given, turn);
    if (denied !== null && quote.toLowerCase().includes(denied))
      throw new Refused(
        "contradicted",
        `${turn.name} did ${denied}: name what is missing as ${denied}, or leave it out`,
      );
    // In doubt the words of the turn alone are shown.
    const why = denied === null ? given : quote;
    const checked = CAN_TELL.has(missing) ? `no record of the day contradicts it (${missing})` : "";
    return { ...this.#point("o", turn, quote, by, why, [checked]), missing };
  }

  #close({ open: openName, turn: name, quote, why }: GivenClosed): DayReview["closed"][number] {
    const open = this.#digest.open.find((one) => one.name === openName);
    if (!open) throw new Refused("never_opened", `${openName} is not among what was open`);
    if (this.#closed.has(openName)) throw new Refused("twice", `${openName} is closed already`);
    const { turn, by } = this.#quoted(name, quote);
    const checked = this.#closing(open, turn, by);
    const { source, session_id, turn_ref, text } = open;
    const closes = { id: open.point?.id ?? null, source, session_id, turn_ref, text };
    this.#closed.add(openName);
    return { ...this.#point("c", turn, quote, by, why, [checked], openName), closes };
  }

  /** A human's word closes anything. An agent's does not where the records can tell and do not show it. */
  #closing(open: OpenBefore, turn: DigestTurn, by: SentPiece["by"]): string {
    if (by === "human") return "the human's word";
    const missing: Missing = open.point?.missing ?? "other";
    const shown = this.#records.shows(missing, turn);
    if (shown === false)
      throw new Refused("not_shown", `${turn.name} says so, and no record of it shows it (${missing})`);
    if (shown === true) return `the records of ${turn.name} show it (${missing})`;
    const against = unmet(turn);
    if (against !== null) throw new Refused("contradicted", against);
    if (open.project !== turn.project)
      throw new Refused("other_project", `it was open in ${open.project}, and the turn is of ${turn.project}`);
    return by === "record" ? "a record of the turn" : "only the agent says so";
  }

  #decided({ turn: name, quote, why, asked }: GivenDecided): DayReview["decided"][number] {
    const { turn, by } = this.#quoted(name, quote);
    const question = turn.questions.find((one) => flat(quote).includes(flat(one.question)));
    if (by === "record" && question?.answer === null) throw new Refused("contradicted", "no answer is recorded");
    const from = asked ? this.#quoted(asked.turn, asked.quote) : null;
    if (from?.by === "human") throw new Refused("asked_by_human", "the question is the human's own");
    if (from && this.#digest.turns.indexOf(from.turn) > this.#digest.turns.indexOf(turn))
      throw new Refused("order", "it was asked after it was answered");
    const whose =
      by === "agent" ? "the agent's words, not the human's" : by === "human" ? "the human's words" : "a record";
    return {
      ...this.#point("d", turn, quote, by, why, [whose], from ? flat(from.turn.reply) : ""),
      asked: from && asked ? { turn_ref: from.turn.turn_ref, quote: asked.quote } : null,
    };
  }

  #result({ turn: name, claim, done, quote, why }: GivenResult): DayReview["results"][number] {
    const { turn, by } = this.#quoted(name, quote);
    const against = unmet(turn);
    if (done && against !== null) throw new Refused("contradicted", against);
    if (claim === "ran" && done && turn.lastCheck === null && proofOf("ran", turn) === null)
      throw new Refused("not_shown", "nothing was run");
    const proof = proofOf(claim, turn);
    if (proof === null && !SAID.has(claim)) throw new Refused("not_shown", `no record of ${name} shows it (${claim})`);
    return { ...this.#point("r", turn, quote, by, why, [proof ?? "only said", against ?? ""]), claim, proof };
  }

  /** The turn, and whose words the quote is. */
  #quoted(name: string, quote: string): { turn: DigestTurn; by: SentPiece["by"] } {
    const turn = this.#records.turn(name);
    if (!turn) throw new Refused("no_turn", `there is no turn ${name.slice(0, 20)}`);
    if (!this.#sent.has(name)) throw new Refused("no_turn", `${name} was not sent with this request`);
    const words = flat(quote);
    const piece = words === "" ? undefined : turn.sent.find(({ text }) => text.includes(words));
    if (!piece) throw new Refused("not_verbatim", `the quote is not in what was sent of ${name}`);
    return { turn, by: piece.by };
  }

  /** `more`: another text that the reason may take names from. */
  #point(
    kind: string,
    turn: DigestTurn,
    quote: string,
    by: ReadPoint["quote_by"],
    why: string,
    checked: readonly string[],
    more = "",
  ): ReadPoint {
    const { source, session_id, turn_ref, time } = turn;
    const id = createHash("sha256")
      .update(JSON.stringify([kind, source, session_id, turn_ref, flat(quote), kind === "c" ? more : ""]))
      .digest("hex")
      .slice(0, 12);
    if (this.#ids.has(id)) throw new Refused("twice", "the same is said twice");
    this.#ids.add(id);
    const strange = this.#foreignName(why, turn, more);
    const notes = [
      "the quote is verbatim",
      ...checked,
      strange === null ? "" : `${strange} is in no text of the turn: the reason is left out`,
    ];
    return {
      id,
      source,
      session_id,
      turn_ref,
      time,
      quote: flat(quote),
      quote_by: by,
      why: strange === null ? flat(why) : flat(quote),
      checked: notes.filter((note) => note !== "").join("; "),
    };
  }

  /** A number, path, address or commit in the reason that stands nowhere in the day's texts of that turn. */
  #foreignName(why: string, turn: DigestTurn, more: string): string | null {
    const texts = [...turn.sent.map(({ text }) => text), flat(turn.request), flat(turn.reply), more, this.#digest.day]
      .concat(this.#digest.open.map(({ text, name }) => `${name} ${text}`))
      .concat(turn.name, turn.project)
      .join("\n")
      .toLowerCase();
    const names = flat(why).match(NAMES) ?? [];
    const bare = names.map((name) => name.replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, "").toLowerCase());
    // A file or version may have been named earlier in the session; a number is about the turn alone.
    const before = this.#sessionTexts(turn);
    return (
      bare.find((name) => name !== "" && !texts.includes(name) && (MEASURE.test(name) || !before.includes(name))) ??
      null
    );
  }

  #sessionTexts({ session }: DigestTurn): string {
    const turns = this.#digest.turns.filter((one) => one.session === session);
    return turns
      .flatMap(({ sent }) => sent.map(({ text }) => text))
      .join("\n")
      .toLowerCase();
  }
}

/** What records can contradict. */
const CAN_TELL: ReadonlySet<Missing> = new Set([
  "push",
  "commit",
  "merge",
  "check",
  "run",
  "release",
  "todo",
  "answer",
]);
/** Claims that a digest has no record of: they stay what was said. */
const SAID: ReadonlySet<string> = new Set(["said", "measured", "asked", "decided"]);
/** A count, a measurement, a time, a share. */
const MEASURE = /^\p{N}+(?:[.,:]\p{N}+)?\p{L}{0,3}%?$/u;
/** Words with a digit, and words with a slash or a dot inside. */
const NAMES = /[^\s,;()[\]"“”„«»]*(?:\p{N}|[\p{L}\p{N}][/\\.][\p{L}\p{N}])[^\s,;()[\]"“”„«»]*/gu;
