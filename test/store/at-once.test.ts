import { expect, it } from "vitest";
import { Daybook } from "../../src/answers/daybook.ts";
import { copyCorpus, scratch } from "./fixture.ts";

// The page of a server may ask while the server's first sync runs.
it.each(["query first", "sync first"])(
  "a query and the first sync run at the same time without a note: %s",
  async (order) => {
    const { roots } = copyCorpus();
    const notes: string[] = [];
    const daybook = new Daybook({
      book: scratch("home"),
      roots,
      timezone: "UTC",
      env: { HOME: "/nowhere" },
      noSync: true,
      onNote: (text) => void notes.push(text),
    });
    const earlyQuery = order === "query first" ? daybook.sessions() : null;
    const [report] = await Promise.all([daybook.sync(), earlyQuery ?? daybook.sessions()]);
    expect(report.files_read).toBeGreaterThan(0);
    expect((await daybook.sessions()).length).toBeGreaterThan(0);
    expect(notes).toEqual([]);
    daybook.close();
  },
);
