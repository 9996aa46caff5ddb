import type { Overview } from "./answers.ts";

/** What a page asks at once when it is opened, by its path: told in the page itself, so that it is shown when its program is there. */
export async function firstAnswers(
  answerTo: (asked: Request) => Response | Promise<Response>,
  asked: Request,
): Promise<Record<string, unknown>> {
  const { origin, pathname, search } = new URL(asked.url);
  const answers: Record<string, unknown> = {};
  const ask = async (address: string): Promise<unknown> => {
    const response = await answerTo(new Request(`${origin}${address}`, { headers: asked.headers }));
    // Whatever is refused is asked again by the page, which knows the token and shows what is wrong.
    if (!response.ok) return null;
    answers[address] = await response.json();
    return answers[address];
  };
  const overview = (await ask("/api/overview")) as Overview | null;
  if (overview && pathname === "/") await Promise.all([ask(`/api/report?date=${overview.opens_on}`), ask("/api/now")]);
  const session = /^\/session\/([^/]+)\/([^/]+)$/.exec(pathname);
  if (overview && session) {
    const base = `/api/sessions/${session[1]}/${session[2]}`;
    await ask(base);
    // Who comes for one line begins there.
    if (search === "") await ask(`${base}/records?limit=200&turn=T0001`);
  }
  return answers;
}

/** As text that can stand in a page: no text in it ends the element it stands in. */
export function inPage(answers: Record<string, unknown>): string {
  return JSON.stringify(answers).replaceAll("<", String.raw`\u003c`);
}
