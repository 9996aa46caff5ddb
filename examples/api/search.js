// Where something was said: one citation a line, which `daybook explain` and `daybook show` take.
// node search.js WORDS
import { Daybook } from "agent-daybook";

const words = process.argv.slice(2).join(" ");
const daybook = new Daybook();
for (const { source, session_id, turn_ref, line, kind, snippet } of await daybook.search(words, { limit: 10 })) {
  // Notes that people wrote on sessions stand on no line.
  const place = line === null ? `${source}/${session_id}` : `${source}/${session_id}:${line}`;
  console.log(`${place}  ${turn_ref ?? "-"}  ${kind}  ${snippet.replaceAll("\n", " ")}`);
}
daybook.close();
