// Watches all agents and prints which sessions changed, until Ctrl-C. Questions are answered during a sync.
// node watch.js BOOK [SECONDS]
import { Daybook } from "agent-daybook";

const [book, seconds = "1"] = process.argv.slice(2);
const stop = new AbortController();
process.once("SIGINT", () => stop.abort());

// Only `watch` looks for new records; questions never wait for a sync.
const daybook = new Daybook({ book, noSync: true });
for await (const { sessions } of daybook.watch({ every: Number(seconds) * 1000, signal: stop.signal })) {
  for (const { source, session_id, change } of sessions) {
    const [turn] = await daybook.turns({ session: `${source}/${session_id}`, limit: 1 });
    console.log(`${change}  ${source}/${session_id}  ${turn?.outcome ?? "no turn yet"}: ${turn?.trigger.text ?? ""}`);
  }
}
daybook.close();
