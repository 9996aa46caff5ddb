/**
 * Paths in `value` that are missing in `known`, which is the same value after a schema removed unknown fields. Values
 * of unspecified shape (tool inputs) are the same object in both, so the walk stops there.
 */
export function unknownFields(value: unknown, known: unknown, path = ""): string[] {
  if (value === known || typeof value !== "object" || value === null) return [];
  if (typeof known !== "object" || known === null) return [];
  const found: string[] = [];
  for (const [key, inner] of Object.entries(value)) {
    const at = path === "" ? key : `${path}.${key}`;
    if (!Object.hasOwn(known, key)) found.push(at);
    else found.push(...unknownFields(inner, (known as Record<string, unknown>)[key], at));
  }
  return found;
}
