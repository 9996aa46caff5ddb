// Prints tokens and cost per month and model as CSV. A cost without a known price is empty, never 0.
// node usage-csv.js
import { Daybook } from "agent-daybook";

const daybook = new Daybook({ timezone: "UTC" });
const { rows } = await daybook.usage({ group: "monthly", by: "spent", breakdown: true, order: "asc" });
console.log("month,model,input,cached,output,usd");
for (const { period, breakdown = [] } of rows) {
  for (const { model, input_tokens, cached_input_tokens, output_tokens, cost_usd } of breakdown)
    console.log([period, model, input_tokens, cached_input_tokens, output_tokens, cost_usd ?? ""].join(","));
}
daybook.close();
