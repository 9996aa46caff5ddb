import type { TriggerKind } from "../format/record.ts";
import { askedLine, hasOwnLine } from "../text/asked-line.ts";

/**
 * Where a title comes from: the human named the session, its agent did, or it is the first request that says something. Without a
 * title why there is none: nobody asked for anything, or nothing that was asked says what it is about.
 */
export type TitleSource = "human" | "agent" | "request" | "no_request" | "nothing_said";

/** What a session is called. */
export interface Title {
  title: string | null;
  title_source: TitleSource;
}

/** A title that somebody gave. */
export interface StatedTitle {
  title: string;
  by: "human" | "agent";
}

/** What was asked, as far as it may name a session. */
export interface NamingRequest {
  text: string;
  kind: TriggerKind;
}

/** So many requests are looked at: what comes later says little of the whole. */
export const LOOKED_AT = 12;

/** The one rule by which a session is called, for every list. `requests`: in order, at least the first of them. */
export function titleOf(stated: StatedTitle | null, requests: Iterable<NamingRequest>): Title {
  if (stated && (stated.by === "human" || !isPlaceholder(stated.title)))
    return { title: stated.title, title_source: stated.by };
  let looked = 0;
  for (const request of requests) {
    const title = titleIn(request);
    if (title !== null) return { title, title_source: "request" };
    if (++looked === LOOKED_AT) break;
  }
  return { title: null, title_source: looked === 0 ? "no_request" : "nothing_said" };
}

/** What agents call a session before they have thought of a name. */
function isPlaceholder(title: string): boolean {
  return /^(?:(?:new|cli|untitled|empty) )?(?:session|chat|conversation)?(?: ?- ?\d{4}-\d\d-\d\d.*)?$/i.test(
    title.trim(),
  );
}

/** The request in one line; null where it does not say what it is about. */
function titleIn({ text, kind }: NamingRequest): string | null {
  // What a human's own shell ran, and what somebody pasted, is no matter yet.
  if (kind === "shell" || !hasOwnLine(text)) return null;
  const line = whole(askedLine(text.replaceAll(ATTACHED, " ")));
  if (line === null) return null;
  const command = /^\/[\w:.-]+\s*/u.exec(line)?.[0];
  const said = command === undefined ? line : line.slice(command.length);
  return saysNothing(said) ? null : line;
}

/** Signs that stand for pictures and pasted texts. */
const ATTACHED = /\[(?:Image|Pasted text|Pasted Content)[^\]\n]{0,80}\]/gi;

const LONGEST = 400;

/** Cut between words alone: half of a word may be half of a secret, which nobody would know again. */
function whole(line: string): string | null {
  if (line.length <= LONGEST) return line;
  const end = line.lastIndexOf(" ", LONGEST);
  return end < LONGEST / 4 ? null : `${line.slice(0, end)} …`;
}

/** Greetings, assent, and words by which one goes on with what stands before. */
const EMPTY = new Set(
  (
    "hi hey hello hallo moin servus yo hiya greetings test testing ping ok okay k yes y yep yeah ja oui si sí да no n nope nein non нет " +
    "sure fine good great nice cool perfect thanks thank thx danke merci gracias спасибо please bitte pls continue continuer continúa continua " +
    "weiter weitermachen go on ahead proceed next resume keep going retry try again once more do it that this same fix run start stop done " +
    "wait and now then so you there all everyone everybody morning evening afternoon bonjour salut hola buenas привет продолжай продолжить дальше " +
    "你好 您好 继续 好 好的 是 是的 对 请继续 こんにちは はい いいえ 続けて 続けてください お願いします 안녕 안녕하세요 네 계속"
  ).split(" "),
);

/** Longer than so many words it says something, whatever words they are. */
const FEW = 5;

function saysNothing(said: string): boolean {
  const words = said.toLowerCase().match(/[\p{L}\p{N}]+(?:['’][\p{L}]+)?/gu) ?? [];
  if (words.length > FEW) return false;
  // A number or a letter chooses among options that stand before.
  return words.every((word) => EMPTY.has(word) || /^(?:\d{1,3}|[a-z])$/.test(word));
}
