import { inside } from "../src/answers/daybook.ts";
import { cpSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { Daybook, registerSource } from "../src/index.ts";
import { toy } from "./conformance/toy/toy-source.ts";
import { rootOfCorpus } from "./truth.ts";
import { scratch } from "./store/fixture.ts";

/** In a file of its own, because a registration lasts as long as the process. */
describe("a source registered by a library user", () => {
  it("is read directly and from the book, and cannot be registered twice", async () => {
    const dir = scratch("toy");
    cpSync(fileURLToPath(new URL("./conformance/toy/", import.meta.url)), dir, { recursive: true });
    const roots = { toy: [dir], pi: [rootOfCorpus("pi-0.87.1")] };
    expect(() => inside(new Daybook({ roots, env: {} })).opened()).toThrow("unknown source: toy");
    registerSource(toy);
    expect(() => registerSource(toy)).toThrow('there is a source "toy" already');
    const turnsWith = async (book?: string): Promise<unknown> => {
      const daybook = new Daybook({ roots, env: {}, timezone: "UTC", ...(book === undefined ? {} : { book }) });
      const found = await daybook.turns();
      daybook.close();
      return found;
    };
    const direct = (await turnsWith()) as { source: string }[];
    expect(new Set(direct.map(({ source }) => source))).toEqual(new Set(["toy", "pi"]));
    expect(await turnsWith(scratch("book"))).toEqual(direct);
  });
});
