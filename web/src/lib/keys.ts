/** Two-key shortcuts to pages: `g`, then the letter of the page. `words`: what else the page is looked for by. */
export const PLACE_KEYS: readonly { key: string; href: string; title: string; words: string }[] = [
  { key: "t", href: "/", title: "Today", words: "day report waiting left open" },
  { key: "s", href: "/sessions", title: "Sessions", words: "conversations transcripts list" },
  { key: "f", href: "/search", title: "Search", words: "find" },
  { key: "u", href: "/usage", title: "Usage", words: "cost money tokens models compare spans" },
  { key: "d", href: "/decisions", title: "Decisions", words: "questions answers" },
  { key: "o", href: "/tools", title: "Tools", words: "calls commands failed errors risky denied" },
  { key: "i", href: "/files", title: "Files", words: "changed diff" },
  { key: "h", href: "/health", title: "Health", words: "where daybook looks sync problems" },
];

export interface KeyPress {
  key: string;
  /** Ctrl or Cmd is held. */
  command: boolean;
  alt: boolean;
  /** A text field has the focus: only key combinations that enter no text are shortcuts. */
  typing: boolean;
  /** Time of the event, in ms. */
  time: number;
}

export type KeyAction = { open: "palette" | "help" | "settings" } | { go: string } | { step: 1 | -1 };

/** How long to wait for the second of two keys, in ms. */
const SEQUENCE_TIMEOUT = 1200;

/** Returns a function that turns key presses into actions. It remembers a `g` for the key after it. */
export function keyReader(): (press: KeyPress) => KeyAction | null {
  let prefixTime = -Infinity;
  return ({ key, command, alt, typing, time }) => {
    const isSecond = time - prefixTime < SEQUENCE_TIMEOUT;
    prefixTime = -Infinity;
    if (command && !alt && key.toLowerCase() === "k") return { open: "palette" };
    if (command || alt || typing) return null;
    if (isSecond) {
      const place = PLACE_KEYS.find((one) => one.key === key);
      return place ? { go: place.href } : null;
    }
    if (key === "g") prefixTime = time;
    if (key === "?") return { open: "help" };
    if (key === ",") return { open: "settings" };
    if (key === "/") return { go: "/search" };
    if (key === "j" || key === "k") return { step: key === "j" ? 1 : -1 };
    return null;
  };
}
