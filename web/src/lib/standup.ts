import { copyLater } from "./clipboard.ts";
import { say } from "./notices.svelte.ts";

/** Copies the stand-up of these days. */
export async function copyStandup(since: string, until: string): Promise<void> {
  const days = since === until ? `date=${since}` : `since=${since}&until=${until}`;
  const answer = fetch(`/api/report/export?${days}&format=standup`);
  const isCopied = await copyLater(answer.then((one) => (one.ok ? one.text() : null)));
  say(isCopied ? "Copied the stand-up." : "The browser did not allow copying.", isCopied ? {} : { tone: "bad" });
}
