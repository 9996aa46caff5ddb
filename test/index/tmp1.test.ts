import { rmSync } from "node:fs";
import { expect, it } from "vitest";
import { answers, copyCorpus, differences, LABELS, open, scratch } from "./fixture.ts";
it.each(LABELS)("deletion %s", async (label) => {
    const { dir, roots } = copyCorpus([label]);
    const book = scratch("book");
    const before = await answers(open(roots, book));
    rmSync(dir, {recursive:true});
    const after = await answers(open(roots, book));
    const wrong = differences(before, after);
    console.log(label, (before.sessions as {diagnostics:{inherited_records:number}}[]).filter(s=>s.diagnostics.inherited_records>0).length, wrong);
    expect(wrong).toEqual([]);
});
