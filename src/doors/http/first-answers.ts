import type { Overview } from "./answers.ts";

/** JSON answers by their address. */
export type FirstAnswers = ReadonlyMap<string, string>;

/**
 * The answers a page asks for when it is opened, by its path. They are embedded in the page, so that it can be shown
 * as soon as its script is loaded. Passed on as text, without parsing.
 */
export async function firstAnswers(
  answerTo: (asked: Request) => Response | Promise<Response>,
  asked: Request,
): Promise<FirstAnswers> {
  const { origin, pathname, search } = new URL(asked.url);
  const answers = new Map<string, string>();
  const ask = async (address: string): Promise<string | null> => {
    const response = await answerTo(new Request(`${origin}${address}`, { headers: asked.headers }));
    // A refused request is repeated by the page, which has the token and shows the error.
    if (!response.ok) return null;
    const text = await response.text();
    answers.set(address, text);
    return text;
  };
  const overview = await ask("/api/overview");
  if (overview === null) return answers;
  const { opens_on } = JSON.parse(overview) as Overview;
  if (pathname === "/") await Promise.all([ask(`/api/report?date=${opens_on}`), ask("/api/now")]);
  const session = /^\/session\/([^/]+)\/([^/]+)$/.exec(pathname);
  if (session) {
    const base = `/api/sessions/${session[1]}/${session[2]}`;
    await ask(`${base}/requests`);
    // A link to a single line starts loading there, not at the first turn.
    if (search === "") await ask(`${base}/records?limit=200&turn=T0001`);
  }
  return answers;
}

/** As text that can be embedded in a page: nothing in it can close the surrounding element. */
export function embedInPage(answers: FirstAnswers): string {
  const pairs = [...answers].map(([address, text]) => `${JSON.stringify(address)}:${text}`);
  return `{${pairs.join(",")}}`.replaceAll("<", String.raw`\u003c`);
}
