// Apart from the questions: the address of the page, which every page loads, needs these alone.

/** States of an objective, the worst first. */
export const objectiveStates = ["missed", "burning", "failed", "counting", "met", "empty"] as const;
/** State of an objective. */
export type ObjectiveState = (typeof objectiveStates)[number];

/** Orders of the list: worst state first, names from a to z, least budget first. */
export const objectiveOrders = ["state", "name", "budget"] as const;
