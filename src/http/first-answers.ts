import type { Overview } from "./answers.ts";

/** Answers as they were given, by the address they were asked at. */
export type FirstAnswers = ReadonlyMap<string, string>;

/**
 * What a page asks at once when it is opened, by its path: said in the page itself, so that it is shown when its program is there. As
 * text: nobody here need understand it.
 */
export async function firstAnswers(
  answerTo: (asked: Request) => Response | Promise<Response>,
  asked: Request,
): Promise<FirstAnswers> {
  const { origin, pathname, search } = new URL(asked.url);
  const answers = new Map<string, string>();
  const ask = async (address: string): Promise<string | null> => {
    const response = await answerTo(new Request(`${origin}${address}`, { headers: asked.headers }));
    // Whatever is refused is asked again by the page, which knows the token and shows what is wrong.
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
    // Who comes for one line begins there.
    if (search === "") await ask(`${base}/records?limit=200&turn=T0001`);
  }
  return answers;
}

/** As text that can stand in a page: no text in it ends the element it stands in. */
export function inPage(answers: FirstAnswers): string {
  const pairs = [...answers].map(([address, text]) => `${JSON.stringify(address)}:${text}`);
  return `{${pairs.join(",")}}`.replaceAll("<", String.raw`\u003c`);
}
