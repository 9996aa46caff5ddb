import { join } from "node:path";
import type { LoadedWorkspace } from "../../answers/workspace/load.ts";
import { jsonText, writeAtomic } from "../../answers/workspace/write.ts";
import { schemaOf } from "../given.ts";
import { Journal, type Request } from "../journal.ts";
import { chainShape, dayShape, workItemShape } from "../shapes.ts";
import type { RunTools, ToolProvider } from "../tool-provider.ts";
import { answerOfWrites, READ_TOOL, WRITE_TOOL, writesIn, type ToolTask } from "./task.ts";

/** Not `daybook`: the user may have a server of that name. */
const SERVER = "daybook_narrate";

const SHAPES = { evidence: chainShape, project: workItemShape, day: dayShape } as const;
const EACH = { evidence: "for every turn", project: "for every work item", day: "once, for the day" } as const;

/**
 * Tools of a server that this program runs for the agent. `program`: the command that starts it, without arguments of
 * its own.
 */
export function createToolProvider(
  program: readonly string[],
  { path: workspace }: LoadedWorkspace,
  journal: Journal,
): ToolProvider {
  return {
    answerRule: (kind) => {
      const read = kind === "evidence" ? `Read the session with the tool ${READ_TOOL}, turn by turn. ` : "";
      return `${read}Write with the tool ${WRITE_TOOL[kind]} of the server ${SERVER}, ${EACH[kind]}: its argument \`value\` is an object of the schema below. What it answers as invalid is written again, corrected. When nothing is missing any more, end with the word "done".\n${JSON.stringify(schemaOf(SHAPES[kind]))}`;
    },
    evidence: ({ project, session }, pending) =>
      runTools(program, journal, (writes) => ({
        kind: "evidence",
        workspace,
        writes,
        project,
        session,
        turns: pending.map(({ turn_ref }) => turn_ref),
      })),
    project: ({ project }, pending) =>
      runTools(program, journal, (writes) => ({ kind: "project", workspace, writes, project, turns: [...pending] })),
    day: () => runTools(program, journal, (writes) => ({ kind: "day", workspace, writes })),
  };
}

function runTools(program: readonly string[], journal: Journal, taskOf: (writes: string) => ToolTask): RunTools {
  return {
    server(request: Request) {
      const task = taskOf(journal.writesOf(request));
      const path = join(journal.folder, "tasks", `${Journal.idOf(request)}.json`);
      writeAtomic(path, jsonText(task));
      const tools = [...(task.kind === "evidence" ? [READ_TOOL] : []), WRITE_TOOL[task.kind]];
      return { name: SERVER, command: [...program, "mcp", "--narrate", path], tools };
    },
    written(request: Request) {
      const { kind } = taskOf("");
      return answerOfWrites(kind, writesIn(journal.writesOf(request)));
    },
  };
}
