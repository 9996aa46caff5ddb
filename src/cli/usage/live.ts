import type { UsageBlock } from "../../answers/blocks.ts";
import type { Zone } from "../../time/zone.ts";
import type { Screen } from "../screen.ts";
import type { Paint } from "../paint.ts";
import { blockStatus } from "./blocks.ts";

/** How often the files are looked at, in ms. */
const PACE = 2000;

export interface LiveBlocks {
  screen: Screen;
  clock: () => number;
  /** The blocks as they are at that moment. */
  blocks: (now: number) => Promise<{ blocks: readonly UsageBlock[]; zone: Zone }>;
  paint: Paint;
  /** Somebody ends the program: a signal, the end of the terminal. */
  stop: AbortSignal;
}

/** Draws the running block again and again until `q`, Escape, Ctrl-C or a signal; the screen is given back however it ends. */
export async function liveBlocks({ screen, clock, blocks, paint, stop }: LiveBlocks): Promise<void> {
  screen.open();
  try {
    for (let key: string | null = null; !isEnd(key) && !stop.aborted; key = await screen.key(PACE, stop)) {
      const now = clock();
      const { blocks: list, zone } = await blocks(now);
      const shown = { zone, now, columns: screen.columns(), paint };
      const running = list.find((block) => block.is_active);
      screen.draw(`${blockStatus(running, shown)}\n${paint.dim(`${zone.clock(now)} · q quits`)}\n`);
    }
  } finally {
    screen.close();
  }
}

/** Escape alone; Ctrl-C and Ctrl-D are letters to a terminal that hands over every key. */
function isEnd(key: string | null): boolean {
  return key === "q" || key === "Q" || key === "\u001b" || key === "\u0003" || key === "\u0004";
}
