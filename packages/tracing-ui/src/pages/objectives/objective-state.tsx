import type { ObjectiveState } from "../../api/objective-states.ts";
import type { Objective } from "../../api/objectives.ts";

/** States in a word or two. */
const labels: Record<ObjectiveState, string> = {
  missed: "Missed",
  burning: "Burning",
  failed: "Not counted",
  counting: "Counting",
  met: "Met",
  empty: "No spans",
};

/** States in a sentence, for the tooltip. */
const meanings: Record<ObjectiveState, string> = {
  missed: "More than the error budget is used",
  burning: "An alert fires: the budget is used too fast",
  failed: "The last read of the store failed: figures are old, or absent",
  counting: "History is still being read",
  met: "Some of the error budget is left",
  empty: "No span counts in the window",
};

export function stateLabel(state: ObjectiveState): string {
  return labels[state];
}

/** The state of an objective, in colour and words. After a failed read of the store it is marked as old. */
export function StateText({ state, error }: Pick<Objective, "state" | "error">) {
  return (
    <span className={`objective-state ${state}`} title={error ?? meanings[state]}>
      {labels[state]}
      {error !== undefined && state !== "failed" && <span className="warning-text"> (old)</span>}
    </span>
  );
}
