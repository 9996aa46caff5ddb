import type { components, paths } from "./types.d.ts";

export type Schemas = components["schemas"];
export type Session = Schemas["SessionCard"];
export type Turn = Schemas["Turn"];
export type TurnBrief = Schemas["TurnBrief"];
export type LogRecord = Schemas["LogRecord"];
export type Report = Schemas["Report"];

/** Every question that is only read. */
type Readable = { [P in keyof paths]: paths[P]["get"] extends { responses: object } ? P : never }[keyof paths];
type Query<P extends Readable> = paths[P]["get"] extends { parameters: { query?: infer Q } } ? Q : undefined;
type Params<P extends Readable> = paths[P]["get"] extends { parameters: { path: infer V } } ? V : undefined;
type Answer<P extends Readable> = paths[P]["get"] extends {
  responses: { 200: { content: { "application/json": infer A } } };
}
  ? A
  : never;

/** Why a question was not answered, in words for people. */
export class ApiProblem extends Error {
  readonly status: number;
  readonly hint: string | null;

  constructor(status: number, detail: string, hint: string | null) {
    super(detail);
    this.status = status;
    this.hint = hint;
  }
}

const pageToken = document.querySelector<HTMLMetaElement>('meta[name="daybook-token"]')?.content ?? "";

/** Where the server can be reached from other machines, the address that was printed carries a token behind its `#`. */
function takeToken(): string | null {
  const given = /[#&]token=([^&]+)/.exec(location.hash)?.[1];
  if (given !== undefined) {
    sessionStorage.setItem("daybook-token", decodeURIComponent(given));
    history.replaceState(null, "", location.pathname + location.search);
  }
  return sessionStorage.getItem("daybook-token");
}
const token = takeToken();

function headers(reveal = false): Record<string, string> {
  return {
    ...(token === null ? {} : { authorization: `Bearer ${token}` }),
    ...(reveal ? { "x-daybook-reveal": pageToken } : {}),
  };
}

/** What the page asks at once was answered in the page itself. Each answer is good for the first who asks: later ones want what is new. */
const first: Map<string, unknown> = firstAnswers();

function firstAnswers(): Map<string, unknown> {
  try {
    return new Map(Object.entries(JSON.parse(document.getElementById("first-answers")?.textContent ?? "{}") as object));
  } catch {
    // Where the page is served by another than Daybook nobody fills it in.
    return new Map();
  }
}

function takeFirst(address: string): unknown {
  const answer = first.get(address);
  first.delete(address);
  return answer;
}

export interface AskOptions<P extends Readable> {
  query?: Query<P>;
  params?: Params<P>;
  signal?: AbortSignal | undefined;
  /** Show what looks like a secret: only where the reader asked for it. */
  reveal?: boolean;
}

/** Asks the API one question. */
export async function ask<P extends Readable>(path: P, options: AskOptions<P> = {}): Promise<Answer<P>> {
  const { query, params, signal, reveal } = options;
  const address = addressOf(path, query ?? {}, params ?? {});
  const given = reveal === true ? undefined : takeFirst(address);
  if (given !== undefined) return given as Answer<P>;
  const response = await fetch(address, {
    headers: headers(reveal),
    ...(signal === undefined ? {} : { signal }),
  });
  if (!response.ok) throw await problemOf(response);
  return (await response.json()) as Answer<P>;
}

/** The address of a question, for links and downloads. */
export function addressOf(path: string, query: object = {}, params: object = {}): string {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(String((params as Record<string, unknown>)[name])),
  );
  const words = new URLSearchParams();
  for (const [name, value] of Object.entries(query))
    if (value !== undefined && value !== "") words.set(name, String(value));
  const text = words.toString();
  return `/api${filled}${text === "" ? "" : `?${text}`}`;
}

/** Has what is new read now. */
export async function syncNow(): Promise<Schemas["SyncDone"]> {
  return (await send("/sync", {})) as Schemas["SyncDone"];
}

/** What is to be put on a session or one of its turns, or taken off. */
export type MarkChange =
  paths["/sessions/{source}/{session}/marks"]["post"]["requestBody"]["content"]["application/json"];

/** Tells what is on it then. */
export async function mark(
  source: string,
  session: string,
  change: MarkChange,
): Promise<Schemas["SessionMarks"] | null> {
  const path = addressOf("/sessions/{source}/{session}/marks", {}, { source, session }).replace("/api", "");
  return ((await send(path, change)) as Schemas["SessionMarked"]).marks;
}

/** Asks for something to be done: only this page may. */
async function send(path: string, body: object): Promise<unknown> {
  const response = await fetch(`/api${path}`, {
    method: "POST",
    headers: { ...headers(), "content-type": "application/json", "x-daybook-token": pageToken },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw await problemOf(response);
  return response.json();
}

async function problemOf(response: Response): Promise<ApiProblem> {
  try {
    const { detail, hint } = (await response.json()) as Schemas["Problem"];
    return new ApiProblem(response.status, detail, hint);
  } catch {
    return new ApiProblem(response.status, `the server answered ${response.status}`, null);
  }
}

/**
 * Hears of changes until it is told to stop. Not an EventSource: that can carry no token. A line that is cut is taken up again.
 */
export function listen(
  heard: (event: Schemas["ChangeEvent"]) => void,
  state: (connected: boolean) => void,
): () => void {
  const stop = new AbortController();
  void (async () => {
    for (let wait = 500; !stop.signal.aborted; wait = Math.min(wait * 2, 10_000)) {
      try {
        const response = await fetch("/api/events", { headers: headers(), signal: stop.signal });
        if (!response.ok || response.body === null) throw await problemOf(response);
        state(true);
        wait = 500;
        await readEvents(response.body, heard);
      } catch {
        // Shown by the state below; the next try says whether the server is back.
      }
      state(false);
      await new Promise((resolve) => setTimeout(resolve, wait));
    }
  })();
  return () => stop.abort();
}

async function readEvents(
  body: ReadableStream<Uint8Array>,
  heard: (event: Schemas["ChangeEvent"]) => void,
): Promise<void> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const blocks = (rest + decoder.decode(value, { stream: true })).split("\n\n");
    rest = blocks.pop() ?? "";
    for (const block of blocks) {
      const name = /^event: (.*)$/m.exec(block)?.[1];
      const data = /^data: (.*)$/m.exec(block)?.[1];
      if (name === "changes" && data !== undefined) heard(JSON.parse(data) as Schemas["ChangeEvent"]);
    }
  }
}
