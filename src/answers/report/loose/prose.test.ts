import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { expectLinear } from "../../../../test/linear.ts";
import { leftOpen, saysItFailed, takenOver, type OpenStatement } from "./prose.ts";

const TURN = { prompt: "make it so", changed: true };
const openIn = (text: string, turn: Partial<typeof TURN> = {}): OpenStatement | null =>
  leftOpen(text, { ...TURN, ...turn });

describe("leftOpen reports unfinished work", () => {
  it.each([
    "Committed as `4f61f59`. Not pushed.",
    "Done, but the tests were not run.",
    "Implemented. I have not run the integration tests.",
    "The parser is ready; the CLI does not use it yet.",
    "The migration has not been applied in production.",
    "Fixed locally, not deployed.",
    "There is no test for it yet.",
    "Works on Linux. Windows is untested.",
    "Only the first of the three services is migrated so far.",
    "It was only a dry run.",
    "I didn't push the branch.",
    "I haven't verified it on a device.",
    "I could not test it behind the proxy from here.",
    "I couldn't run the e2e suite (no network).",
    "I was not allowed to delete the bucket.",
    "I don't have access to the staging cluster.",
    "The deploy could not be verified.",
    "The push was rejected by the remote.",
    "I ran out of time here.",
    "The staging login has expired.",
    "Two of three done. The export still needs a test.",
    "A cleanup job is still missing.",
    "One test is red.",
    "The build still fails on Windows.",
    "The probes still point to `/health`.",
    "`TileCache` is an actor; 91 warnings left.",
    "Three files remain.",
    "Four of seven modules are migrated.",
    "CI is still running.",
    "The PR is waiting for review.",
    "I left a TODO in `a.ts`.",
    "Done.\n\n**Not done:**\n- the docs\n- the changelog",
    "Done.\n\n## Known issues\n\n1. Crashes on empty input",
    "All good.\n\nRemaining:\n- wire up the button",
    "Auf Staging ist es repariert. **Produktion steht noch aus.**",
    "Der Test für leere Dateien fehlt noch.",
    "Fertig, aber noch nicht gepusht.",
    "Ich konnte es hier nicht testen.",
    "Das Skript läuft noch.",
    "Die Freigabe wartet noch auf den Kunden.",
    "Zwei Warnungen bleiben.",
    "Umgesetzt, nicht getestet.",
    "修复完成，但还没有部署。",
    "修正しましたが、まだテストしていません。",
    "C'est corrigé, mais pas encore déployé.",
    "Hecho; todavía no está desplegado.",
  ])("in: %s", (text) => expect(openIn(text)?.kind).toBe("unfinished"));
});

describe("leftOpen reports what is left to the human", () => {
  it.each([
    "Pushing is forbidden, so please run `git push` yourself.",
    "The migration is ready. You need to set DATABASE_URL before it runs.",
    "You'll have to restart the worker.",
    "One more secret is in the history. It needs rotating too.",
    "The effect has to be measured on a real hike.",
    "The old line must be removed by hand.",
    "Applied. Look at it again tomorrow.",
    "Start it in tmux; it goes on where it stopped.",
    "Dropped. Tell the data team that they need a new snapshot.",
    "Remember to bump the version.",
    "Let me know which of the two you prefer.",
    "Cache the quotes per postcode?",
    "`geopandas` is missing in the environment. Add it to the dev requirements?",
    "Bitte die Mail in Outlook prüfen.",
    "Du musst den Schlüssel noch tauschen.",
    "Die alte Zeile muss von Hand gelöscht werden.",
    "了解しました。続けますか？",
    "请手动重启服务。",
  ])("in: %s", (text) => expect(openIn(text, { changed: false })).not.toBeNull());

  it("when the agent asks before it changes anything", () => {
    expect(openIn("There are two ways. Shall I take the first?", { changed: false })?.kind).toBe("request");
    expect(openIn("Soll ich die Tabelle wirklich leeren?", { changed: false })?.kind).toBe("request");
  });

  it("as fleeting when it only matters on that day, such as an opened pull request", () => {
    expect(openIn("Rebased and opened **PR 318**.")).toMatchObject({ kind: "request", fleeting: true });
    expect(openIn("30 left, all in Settings.")).toMatchObject({ fleeting: true });
    expect(openIn("30 left, not pushed.")).toMatchObject({ fleeting: false });
  });

  it("when the agent promises further work", () => {
    expect(openIn("The parser is fixed. I'll add the tests next.")?.kind).toBe("promise");
    expect(openIn("Der Parser ist repariert. Als nächstes kommen die Tests.")?.kind).toBe("promise");
  });
});

