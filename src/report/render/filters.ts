import type { DayReport } from "../model.ts";
import { markup, type Markup } from "./markup.ts";
import { shownOutcome, type ShownOutcome } from "./phrases.ts";

export const OUTCOME_NAME: Record<ShownOutcome, string> = {
  completed: "completed",
  unproven: "without success",
  aborted: "stopped",
  failed: "failed",
  open: "not finished",
};

/**
 * The page's only script; the content security policy allows it by its hash. It shows the filters, which do nothing
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

/** The choices of projects, agents and outcomes; null when there is nothing to choose. */
export function filters({ projects }: DayReport): Markup | null {
  const turns = projects.flatMap((project) => project.turns);
  if (turns.length < 2) return null;
  const agents = [...new Set(turns.map(({ source }) => source))].toSorted();
  const outcomes = (Object.keys(OUTCOME_NAME) as ShownOutcome[]).filter((one) =>
    turns.some((turn) => shownOutcome(turn) === one),
  );
  const choices = [
    choice(
      "project",
      `all ${projects.length} projects`,
      projects.map(({ project }, i) => [String(i), project]),
    ),
    choice(
      "agent",
      `all ${agents.length} agents`,
      agents.map((agent) => [agent, agent]),
    ),
    choice(
      "outcome",
      "any outcome",
      outcomes.map((outcome) => [outcome, OUTCOME_NAME[outcome]]),
    ),
  ];
  return markup`<form class="filters" hidden aria-label="Filter">${choices}<button type="button">open or close all</button> <output></output></form> `;
}

function choice(name: string, all: string, options: readonly (readonly [string, string])[]): Markup | null {
  if (options.length < 2) return null;
  const list = options.map(([value, text]) => markup`<option value="${value}">${text.slice(0, 60)}</option>`);
  return markup`<select name="${name}" aria-label="${name}"><option value="">${all}</option>${list}</select> `;
}
