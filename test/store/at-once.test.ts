import { expect, it } from "vitest";
import { Daybook } from "../../src/daybook.ts";
import { copyCorpus, scratch } from "./fixture.ts";

/** A server's page asks while the server reads for the first time. */
it.each(["the question first", "the sync first"])(
  "a question and the first sync do not lock each other out: %s",
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
    const asked = order === "the question first" ? daybook.sessions() : null;
    const [report] = await Promise.all([daybook.sync(), asked ?? daybook.sessions()]);
    expect(report.files_read).toBeGreaterThan(0);
    expect((await daybook.sessions()).length).toBeGreaterThan(0);
    expect(notes).toEqual([]);
    daybook.close();
  },
);
