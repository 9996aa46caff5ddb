// Where something was said: one citation a line, which `daybook explain` and `daybook show` take.
// node search.js WORDS
import { Daybook } from "agent-daybook";

const words = process.argv.slice(2).join(" ");
const daybook = new Daybook();
for (const { source, session_id, turn_ref, line, kind, snippet } of await daybook.search(words, { limit: 10 })) {
  console.log(`${source}/${session_id}:${line}  ${turn_ref ?? "-"}  ${kind}  ${snippet.replaceAll("\n", " ")}`);
}
daybook.close();
