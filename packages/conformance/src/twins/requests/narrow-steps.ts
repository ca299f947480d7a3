import { describeExchange, type TwinStep } from "../twin-case.ts";

/**
 * Keeps the exchanges that are wanted, by their words, in steps of their own.
 * @param most of them at most
 */
export function narrowSteps(
  steps: readonly TwinStep[],
  isWanted: (words: string) => boolean,
  most: number,
): TwinStep[] {
  return steps
    .flatMap(({ exchanges, reloads }) =>
      exchanges
        .filter((each) => isWanted(describeExchange(each, reloads)))
        .map((each) => (reloads === true ? { exchanges: [each], reloads } : { exchanges: [each] })),
    )
    .slice(0, most);
}
