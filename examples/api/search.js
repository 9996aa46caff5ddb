// Prints where words occur: one citation per line, as `daybook explain` and `daybook show` accept them.
// node search.js WORDS
import { Daybook } from "agent-daybook";

const words = process.argv.slice(2).join(" ");
const daybook = new Daybook();
for (const { source, session_id, turn_ref, line, kind, snippet } of await daybook.search(words, { limit: 10 })) {
  // Notes on sessions have no line.
  const place = line === null ? `${source}/${session_id}` : `${source}/${session_id}:${line}`;
  console.log(`${place}  ${turn_ref ?? "-"}  ${kind}  ${snippet.replaceAll("\n", " ")}`);
}
daybook.close();
