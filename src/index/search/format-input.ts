/** Longer inputs are shown unchanged. */
const LONGEST = 64 * 1024;
/** Values that need no name before them. */
const PLAIN = new Set(["command", "cmd", "file_path", "path", "pattern", "query"]);

/**
 * Formats the input of a tool call for people: `Bash npm test · timeout: 60` instead of JSON. `hide` masks secrets
 * while the field names that identify them are still there.
 */
export function formatInput(text: string, hide: (text: string) => string): string {
  const at = text.indexOf(" {");
  if (at === -1 || text.length > LONGEST) return text;
  const parts: string[] = [];
  try {
    collect(JSON.parse(hide(text.slice(at + 1))), "", parts);
  } catch {
    // The input is plain text, or masking removed a quote.
    return text;
  }
  return `${text.slice(0, at)} ${parts.join(" · ")}`;
}

function collect(value: unknown, name: string, parts: string[]): void {
  if (value === null || value === undefined || value === "") return;
  if (typeof value !== "object") {
    const said = `${value as string | number | boolean}`;
    parts.push(name === "" || PLAIN.has(name) ? said : `${name}: ${said}`);
  } else if (Array.isArray(value)) {
    // The words of a command, or the items of a list.
    if (value.every((item) => typeof item === "string")) collect(value.join(" "), name, parts);
    else for (const item of value as unknown[]) collect(item, "", parts);
  } else for (const [key, item] of Object.entries(value)) collect(item, key, parts);
}
