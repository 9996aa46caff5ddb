import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { z } from "zod";
import { BUILT_IN, readRegistry } from "./registry.ts";

const word = z.string().regex(/^[a-z0-9-]{1,64}$/);
const shape = z.strictObject({
  questions: z.array(
    z
      .strictObject({
        id: word,
        skill: word,
        category: word,
        door_type: z.enum(["one-way", "two-way"]),
        signal_key: word.optional(),
      })
      .refine(({ id, skill }) => id.startsWith(`${skill}-`)),
  ),
});

it("knows gstack's questions from a file whose every entry has the shape that is relied on", () => {
  const { questions } = shape.parse(JSON.parse(readFileSync(BUILT_IN, "utf8")));
  const known = readRegistry(null);
  expect(known.all().map(({ id }) => id)).toEqual(questions.map(({ id }) => id));
  expect(known.get("ship-test-failure-triage")).toEqual({
    id: "ship-test-failure-triage",
    skill: "ship",
    category: "approval",
    door_type: "one-way",
    options: [],
    signal_key: "test-discipline",
    description: null,
    from: "built-in",
  });
  expect(known.get("plan-eng-review-scope-reduce")).toMatchObject({ category: "routing", door_type: "two-way" });
});