describe("leftOpen reports nothing", () => {
  it.each([
    "Fixed. All 42 tests pass.",
    "Committed and pushed.",
    "Only `fonts/inter-thin.woff2` is never used.",
    "Done. Let me know if there is anything else I can help with.",
    "Please note that the cache is cleared on start.",
    "Here is the code:\n```ts\nconst really = done ? 1 : 2; // not pushed yet, I'll be back?\n```",
    "",
    // Offers
    "All tests pass. Should I also update the changelog?",
    "Done. Soll ich auch das Änderungsprotokoll anpassen?",
    "Done. Would you like me to add more tests?",
    "If you want, I can also add a settings screen that is still missing in the web app.",
    "Works. Next steps if you want:\n1. Add tests\n2. Deploy it to production by hand\n",
    "Works for files.\n\n## Next steps\n\n- The databases still need an index.\n- You need to run `npm ci`.",
    "Fertig. Wenn du magst, kann ich noch die Tests ergänzen.",
    "**Optional:**\n- not tested with Node 18",
    "You can now run it with `npm start`.",
    // How to use it
    "Done.\n\nTo run it:\n1. You need to set `TOKEN`\n2. `npm start`",
    // Settled, intended or conditional
    "Committed, not pushed, as you asked.",
    "The tests were not run before the fix.",
    "The directory is created if it does not exist yet.",
    "Three tests, all red as they should be.",
    "Nothing is left to do.",
    "No `import pandas` is left.",
    "**Uncommitted changes:** None. The tree is clean.",
    "Open questions: none.",
    "Removed the lines that were not used.",
    "Unknown elements are skipped; 14 tests pass.",
    "The legacy branch is dead code.",
    "Two refunds cannot exceed the sum together.",
    "The hook is not run for merges.",
    "I could not find any other uses.",
    "I left the crontab alone.",
    "The old flag still works.",
    "Der Zwischenspeicher bleibt, wie er ist.",
    "Gut, das Rendern bleibt, wie es ist.",
    "Jetzt sind es 4 Abfragen und 7,1 s insgesamt.",
    "全部翻译完成，已提交。",
  ])("in: %s", (text) => expect(openIn(text)).toBeNull());

  it("for what the human told the agent not to do", () => {
    expect(openIn("I have not pushed.", { prompt: "commit, but don't push" })).toBeNull();
    expect(openIn("Nicht gepusht.", { prompt: "bitte nicht pushen" })).toBeNull();
    expect(openIn("I have not pushed.", { prompt: "commit and push" })).not.toBeNull();
  });

  it("for an explanation that the human asked for", () => {
    const text = "It is a per-process flag. You must pass it every time. The old client does not support it yet.";
    expect(openIn(text, { prompt: "ok. how do I run it against localhost?", changed: false })).toBeNull();
    expect(openIn(text, { prompt: "run it against localhost" })).not.toBeNull();
  });

  it("for a passing remark, a question or a code block long before the end", () => {
    expect(openIn(`The cache is not warm yet. ${"All of this works. ".repeat(60)}`)).toBeNull();
    expect(openIn(`I did not run the tests. ${"All of this works. ".repeat(60)}`)).not.toBeNull();
    expect(openIn(`Shall I? ${"All done. ".repeat(200_000)}`)).toBeNull();
    expect(openIn(`Code:\n\`\`\`\n${"x\n".repeat(5000)}not pushed yet\n\`\`\``)).toBeNull();
  });
});

it("leftOpen returns the sentences as they were written", () => {
  const text =
    "Committed as `4f61f59`. **Not pushed.** Old keys are never deleted yet; a cleanup job is still missing.";
  expect(openIn(text)?.sentences).toEqual([
    "Not pushed.",
    "Old keys are never deleted yet; a cleanup job is still missing.",
  ]);
});

it("leftOpen adds the sentence before one that refers back to it", () => {
  expect(openIn("One more: `ci/old.env` holds a password. It needs rotating too.")).toMatchObject({
    sentences: ["It needs rotating too."],
    text: "One more: `ci/old.env` holds a password. It needs rotating too.",
  });
  expect(openIn("Applied. Look at it again tomorrow.")?.text).toBe("Applied. Look at it again tomorrow.");
  expect(openIn("Applied. The old line must be removed by hand.")?.text).toBe("The old line must be removed by hand.");
});

it("takenOver finds what the human will do himself", () => {
  expect(takenOver("make a script for it, ill start it myself")).toBe("make a script for it, ill start it myself");
  expect(takenOver("no not from here, i do that by hand on the vm")).not.toBeNull();
  expect(takenOver("gut. Das mache ich morgen selbst.")).toBe("Das mache ich morgen selbst.");
  expect(takenOver("do it yourself")).toBeNull();
  expect(takenOver("i did it myself, next: the docs")).toBeNull();
});

it("saysItFailed finds the failure of what was requested, but not in answers to a question about a failure", () => {
  const text = "The push was refused: the check must pass first. Nothing was forced.";
  expect(saysItFailed(text, "push incl tag")).toBe("The push was refused: the check must pass first.");
  expect(saysItFailed(text, "why was the push refused?")).toBeNull();
});

it("the parsers never throw, and take linear time on long, repetitive text", () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 2000, unit: "binary" }), (text) => {
      leftOpen(text, { prompt: text, changed: false });
    }),
  );
  for (const unit of [
    "not ",
    "still ",
    "I could not ",
    "a. ",
    "- x\n",
    "noch ",
    "one two ",
    "**a** ",
    "you ",
    "```\n",
  ]) {
    expectLinear(unit, 60_000, (text) => {
      leftOpen(text, { prompt: text, changed: false });
      takenOver(text);
      saysItFailed(text, text);
    });
  }
});
