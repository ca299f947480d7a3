import { formatCount } from "ui-kit/format/format-count.ts";
import type { SiblingRun } from "../../../trace/sibling-runs.ts";

/** The number of spans in a run, as text. @param what name for the spans when each repeat is a single span */
export function runText(
  { count, period }: Pick<SiblingRun, "count" | "period">,
  what = "like spans",
): string {
  return period === 1 ? `${formatCount(count)} ${what}` : `${formatCount(count)} repeats of ${period} spans`;
}

/** Operations of a repeat, in their order. */
export function runOperations({ operations }: Pick<SiblingRun, "operations">): string {
  return operations.join(" · ");
}
