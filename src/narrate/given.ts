import { z } from "zod";
import { messageOf } from "../base/errors.ts";
import type { Problem } from "./checks/problem.ts";

/** Parses the JSON of an answer. Some models put a fence around it, whatever they are told. */
export function parseAnswer(text: string): { value: unknown } | { problem: Problem } {
  const trimmed = text.trim();
  const [, fenced] = /^```(?:json)?\s*\n([^]*?)\n?```$/.exec(trimmed) ?? [];
  try {
    return { value: JSON.parse(fenced ?? trimmed) as unknown };
  } catch (error) {
    const message = `the answer is no JSON: ${messageOf(error).slice(0, 120)}`;
    return {
      problem: { rule: "answer.no_json", path: "", message, hint: "answer with one JSON object and nothing else" },
    };
  }
}

/** The list under a key of an answer, or a problem when there is none. */
export function listIn(value: unknown, key: string): unknown[] | Problem {
  const found = typeof value === "object" && value !== null ? (value as Record<string, unknown>)[key] : undefined;
  if (Array.isArray(found)) return found as unknown[];
  return { rule: "answer.no_list", path: key, message: `${key} is no list`, hint: `give a list under ${key}` };
}

/** A value of the shape, or its problems. */
export function parseShape<T>(
  shape: z.ZodType<T>,
  value: unknown,
  path: string,
): { value: T } | { problems: Problem[] } {
  const { success, data, error } = shape.safeParse(value);
  if (success) return { value: data };
  return {
    problems: error.issues.slice(0, 20).map((issue) => ({
      rule: `shape.${issue.code}`,
      path: joinPath(path, issue.path),
      message: issue.message.slice(0, 300),
      hint: "keep to the schema",
    })),
  };
}

export function joinPath(base: string, parts: readonly PropertyKey[]): string {
  return parts.reduce<string>(
    (path, part) =>
      typeof part === "number" ? `${path}[${part}]` : path === "" ? String(part) : `${path}.${String(part)}`,
    base,
  );
}

/** JSON Schema of an answer: of the shape, or of an object with a list of them under `list`. */
export function schemaOf(shape: z.ZodType, list?: string): unknown {
  const whole = list === undefined ? shape : z.object({ [list]: z.array(shape) });
  const { $schema: _, ...schema } = z.toJSONSchema(whole, { io: "input" }) as Record<string, unknown>;
  return schema;
}
