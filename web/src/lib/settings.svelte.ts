import { setCurrency } from "./format.ts";

export interface Settings {
  theme: "system" | "light" | "dark";
  density: "comfortable" | "compact";
  /** Another currency than dollars, and what a dollar is worth in it. */
  currency: string;
  rate: number;
  /** What Resume does. A terminal is opened only if the settings of this machine name one. */
  resume: "copy" | "open";
  /** Days that Usage shows at first. */
  span: "7" | "28" | "90" | "365";
}

const DEFAULTS: Settings = {
  theme: "system",
  density: "comfortable",
  currency: "",
  rate: 1,
  resume: "copy",
  span: "28",
};
const KEY = "daybook-settings";

/** How the reader wants the page, kept by this browser. */
export const settings: Settings = $state(read());

function read(): Settings {
  try {
    return { ...DEFAULTS, ...(JSON.parse(localStorage.getItem(KEY) ?? "{}") as Partial<Settings>) };
  } catch {
    // No storage: while the frame of the page is built, or because the reader forbids it.
    return { ...DEFAULTS };
  }
}

export function changeSettings(wanted: Partial<Settings>): void {
  Object.assign(settings, wanted);
  try {
    localStorage.setItem(KEY, JSON.stringify(settings));
  } catch {
    // They hold until the page is closed.
  }
  applySettings();
}

/** Called once before anything is drawn. */
export function applySettings(): void {
  const { dataset } = document.documentElement;
  dataset["theme"] = settings.theme;
  dataset["density"] = settings.density;
  setCurrency(settings.currency.trim(), settings.rate);
}
