// A separate file without requests, because the URL schema, which every page loads, needs only these names.

/**
 * States of an objective, the worst first:
 * - `missed`: more than the error budget is used
 * - `burning`: an alert fires
 * - `failed`: the last read of the store failed
 * - `counting`: the history of the window is still being read
 * - `met`: some of the error budget is left
 * - `empty`: no matching spans
 */
export const objectiveStates = ["missed", "burning", "failed", "counting", "met", "empty"] as const;
export type ObjectiveState = (typeof objectiveStates)[number];

/** Sort orders of the list: worst state first, names from a to z, least budget first. */
export const objectiveOrders = ["state", "name", "budget"] as const;
