// Prints what was asked yesterday, how it ended and what it cost.
// node turns.js [DAY]
import { Daybook } from "agent-daybook";

const day = process.argv[2] ?? "yesterday";
const daybook = new Daybook();
for (const { trigger, project, outcome, usage } of await daybook.turns({ since: day, until: day })) {
  const cost = usage.cost_usd === null ? "unknown" : `$${usage.cost_usd.toFixed(2)}`;
  console.log(`${trigger.time}  ${project}  ${outcome}  ${cost}  ${trigger.text.split("\n")[0]}`);
}
daybook.close();
