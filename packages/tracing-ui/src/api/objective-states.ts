// Apart from the questions: the address of the page, which every page loads, needs these alone.

/**
 * States of an objective, the worst first:
 * - `missed`: more than the error budget is used
 * - `burning`: an alert fires
 * - `failed`: the last read of the store failed
 * - `counting`: the window's history is still being read
 * - `met`: some of the budget is left
 * - `empty`: no span counts
 */
export const objectiveStates = ["missed", "burning", "failed", "counting", "met", "empty"] as const;
/** State of an objective. */
export type ObjectiveState = (typeof objectiveStates)[number];

/** Orders of the list: worst state first, names from a to z, least budget first. */
export const objectiveOrders = ["state", "name", "budget"] as const;
