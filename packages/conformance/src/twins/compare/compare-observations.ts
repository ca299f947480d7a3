import { describeExchange, type Facts, type Observation, type TwinCase } from "../twin-case.ts";
import { plainFacts } from "./plain-facts.ts";

/** A fact that differs between the two servers. */
export interface TwinDifference {
  /** Number of the exchange; undefined for the site as a whole. */
  readonly exchange: number | undefined;
  /** The exchange in words, or `site`. */
  readonly request: string;
  readonly path: string;
  /** Undefined when that side has no such fact. */
  readonly theirs: string | undefined;
  readonly ours: string | undefined;
  /** All facts of the exchange, including equal ones; absent when there are no others. */
  readonly around?: { readonly theirs: Facts; readonly ours: Facts };
}

function* factDifferences(
  exchange: number | undefined,
  request: string,
  theirs: Facts,
  ours: Facts,
): Generator<TwinDifference> {
  const [their, our] = [plainFacts(theirs), plainFacts(ours)];
  const around = { theirs: their, ours: our };
  for (const path of new Set([...Object.keys(their), ...Object.keys(our)])) {
    if (their[path] !== our[path]) {
      yield { exchange, request, path, theirs: their[path], ours: our[path], around };
    }
  }
}

/** All differences between the behavior of two servers. */
export function compareObservations(
  twinCase: TwinCase,
  theirs: Observation,
  ours: Observation,
): TwinDifference[] {
  const exchanges = twinCase.steps.flatMap((step) =>
    step.exchanges.map((each) => describeExchange(each, step.reloads)),
  );
  const count = Math.max(theirs.exchanges.length, ours.exchanges.length);
  const differences = Array.from({ length: count }, (_, index) => {
    const request = exchanges[index] ?? "";
    return [...factDifferences(index, request, theirs.exchanges[index] ?? {}, ours.exchanges[index] ?? {})];
  });
  return [...differences.flat(), ...factDifferences(undefined, "site", theirs.site, ours.site)];
}

/** Identifies the kind of a difference by its path and its short values. */
export function signatureOf({ path, theirs, ours }: TwinDifference): string {
  const short = (value: string | undefined) =>
    value === undefined ? "none" : value.length > 40 ? "long" : value.replace(/\d{4,}/g, "N");
  // Labels of a metric are cut off, because they contain texts from the site.
  if (path.startsWith("metric ")) {
    return path.split(" ", 2).join(" ");
  }
  const place = path.replace(/\d+/g, "N");
  const isText = /body|field\.|log|log /.test(place);
  return isText
    ? `${place} (${theirs === undefined ? "none" : "some"}/${ours === undefined ? "none" : "some"})`
    : `${place}: ${short(theirs)} / ${short(ours)}`;
}
