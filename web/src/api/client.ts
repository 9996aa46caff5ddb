import type { components, paths } from "./types.d.ts";

export type Schemas = components["schemas"];
export type Session = Schemas["SessionCard"];
export type Turn = Schemas["Turn"];
export type TurnBrief = Schemas["TurnBrief"];
export type LogRecord = Schemas["LogRecord"];
export type Report = Schemas["Report"];

/** Every path that answers GET. */
type Readable = { [P in keyof paths]: paths[P]["get"] extends { responses: object } ? P : never }[keyof paths];
type Query<P extends Readable> = paths[P]["get"] extends { parameters: { query?: infer Q } } ? Q : undefined;
type Params<P extends Readable> = paths[P]["get"] extends { parameters: { path: infer V } } ? V : undefined;
type Answer<P extends Readable> = paths[P]["get"] extends {
  responses: { 200: { content: { "application/json": infer A } } };
}
  ? A
  : never;

/** Why the API did not answer, as text for the user. */
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

/**
 * The server embeds the answers to the page's first requests in the HTML document. Each is used once: a later request
 * needs a fresh answer.
 */
const embedded: Map<string, unknown> = readEmbedded();

function readEmbedded(): Map<string, unknown> {
  try {
    return new Map(Object.entries(JSON.parse(document.getElementById("first-answers")?.textContent ?? "{}") as object));
  } catch {
    // Only Daybook's own server fills in the placeholder; a development server leaves it as it is.
    return new Map();
  }
}

function takeEmbedded(address: string): unknown {
  const answer = embedded.get(address);
  embedded.delete(address);
  return answer;
}

export interface AskOptions<P extends Readable> {
  query?: Query<P>;
  params?: Params<P>;
  signal?: AbortSignal | undefined;
  /** Show values that look like secrets; set only when the reader asked for it. */
  reveal?: boolean;
}

/** Sends one GET request to the API. */
export async function ask<P extends Readable>(path: P, options: AskOptions<P> = {}): Promise<Answer<P>> {
  const { query, params, signal, reveal } = options;
  const address = addressOf(path, query ?? {}, params ?? {});
  const given = reveal === true ? undefined : takeEmbedded(address);
  if (given !== undefined) return given as Answer<P>;
  const response = await fetch(address, {
    headers: reveal === true ? { "x-daybook-reveal": pageToken } : {},
    ...(signal === undefined ? {} : { signal }),
  });
  if (!response.ok) throw await problemOf(response);
  return (await response.json()) as Answer<P>;
}

/** The URL of an API request, also for links and downloads. */
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

/** Starts a sync and waits for it. */
export async function syncNow(): Promise<Schemas["SyncDone"]> {
  return (await send("/sync", {})) as Schemas["SyncDone"];
}

/** Has the server open a terminal in which the session goes on. */
export async function openResumed(source: string, session: string): Promise<Schemas["ResumeOpened"]> {
  const path = addressOf("/sessions/{source}/{session}/resume/open", {}, { source, session }).replace("/api", "");
  return (await send(path, {})) as Schemas["ResumeOpened"];
}

/** Marks to add to a session or one of its turns, or to remove from it. */
export type MarkChange =
  paths["/sessions/{source}/{session}/marks"]["post"]["requestBody"]["content"]["application/json"];

/** Changes marks and returns all marks of the session after the change. */
export async function mark(
  source: string,
  session: string,
  change: MarkChange,
): Promise<Schemas["SessionMarks"] | null> {
  const path = addressOf("/sessions/{source}/{session}/marks", {}, { source, session }).replace("/api", "");
  return ((await send(path, change)) as Schemas["SessionMarked"]).marks;
}

/** Sends a POST request. It carries the page's token, so that no other site can send one. */
async function send(path: string, body: object): Promise<unknown> {
  const response = await fetch(`/api${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-daybook-token": pageToken },
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
    return new ApiProblem(response.status, `the server answered with status ${response.status}`, null);
  }
}

/** In ms. A stream that the server refused, perhaps because it was restarted, is requested again after this time. */
const RETRY = 5000;

/** Listens for change events until the returned function is called, and reconnects when the connection is lost. */
export function listen(
  onChange: (event: Schemas["ChangeEvent"]) => void,
  onState: (connected: boolean) => void,
): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let stream: EventSource | null = null;
  const connect = (): void => {
    const events = (stream = new EventSource("/api/events"));
    events.addEventListener("open", () => onState(true));
    events.addEventListener("changes", ({ data }) => onChange(JSON.parse(String(data)) as Schemas["ChangeEvent"]));
    events.addEventListener("error", () => {
      onState(false);
      // After a broken connection the browser connects again by itself.
      if (events.readyState === EventSource.CLOSED) timer = setTimeout(connect, RETRY);
    });
  };
  connect();
  return () => {
    clearTimeout(timer);
    stream?.close();
  };
}
