export interface Notice {
  text: string;
  /** Shown as code below it. */
  code?: string;
  tone?: "bad";
  undo?: () => void;
}

/** The newest notice, at the bottom of the page for some seconds. */
export const notices: { newest: Notice | null } = $state({ newest: null });

/** Time to read one, in ms. */
const SHOWN = 8000;
let timer: ReturnType<typeof setTimeout> | undefined;

export function say(text: string, more: Omit<Notice, "text"> = {}): void {
  notices.newest = { text, ...more };
  keep();
}

/** Shown from now on as long as a new one: the reader points at it. */
export function keep(): void {
  clearTimeout(timer);
  timer = setTimeout(dismiss, SHOWN);
}

export function dismiss(): void {
  clearTimeout(timer);
  notices.newest = null;
}
