import { describeExchange, type TwinStep } from "../twin-case.ts";

/**
 * Returns the exchanges whose description `isWanted` accepts, each in a separate step.
 * @param most limit of exchanges
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
