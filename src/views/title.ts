import type { TriggerKind } from "../record/record.ts";
import { askedLine, hasOwnLine } from "../base/text/asked-line.ts";

/**
 * Where a title comes from: the human, the agent, or the first meaningful request. Without a title, the reason: there
 * was no request, or no request says what it is about.
 */
export type TitleSource = "human" | "agent" | "request" | "no_request" | "nothing_said";

/** The title of a session and its origin. */
export interface Title {
  title: string | null;
  title_source: TitleSource;
}

/** A title given by the human or the agent. */
export interface StatedTitle {
  title: string;
  by: "human" | "agent";
}

/** A request from which a title may be made. */
export interface NamingRequest {
  text: string;
  kind: TriggerKind;
}

/** Number of requests examined: later ones say little about the whole session. */
export const MAX_REQUESTS = 12;

/** The rule for the title of a session in every list. `requests`: in order, at least the first `MAX_REQUESTS`. */
export function titleOf(stated: StatedTitle | null, requests: Iterable<NamingRequest>): Title {
  if (stated && (stated.by === "human" || !isPlaceholder(stated.title)))
    return { title: stated.title, title_source: stated.by };
  let looked = 0;
  for (const request of requests) {
    const title = titleFromRequest(request);
    if (title !== null) return { title, title_source: "request" };
    if (++looked === MAX_REQUESTS) break;
  }
  return { title: null, title_source: looked === 0 ? "no_request" : "nothing_said" };
}

/** True for default names that agents use before they generate a title. */
function isPlaceholder(title: string): boolean {
  return /^(?:(?:new|cli|untitled|empty) )?(?:session|chat|conversation)?(?: ?- ?\d{4}-\d\d-\d\d.*)?$/i.test(
    title.trim(),
  );
}

/** The request in one line; null when it does not say what it is about. */
function titleFromRequest({ text, kind }: NamingRequest): string | null {
  // A shell command or a pasted text does not name a topic.
  if (kind === "shell" || !hasOwnLine(text)) return null;
  const line = cutAtWord(askedLine(text.replaceAll(ATTACHED, " ")));
  if (line === null) return null;
  const command = /^\/[\w:.-]+\s*/u.exec(line)?.[0];
  const said = command === undefined ? line : line.slice(command.length);
  return saysNothing(said) ? null : line;
}

/** Placeholders for images and pasted texts. */
const ATTACHED = /\[(?:Image|Pasted text|Pasted Content)[^\]\n]{0,80}\]/gi;

const MAX_LENGTH = 400;

/** Cuts only between words: half a word may be half a secret, which redaction would not recognise. */
function cutAtWord(line: string): string | null {
  if (line.length <= MAX_LENGTH) return line;
  const end = line.lastIndexOf(" ", MAX_LENGTH);
  return end < MAX_LENGTH / 4 ? null : `${line.slice(0, end)} …`;
}

/** Greetings, assent, and words that only continue earlier work. */
const FILLER_WORDS = new Set(
  (
    "hi hey hello hallo moin servus yo hiya greetings test testing ping ok okay k yes y yep yeah ja oui si sí да no n nope nein non нет " +
    "sure fine good great nice cool perfect thanks thank thx danke merci gracias спасибо please bitte pls continue continuer continúa continua " +
    "weiter weitermachen go on ahead proceed next resume keep going retry try again once more do it that this same fix run start stop done " +
    "wait and now then so you there all everyone everybody morning evening afternoon bonjour salut hola buenas привет продолжай продолжить дальше " +
    "你好 您好 继续 好 好的 是 是的 对 请继续 こんにちは はい いいえ 続けて 続けてください お願いします 안녕 안녕하세요 네 계속"
  ).split(" "),
);

/** A request with more words than this is always meaningful. */
const MAX_FILLER_WORDS = 5;

function saysNothing(said: string): boolean {
  const words = said.toLowerCase().match(/[\p{L}\p{N}]+(?:['’][\p{L}]+)?/gu) ?? [];
  if (words.length > MAX_FILLER_WORDS) return false;
  // A number or a single letter picks one of the options offered before.
  return words.every((word) => FILLER_WORDS.has(word) || /^(?:\d{1,3}|[a-z])$/.test(word));
}
