import { totalTokens } from "../record/tokens.ts";
import { plain } from "../base/text/inert.ts";
import type { TurnEvidence } from "./turn-evidence.ts";

/** What Daybook knows about a turn, as a text for the agent that writes about it: numbers it may use. */
export function turnFactsText(turn: TurnEvidence): string {
  const { view, commits, calls } = turn;
  const said = [
    `${turn.turn_ref}: lines ${turn.start}-${turn.end}, request on line ${turn.trigger_lines.join(" and ")}`,
  ];
  if (view) {
    const { tools, usage, outcome, duration_ms: ms } = view;
    said.push(`ended ${outcome}`, `${tools.total} calls, ${tools.ok} ok, ${tools.failed} failed`);
    said.push(
      `${new Set((view.files ?? []).map(({ path }) => path)).size} files changed`,
      `${totalTokens(usage)} tokens`,
    );
    if (usage.cost_usd !== null) said.push(`$${usage.cost_usd.toFixed(2)}`);
    if (ms !== null) said.push(`${Math.round(ms / 1000)} s`);
  }
  for (const { hash, line } of commits) said.push(`commit ${hash ?? "without a known hash"} on line ${line}`);
  for (const { check, end_line } of calls)
    if (check?.isLast === true) said.push(`last ${check.kind} on line ${end_line}: ${check.result}`);
  for (const { ref, role, start, end } of turn.agents)
    said.push(`sub-agent ${ref}${role === null ? "" : ` (${role})`}, lines ${ref}:${start}-${end}`);
  return plain(`- ${said.join("; ")}`);
}
