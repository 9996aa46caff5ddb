import { it } from "vitest";
import { LABELS, open } from "./fixture.ts";
import { CORPUS, sourceOfCorpus } from "../truth.ts";
import { sourceOf } from "../../src/reading/read-file.ts";
it("cost", () => {
  for (const label of ["codex-0.166.0","codex-0.130.0","claude-2.1.325", "opencode-1.18.33"]) {
  const refs = open({[sourceOfCorpus(label)]: [CORPUS+label]}).opened().refs;
  for (const identities of [false,true,false,true]) {
    const t = performance.now(); let n=0;
    for (let k=0;k<15;k++) for (const ref of refs) for (const e of sourceOf(ref).read(ref,null,{detail:"full", identities})) n+=e.bytes;
    console.log(label, identities, n, Math.round(performance.now()-t));
  }}
});
