import { signatureOf, type TwinDifference } from "./compare/compare-observations.ts";
import type { TwinComparison } from "./compare/twin-comparison.ts";
import type { TwinCase } from "./twin-case.ts";

/** A difference counts as chance when it is absent this many times in a row. */
const times = 3;

/** The exchange alone, then the step with the exchange. */
function* smallCases({ site, steps }: TwinCase, exchange: number): Generator<TwinCase> {
  let first = 0;
  for (const step of steps) {
    const only = step.exchanges[exchange - first];
    if (only !== undefined && exchange >= first) {
      yield { site, steps: [{ exchanges: [only] }] };
      if (step.exchanges.length > 1 || step.reloads === true) {
        yield { site, steps: [step] };
      }
    }
    first += step.exchanges.length;
  }
}

/** True when a case shows a kind of difference. */
export async function shows(
  comparison: TwinComparison,
  twinCase: TwinCase,
  signature: string,
): Promise<boolean> {
  const { unknown } =
    twinCase.steps.length === 0 ? await comparison.verdicts(twinCase.site) : await comparison.run(twinCase);
  return unknown.some((each) => signatureOf(each) === signature);
}

/** Checks if the differences of a case occur each time. */
export class CaseConfirmation {
  readonly #comparison: TwinComparison;
  readonly #twinCase: TwinCase;
  /** The differences of each run of the whole case. */
  readonly #whole: (readonly TwinDifference[])[] = [];

  constructor(comparison: TwinComparison, twinCase: TwinCase) {
    this.#comparison = comparison;
    this.#twinCase = twinCase;
  }

  /**
   * Runs the exchange of a difference alone, then with its surroundings.
   * @returns the smallest case that shows the difference each time; undefined when no case does
   */
  async confirm(difference: TwinDifference): Promise<TwinCase | undefined> {
    const { exchange, path } = difference;
    // Adapting and loading a text is deterministic.
    if (path === "adapt" || path === "load") {
      return { site: this.#twinCase.site, steps: [] };
    }
    const signature = signatureOf(difference);
    for (const candidate of exchange === undefined ? [] : smallCases(this.#twinCase, exchange)) {
      let seen = 0;
      while (seen < times && (await shows(this.#comparison, candidate, signature))) {
        seen++;
      }
      if (seen === times) {
        return candidate;
      }
    }
    for (let run = 0; run < times; run++) {
      this.#whole[run] ??= (await this.#comparison.run(this.#twinCase)).unknown;
      const isSeen = this.#whole[run]?.some(
        (each) => each.exchange === exchange && signatureOf(each) === signature,
      );
      if (isSeen !== true) {
        return undefined;
      }
    }
    return this.#twinCase;
  }
}
