/** Keys that lead somewhere from wherever one is: first `g`, then the place's letter. */
export const PLACE_KEYS: readonly { key: string; href: string; title: string }[] = [
  { key: "t", href: "/", title: "Today" },
  { key: "s", href: "/sessions", title: "Sessions" },
  { key: "f", href: "/search", title: "Search" },
  { key: "u", href: "/usage", title: "Usage" },
  { key: "d", href: "/decisions", title: "Decisions" },
  { key: "o", href: "/tools", title: "Tools" },
  { key: "i", href: "/files", title: "Files" },
  { key: "h", href: "/health", title: "Health" },
];

export interface KeyPress {
  key: string;
  /** Ctrl, or Cmd where that is used instead. */
  command: boolean;
  alt: boolean;
  /** Something is being typed: only what no text can be is meant for the page. */
  typing: boolean;
  /** When, in ms. */
  time: number;
}

export type KeyAction = { open: "palette" | "help" } | { go: string } | { step: 1 | -1 };

/** So long the second of two keys may take, in ms. */
const PATIENCE = 1200;

/** Understands keys one after another. */
export function keyReader(): (press: KeyPress) => KeyAction | null {
  let led = -Infinity;
  return ({ key, command, alt, typing, time }) => {
    const isSecond = time - led < PATIENCE;
    led = -Infinity;
    if (command && !alt && key.toLowerCase() === "k") return { open: "palette" };
    if (command || alt || typing) return null;
    if (isSecond) {
      const place = PLACE_KEYS.find((one) => one.key === key);
      return place ? { go: place.href } : null;
    }
    if (key === "g") led = time;
    if (key === "?") return { open: "help" };
    if (key === "/") return { go: "/search" };
    if (key === "j" || key === "k") return { step: key === "j" ? 1 : -1 };
    return null;
  };
}
