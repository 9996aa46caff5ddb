import { join } from "node:path";
import { expect, it } from "vitest";
import { embedInPage } from "../../src/doors/http/page-files.ts";
import { A, at, CALL, E, M, OUT, R, TC, write } from "../cases/build.ts";
import { scratch } from "../store/fixture.ts";
import { served } from "./serving.ts";
import type { Schemas } from "./types.ts";

/** Written by hand: no genuine session in the corpora renames a file that was changed before. */
it("the history of a file includes the turns before it was renamed", async () => {
  const root = scratch("renamed");
  const id = "019e0000-0000-7000-8000-00000000000a";
  const patch = (body: string): string => `*** Begin Patch\n${body}\n*** End Patch`;
  const turn = (minute: number, text: string, call: string, body: string): object[] =>
    [R(text), E(text), CALL(call, "apply_patch", { input: patch(body) }), OUT(call, "done"), A("Done.")].map((line) =>
      at(`2026-05-12T08:0${minute}:00.000Z`, line),
    );
  write(join(root, `sessions/2026/05/12/rollout-2026-05-12T08-00-00-${id}.jsonl`), [
    M(id),
    TC(),
    ...turn(1, "write it", "c1", "*** Add File: old.txt\n+one\n+two"),
    ...turn(2, "call it new", "c2", "*** Update File: old.txt\n*** Move to: new.txt\n@@\n-one\n+uno\n two"),
    ...turn(3, "change it", "c3", "*** Update File: new.txt\n@@\n uno\n-two\n+dos"),
  ] as never);
  const { ask } = await served({ roots: { codex: [root] } });
  const { files } = (await (await ask("/api/files?text=new.txt")).json()) as Schemas["FileList"];
  const path = encodeURIComponent(files[0]?.path ?? "");
  const history = (await (await ask(`/api/files/history?path=${path}`)).json()) as Schemas["FileHistory"];
  expect(history.turns.map(({ trigger }) => trigger.text)).toEqual(["write it", "call it new", "change it"]);
  expect(history.names.map((name) => name.split("/").at(-1))).toEqual(expect.arrayContaining(["new.txt", "old.txt"]));
});

it("text of a session cannot end the script element with a page's first answers", () => {
  const answers = { "/api/overview": { projects: ["</script><script>alert(1)</script>", "<!--"] } };
  const shown = embedInPage(new Map(Object.entries(answers).map(([address, one]) => [address, JSON.stringify(one)])));
  expect(shown).not.toContain("<");
  expect(JSON.parse(shown)).toEqual(answers);
});
