// Runs an @openai/agents agent once, with the arguments DIR SESSION REQUEST and the model at $MODEL_URL.
import { Agent, OpenAIProvider, Runner, setTracingDisabled, tool } from "@openai/agents";
import { DaybookSession } from "../examples/openai-agents-session.js";

setTracingDisabled(true);
const [dir, id, request] = process.argv.slice(2);
const session = new DaybookSession(dir, id);
const parameters = { type: "object", properties: {}, required: [], additionalProperties: true };
const look = { name: "look", description: "looks", parameters, strict: false };
const tools = [
  tool({ ...look, execute: () => "3 files" }),
  tool({ ...look, name: "die", execute: () => process.kill(process.pid, "SIGKILL") }),
];
const modelProvider = new OpenAIProvider({ apiKey: "none", baseURL: process.env.MODEL_URL, useResponses: false });
const agent = new Agent({ name: "tester", model: "gpt-5.1", tools });
const result = await new Runner({ modelProvider }).run(agent, request, { session });
session.spent(result, "gpt-5.1");
process.stdout.write(`${result.finalOutput}\n`);
session.close();
