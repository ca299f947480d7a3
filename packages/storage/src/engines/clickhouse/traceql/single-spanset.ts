import type { Pipeline } from "traceql";

/** True when a pipeline turns one spanset into at most one spanset. */
export function yieldsSingleSpanset({ stages }: Pipeline): boolean {
  return stages.reduce((isOneSet, stage) => {
    if (stage.type === "group") {
      return false;
    }
    if (stage.type === "coalesce") {
      return true;
    }
    return isOneSet && (stage.type !== "pipeline" || yieldsSingleSpanset(stage));
  }, true);
}
