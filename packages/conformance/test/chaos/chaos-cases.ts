import { clockCases } from "./cases/clock-cases.ts";
import { damageCases } from "./cases/damage-cases.ts";
import { diskCases } from "./cases/disk-cases.ts";
import { linkCases } from "./cases/link-cases.ts";
import { loadCases } from "./cases/load-cases.ts";
import { processCases } from "./cases/process-cases.ts";
import { restartCases } from "./cases/restart-cases.ts";
import { upgradeCases } from "./cases/upgrade-cases.ts";
import type { ChaosCase } from "./chaos-case.ts";

/** All cases, in the order in which they run. */
export const chaosCases: readonly ChaosCase[] = [
  ...processCases,
  ...linkCases,
  ...restartCases,
  ...diskCases,
  ...damageCases,
  ...clockCases,
  ...loadCases,
  ...upgradeCases,
];

/**
 * Cases whose names begin with one of these texts; all cases when there are no texts. @throws Error for a text with
 * which no name begins
 */
export function casesNamed<Case extends { readonly name: string }>(
  beginnings: readonly string[],
  cases: readonly Case[],
): readonly Case[] {
  for (const beginning of beginnings) {
    if (!cases.some(({ name }) => name.startsWith(beginning))) {
      throw new Error(`no case begins with "${beginning}"`);
    }
  }
  if (beginnings.length === 0) {
    return cases;
  }
  return cases.filter(({ name }) => beginnings.some((beginning) => name.startsWith(beginning)));
}
