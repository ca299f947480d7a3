import { readStatements, smallerTexts, writeStatements } from "../sites/site-text.ts";
import type { TwinCase, TwinStep } from "../twin-case.ts";
import { smallerExchanges } from "./smaller-exchanges.ts";

/** Whether a smaller case still shows the difference. */
export type StillDiffers = (candidate: TwinCase) => Promise<boolean>;

/** Cases with fewer steps: each alone first, then without each. */
function* fewerSteps({ site, steps }: TwinCase): Generator<TwinCase> {
  const all = steps.flatMap(({ exchanges, reloads }): TwinStep[] =>
    reloads === true ? [{ exchanges, reloads }] : exchanges.map((exchange) => ({ exchanges: [exchange] })),
  );
  if (all.length > 1) for (const step of all) yield { site, steps: [step] };
  if (steps.length > 1) {
    for (const half of [steps.slice(0, steps.length >> 1), steps.slice(steps.length >> 1)])
      yield { site, steps: half };
    for (const index of steps.keys()) yield { site, steps: steps.toSpliced(index, 1) };
  }
  for (const [index, { exchanges, reloads }] of steps.entries()) {
    if (reloads === true) yield { site, steps: steps.with(index, { exchanges }) };
    if (exchanges.length > 1) {
      for (const one of exchanges.keys()) {
        yield { site, steps: steps.with(index, { exchanges: exchanges.toSpliced(one, 1) }) };
      }
    }
  }
}

function* smallerSites({ site, steps }: TwinCase): Generator<TwinCase> {
  for (const smaller of smallerTexts(readStatements(site))) yield { site: writeStatements(smaller), steps };
}

function* simplerExchanges({ site, steps }: TwinCase): Generator<TwinCase> {
  for (const [index, step] of steps.entries()) {
    for (const [one, exchange] of step.exchanges.entries()) {
      for (const smaller of smallerExchanges(exchange)) {
        yield { site, steps: steps.with(index, { ...step, exchanges: step.exchanges.with(one, smaller) }) };
      }
    }
  }
}

/**
 * Takes away what a difference does not need, until nothing more can go or the time is over.
 * @param until in milliseconds since 1970
 */
export async function shrinkCase(
  twinCase: TwinCase,
  stillDiffers: StillDiffers,
  until: number,
): Promise<TwinCase> {
  let smallest = twinCase;
  for (const candidates of [fewerSteps, smallerSites, simplerExchanges, smallerSites]) {
    for (let hasShrunk = true; hasShrunk && Date.now() < until; ) {
      hasShrunk = false;
      for (const candidate of candidates(smallest)) {
        if (Date.now() >= until) break;
        if (await stillDiffers(candidate)) {
          smallest = candidate;
          hasShrunk = true;
          break;
        }
      }
    }
  }
  return smallest;
}
