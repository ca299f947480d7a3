import type { ChaosCase } from "../chaos-case.ts";
import { type PairName, pairNames } from "../chaos-processes.ts";
import type { LinkState } from "../fault-link.ts";

const meanings: Readonly<Record<Exclude<LinkState, "open">, string>> = {
  cut: "connections are reset, and new ones too",
  silent: "nothing passes, and nobody is told",
  slow: "each piece of at most 64 KiB takes 150 ms longer",
};

function linkCase(state: Exclude<LinkState, "open">, pair: PairName): ChaosCase {
  return {
    name: `${state}/${pair}`,
    meaning: `between ${pair.replace("-", " and ")} ${meanings[state]}`,
    isShort: state === "cut",
    harm: async ({ backend }) => backend.setLinks(pair, state),
    mend: async ({ backend }) => backend.setLinks(pair, "open"),
  };
}

/** Each pair of processes: cut, silent, and slow. */
export const linkCases: readonly ChaosCase[] = (["cut", "silent", "slow"] as const).flatMap((state) =>
  pairNames.map((pair) => linkCase(state, pair)),
);
