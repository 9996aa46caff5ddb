import type { UsageBlock } from "../../../views/blocks.ts";
import type { Zone } from "../../../base/time/zone.ts";
import type { Screen } from "../screen.ts";
import type { Paint } from "../paint.ts";
import { blockStatus } from "./blocks.ts";

/** How often the files are checked, in ms. */
const PACE = 2000;

export interface LiveBlocks {
  screen: Screen;
  clock: () => number;
  /** The blocks at that time. */
  blocks: (now: number) => Promise<{ blocks: readonly UsageBlock[]; zone: Zone }>;
  paint: Paint;
  /** Aborted by a signal or when the terminal closes. */
  stop: AbortSignal;
}

/** Redraws the running block until `q`, Escape, Ctrl-C or a signal; the screen is always restored. */
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

/** A single Escape; in raw mode Ctrl-C and Ctrl-D arrive as characters. */
function isEnd(key: string | null): boolean {
  return key === "q" || key === "Q" || key === "\u001b" || key === "\u0003" || key === "\u0004";
}
