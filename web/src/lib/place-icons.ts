import CalendarDays from "@lucide/svelte/icons/calendar-days";
import ChartColumn from "@lucide/svelte/icons/chart-column";
import FileText from "@lucide/svelte/icons/file-text";
import HeartPulse from "@lucide/svelte/icons/heart-pulse";
import MessageSquare from "@lucide/svelte/icons/message-square";
import Search from "@lucide/svelte/icons/search";
import Split from "@lucide/svelte/icons/split";
import Wrench from "@lucide/svelte/icons/wrench";
import type { IconComponent } from "./icons.ts";

/** One icon per page, by its address. */
export const PLACE_ICONS: Readonly<Record<string, IconComponent>> = {
  "/": CalendarDays,
  "/sessions": MessageSquare,
  "/search": Search,
  "/usage": ChartColumn,
  "/decisions": Split,
  "/tools": Wrench,
  "/files": FileText,
  "/health": HeartPulse,
};
