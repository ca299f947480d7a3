import type { Condition } from "../cluster/kube-object.ts";
import type { WantedCondition } from "../translate/conditions.ts";

/** Maximum number of characters of a message, as the API server allows. */
const maxMessageLength = 32_768;

/**
 * Conditions for a status. A condition whose status is unchanged keeps its time. Conditions of other controllers
 * remain.
 * @param before conditions of the present status. @param owned types that are removed when they are not wanted
 */
export function conditionList(
  before: readonly Condition[],
  wanted: readonly WantedCondition[],
  generation: number,
  owned: readonly string[] = [],
): Condition[] {
  const kept = before.filter(
    ({ type }) => !owned.includes(type) && !wanted.some((condition) => condition.type === type),
  );
  const own = wanted.map((condition): Condition => {
    const known = before.find(({ type }) => type === condition.type);
    const isSame = known?.status === condition.status;
    return {
      ...condition,
      message: condition.message.slice(0, maxMessageLength),
      observedGeneration: generation,
      lastTransitionTime: isSame
        ? known.lastTransitionTime
        : new Date().toISOString().replace(/\.\d+Z$/, "Z"),
    };
  });
  return [...kept, ...own];
}
