import type Play from "@lucide/svelte/icons/play";

/** An icon of the kept library. Each is imported by itself, so that a page loads only those it shows. */
export type IconComponent = typeof Play;
