/** How calls end, and the files they wrote. */
import type { FileOperation, TouchedFile } from "../../record/record.ts";
import { num, obj, objects, str, type Native } from "../kit/native.ts";
import type { Result, Say } from "../kit/say.ts";

/** `completed` hides an exit code: it only says that the command was run. */
export function settle(say: Say, { toolCallId, status, content, rawOutput }: Native): void {
  const output = obj(rawOutput) ?? {};
  const { type, is_error, success, truncated } = output;
  const exit = num(output["exit_code"]);
  // A search that finds nothing exits with 1.
  const isSearchError = type === "GrepSearch" && (exit ?? 0) > 1;
  const failed = status === "failed" || is_error === true || success === false || isSearchError;
  const result: Result = { text: spoken(content, output), failed };
  if (type === "Bash") result.exit = exit;
  // It goes on, and `task_completed` states its end.
  if (type === "BackgroundTaskStarted") result.status = "pending";
  if (truncated === true) result.truncated = true;
  const files = written(output);
  if (files.length > 0) result.files = files;
  say.result(str(toolCallId) ?? "", result);
}

/** What was shown; where that is a difference or a list, what the output says in words. */
function spoken(content: unknown, output: Native): string {
  const shown = objects(content).flatMap(({ type, content: block }) => (type === "content" ? [textIn(block)] : []));
  if (shown.length > 0) return shown.join("\n");
  for (const said of [output, ...objects(Object.values(output))])
    for (const name of ["tool_output_for_prompt", "summary_for_prompt", "output_for_prompt", "message", "output"])
      if (typeof said[name] === "string") return said[name];
  return "";
}

export function textIn(content: unknown): string {
  return str(obj(content)?.["text"]) ?? "";
}

const ACTIONS = new Map<unknown, FileOperation>([
  ["added", "created"],
  ["modified", "modified"],
  ["deleted", "deleted"],
  ["moved", "renamed"],
]);

function written(output: Native): TouchedFile[] {
  const edited = obj(output["EditsApplied"]);
  const path = str(edited?.["absolute_path"]);
  const isNew = / has been created\.?$/.test(str(edited?.["tool_output_for_prompt"]) ?? "");
  if (path !== null) return [{ path, operation: isNew ? "created" : "modified" }];
  return objects(obj(output["Success"])?.["files"]).flatMap((file): TouchedFile[] => {
    const [at, operation] = [str(file["move_to"]) ?? str(file["path"]), ACTIONS.get(file["action"])];
    return at === null || !operation ? [] : [{ path: at, operation }];
  });
}
