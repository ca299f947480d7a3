import { signatureOf, type TwinDifference } from "./compare/compare-observations.ts";
import type { TwinComparison } from "./compare/twin-comparison.ts";
import type { TwinCase } from "./twin-case.ts";

/** A difference that is not there so many times in a row is a matter of chance. */
const times = 3;

/** The smaller cases that may show a difference as well, the smallest first. */
function* casesWith({ site, steps }: TwinCase, exchange: number | undefined): Generator<TwinCase> {
  if (exchange === undefined) {
    if (steps.length > 0) yield { site, steps };
    return;
  }
  let first = 0;
  for (const step of steps) {
    const only = step.exchanges[exchange - first];
    if (only !== undefined && exchange >= first) {
      yield { site, steps: [{ exchanges: [only] }] };
      if (step.exchanges.length > 1 || step.reloads === true) yield { site, steps: [step] };
    }
    first += step.exchanges.length;
  }
  if (steps.length > 1) yield { site, steps };
}

/** Whether a case shows a kind of difference. */
export async function shows(
  comparison: TwinComparison,
  twinCase: TwinCase,
  signature: string,
): Promise<boolean> {
  const { unknown } =
    twinCase.steps.length === 0 ? await comparison.verdicts(twinCase.site) : await comparison.run(twinCase);
  return unknown.some((each) => signatureOf(each) === signature);
}

/**
 * Runs the exchange of a difference alone, then what was around it.
 * @returns the smallest case that shows the difference each time; undefined when none does
 */
export async function confirmDifference(
  comparison: TwinComparison,
  twinCase: TwinCase,
  difference: TwinDifference,
): Promise<TwinCase | undefined> {
  // What is said of a text has no chance in it.
  if (difference.path === "adapt" || difference.path === "load") return { site: twinCase.site, steps: [] };
  const signature = signatureOf(difference);
  for (const candidate of casesWith(twinCase, difference.exchange)) {
    let seen = 0;
    while (seen < times && (await shows(comparison, candidate, signature))) seen++;
    if (seen === times) return candidate;
  }
  return undefined;
}
