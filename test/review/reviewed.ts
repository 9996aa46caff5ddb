import { cpSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Daybook, inside } from "../../src/answers/daybook.ts";
import type { DayDigest } from "../../src/answers/digest/model.ts";
import type { Agent } from "../../src/narrate/agents/model.ts";
import { Prompts } from "../../src/narrate/prompts.ts";
import { reviewDay, reviewFolder, type ReviewOptions, type ReviewResult } from "../../src/narrate/review/review-day.ts";

/** Three days of one developer, from the middle of a made-up fortnight; see test/fixtures/README.md. */
const DAYS = fileURLToPath(new URL("../fixtures/review/", import.meta.url));
export const ZONE = "Europe/Berlin";
export const NOW: number = Date.parse("2026-09-26T12:00:00Z");

/** A book over a copy of the three days. */
export class ReviewedBook {
  readonly home: string = mkdtempSync(join(tmpdir(), "daybook-review-"));
  readonly files: string = join(this.home, "files");

  constructor() {
    cpSync(DAYS, this.files, { recursive: true });
  }

  get roots(): Record<string, string[]> {
    return { "claude-code": [join(this.files, "claude")], codex: [join(this.files, "codex")] };
  }

  get flags(): string[] {
    const roots = Object.entries(this.roots).flatMap(([source, [path]]) => ["--root", `${source}=${path ?? ""}`]);
    return [...roots, "--home", join(this.home, "book"), "-z", ZONE, "--quiet"];
  }

  async with<T>(use: (daybook: Daybook) => Promise<T>): Promise<T> {
    const daybook = new Daybook({ book: join(this.home, "book"), roots: this.roots, timezone: ZONE, now: NOW });
    try {
      return await use(daybook);
    } finally {
      daybook.close();
    }
  }

  /** Has an agent read one day, as the command does. */
  async review(day: string, agent: Agent, more: Partial<ReviewOptions> = {}): Promise<ReviewResult> {
    return this.with(async (daybook) =>
      reviewDay({
        digest: await inside(daybook).digest(day),
        agent,
        prompts: new Prompts(null, null),
        redactor: daybook.redactor,
        folder: reviewFolder(join(this.home, "book"), day),
        attempts: 2,
        limits: { usd: null, tokens: null },
        now: NOW,
        known: async () => inside(daybook).dayReview(day),
        keep: async (review) => inside(daybook).keepDayReview(review),
        ...more,
      }),
    );
  }

  async digest(day: string): Promise<DayDigest> {
    return this.with(async (daybook) => inside(daybook).digest(day));
  }
}

/** The name in the digest of the turn whose request or reply holds a text. */
export function turnWith({ turns }: DayDigest, text: string): string {
  const found = turns.filter(({ request, reply }) => request.includes(text) || reply.includes(text));
  if (found.length !== 1) throw new Error(`${found.length} turns hold ${text}`);
  return found[0]?.name ?? "";
}
