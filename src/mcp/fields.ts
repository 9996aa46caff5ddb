import { z } from "zod";

type Text = z.ZodOptional<z.ZodString>;

/** Parameters of several tools. Kept short: every model reads every word before it is asked anything. */

export const project: Text = z.string().max(500).optional().describe("name or directory; `.` is the caller's");
export const session: Text = z.string().max(1000).optional().describe("id or its beginning");
export const since: Text = z.string().max(40).optional().describe("2026-05-12, yesterday, 7d");
export const until: Text = z.string().max(40).optional().describe("inclusive");
export const label: z.ZodOptional<z.ZodArray<z.ZodString>> = z
  .array(z.string().max(600))
  .max(10)
  .optional()
  .describe("KEY or KEY=VALUE the user put on it");
export const starred: z.ZodOptional<z.ZodBoolean> = z.boolean().optional();
export const cursor: Text = z.string().max(40).optional().describe("from the page before");
