import { createHash } from "node:crypto";
import { plain } from "../../base/text/inert.ts";
import { plural } from "../../base/text/units.ts";
import type { Act } from "./acts.ts";
import type { DayDigest, DigestPart, DigestTurn, OpenBefore, SentPiece } from "./model.ts";

/** How much of each turn is sent, in characters and calls: the first whose text fits is taken. */
const LIMITS: readonly Limits[] = [
  { request: 900, reply: 1600, calls: 9, call: 110 },
  { request: 600, reply: 1100, calls: 7, call: 100 },
  { request: 400, reply: 800, calls: 6, call: 90 },
  { request: 280, reply: 560, calls: 5, call: 80 },
  { request: 200, reply: 400, calls: 4, call: 70 },
  { request: 140, reply: 280, calls: 3, call: 60 },
];
interface Limits {
  request: number;
  reply: number;
  calls: number;
  call: number;
}

/** Tokens that a day may take, and those it may take for each turn if it has many. */
const USUAL = 2600;
const PER_TURN = 170;
/** More than this is sent in several requests. */
const MOST = 20_000;
/** Characters of a turn that a program triggered, and of an entry that is still open. */
const AUTOMATED = 200;
const OPEN = 240;
/** Where a text was cut. */
const CUT = " […] ";

/** Tokens of a text, roughly: four letters of ASCII each, two of other alphabets, one of scripts without spaces. */
export function roughTokens(text: string): number {
  let quarters = 0;
  for (const char of text) {
    const code = char.codePointAt(0) ?? 0;
    quarters += code < 0x80 ? 1 : code < 0x2e80 ? 2 : 4;
  }
  return Math.ceil(quarters / 4);
}

/** Makes the text of a day, and notes in each turn what was sent of it. */
export function withText(day: Omit<DayDigest, "parts" | "hash">): DayDigest {
  const most = Math.max(USUAL, day.turns.length * PER_TURN);
  const least = LIMITS.at(-1);
  for (const limits of LIMITS) {
    const parts = partsOf(day, limits);
    const tokens = parts.reduce((sum, { text }) => sum + roughTokens(text), 0);
    if (tokens > most && limits !== least) continue;
    const hash = createHash("sha256")
      .update(JSON.stringify(parts.map(({ text }) => text)))
      .digest("hex");
    return { ...day, parts, hash };
  }
  throw new RangeError("no limits");
}

/** Sessions are kept together: what a turn means is often said by the one before it. */
function partsOf(day: Omit<DayDigest, "parts" | "hash">, limits: Limits): DigestPart[] {
  const said = new Map<string, string>();
  const sessions = [...new Set(day.turns.map(({ session }) => session))];
  const blocks = sessions.map((session) => {
    const turns = day.turns.filter((turn) => turn.session === session);
    const lines = turns.flatMap((turn) => linesOf(turn, limits, said));
    return { turns: turns.map(({ name }) => name), text: [headOf(turns), ...lines].join("\n") };
  });
  const head = [`${day.day} ${day.timezone}`, ...openLines(day.open)].join("\n");
  const parts: DigestPart[] = [];
  let room = 0;
  for (const { turns, text } of blocks) {
    const tokens = roughTokens(text);
    const last = parts.at(-1);
    if (last && tokens <= room) {
      parts[parts.length - 1] = { turns: [...last.turns, ...turns], text: `${last.text}\n${text}` };
      room -= tokens;
    } else {
      parts.push({ turns, text: `${head}\n${text}` });
      room = MOST - roughTokens(head) - tokens;
    }
  }
  return parts.length === 0 ? [{ turns: [], text: head }] : parts;
}

function headOf([first]: readonly DigestTurn[]): string {
  if (!first) return "";
  const place = first.cwd?.split(/[/\\]/).at(-1) ?? "";
  return `\n# ${first.session} ${first.project}${place === "" || place === first.project ? "" : ` (${place})`}`;
}

function openLines(open: readonly OpenBefore[]): string[] {
  if (open.length === 0) return [];
  return [
    "open from earlier days:",
    ...open.map((one) => `${one.name} ${one.day.slice(5)} ${one.project}: ${startOf(openText(one), OPEN)}`),
  ];
}

/** A reason alone ("nobody answered") may say too little: what it was read from stands behind it. */
function openText({ text, point }: OpenBefore): string {
  const said = flat(text);
  return point === null || flat(point.quote) === said ? said : `${said} “${flat(point.quote)}”`;
}

