/** The time that Cursor puts before a prompt, for the model to read: `Tuesday, Jul 21, 2026, 6:57 PM (UTC+8)`. */
import { zonedTime } from "../../base/io/instant.ts";

const WRITTEN =
  /^\s*(?:[A-Za-z]+, )?([A-Z][a-z]{2})[a-z]* (\d{1,2}), (\d{4}), (\d{1,2}):(\d{2})\s*([AP])M \(UTC(?:([+-])(\d{1,2})(?::?(\d{2}))?)?\)\s*$/;
const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/** Epoch ms; null for anything without a time of day and a zone. */
export function clockIn(text: string): number | null {
  const found = WRITTEN.exec(text);
  if (!found) return zonedTime(text);
  const [, month = "", day, year, hour, minute, half, sign, zone = "0", part = "0"] = found;
  const at = MONTHS.indexOf(month);
  if (at < 0) return null;
  const hours = (Number(hour) % 12) + (half === "P" ? 12 : 0);
  const offset = (Number(zone) * 60 + Number(part)) * (sign === "-" ? -1 : 1);
  return Date.UTC(Number(year), at, Number(day), hours, Number(minute)) - offset * 60_000;
}
