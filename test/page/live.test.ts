import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { A, E, M, R, TC, write } from "../cases/build.ts";
import { scratch } from "../store/fixture.ts";
import { inBrowser, site, type Opened } from "./browser.ts";

const ONE = "019e0000-0000-7000-8000-0000000000b1";
const OTHER = "019e0000-0000-7000-8000-0000000000b2";

inBrowser("a change in one session", () => {
  const root = scratch("two");
  const fileOf = (id: string): string => join(root, `sessions/2026/05/12/rollout-2026-05-12T08-00-00-${id}.jsonl`);
  const app = site(
    () => {
      for (const [id, name] of [
        [ONE, "lamps"],
        [OTHER, "chairs"],
      ] as const)
        write(fileOf(id), [
          M(id, { cwd: `/home/u/${name}` }),
          TC(),
          R("make it so"),
          E("make it so"),
          A(`About ${name}.`),
        ]);
      return { codex: [root] };
    },
    { now: Date.UTC(2026, 4, 12, 20) },
  );

  /** The paths of what the page asks when the other session grows. */
  async function askedAfterChange({ page, requested, settled }: Opened, said: string): Promise<string[]> {
    await settled();
    const before = requested.length;
    appendFileSync(fileOf(OTHER), `${JSON.stringify(A(said))}\n`);
    // What every page shows: its navigation and the sign in the tab.
    const paths = (): string[] => requested.slice(before).map((url) => new URL(url).pathname.replace("/api", ""));
    await expect.poll(paths, { timeout: 60_000 }).toContain("/overview");
    await settled();
    await page.context().close();
    return [...new Set(paths())].toSorted();
  }

  it("makes nothing of another session ask again", async () => {
    const opened = await app.open(`/session/codex/${ONE}`);
    await opened.page.getByText("About lamps.").first().waitFor();
    expect(await askedAfterChange(opened, "first")).toEqual(["/now", "/overview", "/sessions"]);
  });

  it("makes no list of another project ask again", async () => {
    const asked = await askedAfterChange(await app.open("/tools?project=lamps&view=all"), "second");
    expect(asked).toEqual(["/now", "/overview"]);
  });

  it("makes no numbers of days before it ask again", async () => {
    const opened = await app.open("/usage?since=2026-04-01&until=2026-04-07");
    expect(await askedAfterChange(opened, "third")).toEqual(["/days", "/now", "/overview", "/usage/limits"]);
  });

  it("makes the day it belongs to ask again, once", async () => {
    const opened = await app.open("/");
    await opened.settled();
    const before = opened.requested.length;
    expect(await askedAfterChange(opened, "fourth")).toEqual(["/days", "/now", "/overview", "/report"]);
    expect(opened.requested.slice(before).filter((url) => url.includes("/api/report")).length).toBe(1);
  });
});
