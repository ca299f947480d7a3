import type { Pipeline } from "traceql";

/** Whether a pipeline makes one set of one. */
export function leavesOneSet({ stages }: Pipeline): boolean {
  return stages.reduce((isOneSet, stage) => {
    if (stage.type === "group") {
      return false;
    }
    if (stage.type === "coalesce") {
      return true;
    }
    return isOneSet && (stage.type !== "pipeline" || leavesOneSet(stage));
  }, true);
}
