import type { EditTool, FileEdit } from "../contract.ts";

/** Names of the input fields of a replace tool. */
export interface ReplaceKeys {
  path: string;
  before: string;
  after: string;
  /** Boolean field: replace all occurrences. */
  all?: string;
  /** Field that holds a list of replacements, applied in order. */
  list?: string;
}

/** A tool whose input holds the whole content of the file. */
export function writeTool(path: string, content: string): EditTool {
  return (input) => {
    const [at, text] = [textOf(input, path), textOf(input, content)];
    return at === null || text === null ? null : [{ kind: "write", path: at, content: text }];
  };
}

/** A tool that replaces one text by another. */
export function replaceTool(keys: ReplaceKeys): EditTool {
  return (input) => {
    const path = textOf(input, keys.path);
    if (path === null) return null;
    const many = keys.list === undefined ? undefined : fieldsOf(input)[keys.list];
    const steps = Array.isArray(many) ? (many as unknown[]) : [input];
    const edits = steps.map((step) => replacement(step, path, keys));
    return edits.every((edit) => edit !== null) ? edits : null;
  };
}

function replacement(step: unknown, path: string, keys: ReplaceKeys): FileEdit | null {
  const [before, after] = [textOf(step, keys.before), textOf(step, keys.after)];
  if (before === null || after === null) return null;
  const all = keys.all !== undefined && fieldsOf(step)[keys.all] === true;
  return { kind: "replace", path, before, after, all };
}

/** The text editor tool of Anthropic's API, which several agents offer: a single tool with a `command` field. */
export const editorTool: EditTool = (input) => {
  const path = textOf(input, "path");
  if (path === null) return null;
  const fields = fieldsOf(input);
  switch (fields["command"]) {
    case "create":
    case "write":
      return writeTool("path", "file_text")(input);
    case "str_replace":
      // Without `new_str` the old text is deleted.
      return replaceTool({ path: "path", before: "old_str", after: "new_str" })({ new_str: "", ...fields });
    case "insert": {
      const line = fields["insert_line"];
      const text = textOf(input, "new_str") ?? textOf(input, "insert_text");
      return typeof line === "number" && text !== null ? [{ kind: "insert", path, line, text }] : null;
    }
    default:
      return null;
  }
};

export function fieldsOf(input: unknown): Readonly<Record<string, unknown>> {
  return typeof input === "object" && input !== null ? (input as Record<string, unknown>) : {};
}

export function textOf(input: unknown, key: string): string | null {
  const value = fieldsOf(input)[key];
  return typeof value === "string" ? value : null;
}
