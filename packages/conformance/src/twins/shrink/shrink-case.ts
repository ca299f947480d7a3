import { readStatements, writeStatements } from "../sites/site-text.ts";
import type { TwinCase, TwinStep } from "../twin-case.ts";
import { shrinkList } from "./shrink-list.ts";
import { shrinkSite } from "./shrink-site.ts";
import { smallerExchanges } from "./smaller-exchanges.ts";

/** True when a smaller case still shows the difference. */
export type StillDiffers = (candidate: TwinCase) => Promise<boolean>;

/** Splits steps into steps of one exchange each, if the difference still occurs. */
async function shrinkSteps({ site, steps }: TwinCase, differs: StillDiffers): Promise<TwinCase> {
  const single = steps.flatMap((step): TwinStep[] =>
    step.reloads === true ? [step] : step.exchanges.map((exchange) => ({ exchanges: [exchange] })),
  );
  const canBeSingle = single.length > steps.length && (await differs({ site, steps: single }));
  const begin = canBeSingle ? single : steps;
  return { site, steps: await shrinkList(begin, (rest) => differs({ site, steps: rest })) };
}

async function shrinkExchanges(twinCase: TwinCase, differs: StillDiffers): Promise<TwinCase> {
  let { steps } = twinCase;
  for (const index of steps.keys()) {
    for (let one = 0; one < (steps[index]?.exchanges.length ?? 0); one++) {
      for (let hasShrunk = true; hasShrunk; ) {
        hasShrunk = false;
        const step = steps[index] as TwinStep;
        for (const smaller of smallerExchanges(step.exchanges[one] as TwinStep["exchanges"][number])) {
          const candidate = steps.with(index, { ...step, exchanges: step.exchanges.with(one, smaller) });
          if (!(await differs({ site: twinCase.site, steps: candidate }))) {
            continue;
          }
          steps = candidate;
          hasShrunk = true;
          break;
        }
      }
    }
  }
  return { site: twinCase.site, steps };
}

/**
 * Removes parts that a difference does not need, until no more can be removed or the time is over.
 * @param until end of the time, in milliseconds since 1970
 */
export async function shrinkCase(
  twinCase: TwinCase,
  stillDiffers: StillDiffers,
  until: number,
): Promise<TwinCase> {
  const differs: StillDiffers = async (candidate) => Date.now() < until && (await stillDiffers(candidate));
  const fewer = await shrinkSteps(twinCase, differs);
  const statements = await shrinkSite(readStatements(fewer.site), (rest) =>
    differs({ site: writeStatements(rest), steps: fewer.steps }),
  );
  return shrinkExchanges({ site: writeStatements(statements), steps: fewer.steps }, differs);
}
