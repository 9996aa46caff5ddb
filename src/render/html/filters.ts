import type { ReportTurn } from "../../answers/report/model.ts";
import type { ShownOutcome } from "../../answers/shown-outcomes.ts";
import { shownOutcome } from "../phrases.ts";

export const OUTCOME_NAME: Record<ShownOutcome, string> = {
  completed: "done",
  unproven: "unproven",
  aborted: "stopped",
  failed: "failed",
  open: "not finished",
};

/** Outcomes of turns, in the order in which they are offered. */
export function outcomesIn(turns: readonly ReportTurn[]): ShownOutcome[] {
  const found = new Set(turns.map(shownOutcome));
  return (Object.keys(OUTCOME_NAME) as ShownOutcome[]).filter((one) => found.has(one));
}

/**
 * The document's only script; the content security policy allows it by its hash. It shows the filters, which do nothing
 * without it, hides the items they exclude, and opens the target of a link. It reads attributes that the page itself
 * wrote, and no session text.
 */
export const SCRIPT = `(() => {
  const form = document.querySelector("form.filters");
  const items = [...document.querySelectorAll(".item")];
  const open = () => {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (!target) return;
    for (let node = target; node; node = node.parentElement) {
      if (node.tagName === "DETAILS") node.open = true;
      if (node.hidden) node.hidden = false;
    }
    target.scrollIntoView();
  };
  addEventListener("hashchange", open);
  if (location.hash) open();
  if (!form) return;
  const apply = () => {
    const wanted = ["project", "agent", "outcome"].map((name) => [name, form.elements[name]?.value ?? ""]);
    let shown = 0;
    for (const item of items) {
      item.hidden = wanted.some(([name, value]) => value !== "" && !item.dataset[name].split(" ").includes(value));
      if (!item.hidden) shown++;
    }
    for (const part of document.querySelectorAll("section.project"))
      part.hidden = !part.querySelector(".item:not([hidden])");
    form.querySelector("output").textContent = shown === items.length ? "" : shown + " of " + items.length + " shown";
  };
  form.hidden = false;
  form.addEventListener("change", apply);
  form.querySelector("button").addEventListener("click", () => {
    const all = items.filter((item) => !item.hidden);
    const isOpening = all.some((item) => !item.open);
    for (const item of all) item.open = isOpening;
  });
  apply();
})();
`;
