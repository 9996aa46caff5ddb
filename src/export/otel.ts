import type { SessionView } from "../views/session-view.ts";
import { type Convention, genAi, openInference } from "./conventions.ts";
import type { ExportFormat } from "./format.ts";
import { tracesMessage, type Attributes, type Span } from "./otlp.ts";
import { Spans } from "./spans.ts";
import { sessionKey } from "../record/session-key.ts";

const FILE = "traces.jsonl";
/** Approximate maximum of spans, and of characters in their texts, per message. */
const MAX_PER_MESSAGE = { spans: 256, text: 1_000_000 };

/** Spans as OTLP/JSON, one message per line, with the attribute names of a convention. */
function spansFormat(words: Convention): ExportFormat {
  return {
    needs: "rows",
    printed: { most: "all", as: "json" },
    file: FILE,
    hasContent: true,
    isSendable: true,
    begin: (options) => {
      const { target, send, hide } = options;
      const file = send ? null : target.open(FILE);
      let known: ReadonlyMap<string, SessionView> = new Map();
      return {
        begin(sessions) {
          known = new Map(sessions.map(({ view }) => [sessionKey(view), view]));
        },
        async add(session) {
          const spans = await new Spans(session, known, words, options).all();
          for (const some of batches(spans)) {
            const message = tracesMessage(hide(resourceOf(session.view)), some);
            if (send) await send(message, some.length);
            else file?.write(`${message}\n`);
          }
        },
        end: () => file?.close(),
      };
    },
  };
}

export const otel: ExportFormat = spansFormat(genAi);
export const openinference: ExportFormat = spansFormat(openInference);

function* batches(spans: readonly Span[]): Generator<Span[], void, undefined> {
  let [some, text]: [Span[], number] = [[], 0];
  for (const span of spans) {
    some.push(span);
    for (const value of Object.values(span.attributes)) if (typeof value === "string") text += value.length;
    if (some.length < MAX_PER_MESSAGE.spans && text < MAX_PER_MESSAGE.text) continue;
    yield some;
    [some, text] = [[], 0];
  }
  if (some.length > 0) yield some;
}

function resourceOf({ source, agent_version }: SessionView): Attributes {
  return { "service.name": source, "service.version": agent_version };
}
