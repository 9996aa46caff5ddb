import CornerUpRight from "@lucide/svelte/icons/corner-up-right";
import Download from "@lucide/svelte/icons/download";
import FileText from "@lucide/svelte/icons/file-text";
import Pencil from "@lucide/svelte/icons/pencil";
import Play from "@lucide/svelte/icons/play";
import Share from "@lucide/svelte/icons/share-2";
import Tag from "@lucide/svelte/icons/tag";
import type { MenuItem } from "../components/Menu.svelte";
import { act, exportHref, resume, type Subject } from "./acting.svelte.ts";

/** The keys that act on what is read or on the row with the focus. */
export const DEED_KEYS: Readonly<Record<string, { does: string; act: (on: Subject) => void }>> = {
  r: { does: "resume: copy the agent's command", act: (on) => void resume(on) },
  a: { does: "hand off to another agent", act: (on) => act("handoff", on) },
  s: { does: "share", act: (on) => act("share", on) },
  l: { does: "label", act: (on) => act("label", on) },
  n: { does: "note", act: (on) => act("note", on) },
};

/** What can be done with a session or request, as menus and the palette offer it. */
export function deedsFor(on: Subject): MenuItem[] {
  return [
    { text: "Resume", icon: Play, key: "r", act: () => void resume(on) },
    { text: "Hand off…", icon: CornerUpRight, key: "a", act: () => act("handoff", on) },
    { text: "Share…", icon: Share, key: "s", act: () => act("share", on) },
    ...lesserDeedsFor(on),
  ];
}

/** Without those that have a button of their own where there is room. */
export function lesserDeedsFor(on: Subject): MenuItem[] {
  return [
    { text: "Label…", icon: Tag, key: "l", act: () => act("label", on) },
    { text: "Note…", icon: Pencil, key: "n", act: () => act("note", on) },
    { text: "Export as HTML", icon: Download, href: exportHref(on, "html") },
    { text: "Export as Markdown", icon: FileText, href: exportHref(on, "markdown") },
    { text: "Export as log (JSONL)", icon: FileText, href: exportHref(on, "jsonl") },
  ];
}
