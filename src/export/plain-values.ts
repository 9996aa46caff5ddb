/** Formats want an object where agents write what they like. */
export function jsonObject(input: unknown): object {
  if (typeof input === "object" && input !== null && !Array.isArray(input)) return input;
  return input === null || input === undefined ? {} : { input };
}
