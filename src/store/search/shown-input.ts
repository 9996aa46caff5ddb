/** A longer input is shown as it stands. */
const LONGEST = 64 * 1024;
/** What a call is about needs no name before it. */
const PLAIN = new Set(["command", "cmd", "file_path", "path", "pattern", "query"]);

/**
 * What a tool was given, as a person reads it: `Bash npm test · timeout: 60` instead of JSON. `hide` takes secrets out while
 * the names they are known by still stand beside them.
 */
export function shownInput(text: string, hide: (text: string) => string): string {
  const at = text.indexOf(" {");
  if (at === -1 || text.length > LONGEST) return text;
  const parts: string[] = [];
  try {
    collect(JSON.parse(hide(text.slice(at + 1))), "", parts);
  } catch {
    // The input is a text of its own, or hiding took a quote with it.
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
    // The words of one command, or of one list.
    if (value.every((item) => typeof item === "string")) collect(value.join(" "), name, parts);
    else for (const item of value as unknown[]) collect(item, "", parts);
  } else for (const [key, item] of Object.entries(value)) collect(item, key, parts);
}