/** The lines of one turn. `said`: texts that were sent already, and by which turn. */
function linesOf(turn: DigestTurn, limits: Limits, said: Map<string, string>): string[] {
  const sent: SentPiece[] = [];
  const add = (by: SentPiece["by"], mark: string, pieces: readonly string[]): string[] => {
    const full = pieces.filter((piece) => piece !== "");
    for (const text of full) sent.push({ by, text });
    return full.length === 0 ? [] : [`${mark} ${full.join(CUT)}`];
  };
  // A long text that was sent already is only named: nothing of this turn can be quoted from it.
  const once = (by: SentPiece["by"], mark: string, text: string, pieces: readonly string[]): string[] => {
    const before = text.length > 60 ? said.get(text) : undefined;
    if (before !== undefined) return [`${mark} (as in ${before})`];
    said.set(text, turn.name);
    return add(by, mark, pieces);
  };
  const [asked, reply] = [flat(turn.request), replyText(turn.reply)];
  const most = turn.isAutomated ? { ...limits, request: AUTOMATED / 2, reply: AUTOMATED } : limits;
  const ended = turn.outcome === "completed" ? "" : ` ${turn.outcome}`;
  const lines = [
    `${turn.name} ${turn.clock}${turn.isAutomated ? " automated" : ""}${ended}`,
    ...once("human", ">", asked, cut(asked, most.request, 0.6)),
    ...(turn.isAutomated ? [] : recordLines(turn, most).flatMap((line) => add("record", "-", [line]))),
    ...once("agent", "<", reply, cut(reply, most.reply, 0.3)),
  ];
  turn.sent = sent;
  return lines;
}

function recordLines(turn: DigestTurn, limits: Limits): string[] {
  const { commits, files, questions, todos } = turn;
  const open = todos.filter(({ isDone }) => !isDone).map(({ text }) => text);
  return [
    ...callLines(turn.acts, limits),
    ...(files.length === 0 ? [] : [filesLine(files)]),
    ...commits.map(({ hash, subject }) => startOf(flat(`commit ${hash ?? ""} ${subject ?? ""}`), limits.call)),
    ...questions.map(({ question, answer }) =>
      startOf(flat(`asked: ${question} → ${answer ?? "no answer"}`), 2 * limits.call),
    ),
    ...(open.length === 0 ? [] : [startOf(flat(`to do: ${open.join("; ")}`), 2 * limits.call)]),
  ];
}

/** Programs that only look: what they looked at is seldom what a day is about. */
const LOOKS =
  /^\s*(?:cd\s+\S+\s*&&\s*)?(?:rg|grep|ls|cat|bat|head|tail|sed -n|find|fd|wc|pwd|echo|which|tree|jq|git (?:status|diff|log|show|branch|blame|rev-parse))\b[^;&|]*(?:\|\s*(?:head|tail|wc|sort|uniq|grep|rg)\b[^;&|]*)*$/;

/** The calls that tell most, in their order; the others are counted. */
function callLines(acts: readonly Act[], { calls, call }: Limits): string[] {
  const ranked = acts
    .map((act, at) => ({ act, at, rank: rankOf(act) }))
    .filter(({ rank }) => rank > 0)
    .toSorted((a, b) => b.rank - a.rank || b.at - a.at)
    .slice(0, calls)
    .toSorted((a, b) => a.at - b.at);
  const shown = new Set(ranked.map(({ at }) => at));
  const rest = acts.filter((_, at) => !shown.has(at));
  return [
    ...ranked.map(({ act }) => {
      const what = act.command === "" ? `${act.name} ${act.about}` : act.about;
      return `${startOf(flat(what), call)} · ${statusOf(act)}${act.by === null ? "" : " (sub-agent)"}`;
    }),
    ...(rest.length === 0 ? [] : [`and ${plural(rest.length, "more call")}${countBad(rest)}`]),
  ];
}

function rankOf(act: Act): number {
  if (act.does.length > 0) return 4;
  if (act.status !== "ok") return 3;
  if (act.command !== "") return LOOKS.test(act.command) ? 0 : act.by === null ? 2 : 1;
  return 0;
}

function statusOf({ status, exit_code }: Act): string {
  return status === "failed" && exit_code !== null ? `failed (${exit_code})` : status;
}

function countBad(acts: readonly Act[]): string {
  const bad = acts.filter(({ status }) => status !== "ok").length;
  return bad === 0 ? "" : `, ${bad} not ok`;
}

function filesLine(files: DigestTurn["files"]): string {
  const names = files
    .slice(0, 3)
    .map(({ path, operation }) => `${operation} ${path.split(/[/\\]/).slice(-2).join("/")}`);
  const more = files.length > names.length ? `, and ${files.length - names.length} more files` : "";
  return `${names.join(", ")}${more}`;
}

/** Without code blocks: what is left open is said around them. */
function replyText(text: string): string {
  return flat(text.replace(/^(`{3,}|~{3,})[^\n]*\n[^]*?^\1[^\n]*$/gm, "[code]"));
}

export function flat(text: string): string {
  return plain(text).replace(/\s+/gu, " ").trim();
}

/** The beginning and the end of a long text: the end of a reply says what is left. `head`: share of the beginning. */
function cut(text: string, most: number, head: number): string[] {
  const chars = [...text];
  if (chars.length <= most + CUT.length) return [text];
  const first = Math.round(most * head);
  return [
    chars.slice(0, first).join("").trimEnd(),
    chars
      .slice(chars.length - (most - first))
      .join("")
      .trimStart(),
  ];
}

function startOf(text: string, most: number): string {
  const chars = [...text];
  return chars.length <= most ? text : `${chars.slice(0, most - 1).join("")}…`;
}
