import { lengthNano, type Span } from "wire/model";
import type {
  ComparedAttribute,
  ComparedOperation,
  Population,
  PopulationComparison,
  PopulationComparisonQuery,
  PopulationSums,
} from "../../api/analysis-reader.ts";
import { durationBucket } from "../../api/duration-buckets.ts";
import {
  checkPopulations,
  isInSample,
  rankedAttributes,
  rankedOperations,
  stripesOf,
  timeOfPopulation,
} from "../../api/population-comparison.ts";
import { distinctAttributes } from "./distinct-attributes.ts";
import { spansOfSelection } from "./traceql/spans-of-selection.ts";

/** Compares two populations by looking at every stored span. */
export function comparePopulations(
  traces: readonly (readonly Span[])[],
  query: PopulationComparisonQuery,
): PopulationComparison {
  const maxSpans = checkPopulations(query);
  const inA = spansOfSelection(traces, query.a);
  const spansA = [...inA];
  const spansB = [...spansOfSelection(traces, query.b)].filter((span) => !inA.has(span));
  const all = { a: populationOf(spansA), b: populationOf(spansB) };
  const sampleOf = (spans: readonly Span[], side: "a" | "b") => {
    const stripes = stripesOf(timeOfPopulation(query[side]), spans.length, maxSpans);
    return spans.filter(({ startTimeUnixNano }) => isInSample(startTimeUnixNano, stripes));
  };
  const [sampleA, sampleB] = [sampleOf(spansA, "a"), sampleOf(spansB, "b")];
  const sample = { a: sumsOf(sampleA), b: sumsOf(sampleB) };
  return {
    ...all,
    operations: rankedOperations(operationsOf(spansA, spansB), all, query.limit),
    sample,
    attributes: rankedAttributes(attributesOf(sampleA, sampleB), sample, query.limit),
  };
}

function sumsOf(spans: readonly Span[]): PopulationSums {
  return {
    spans: spans.length,
    errors: spans.filter(({ status }) => status.code === "error").length,
    durationNano: spans.reduce((sum, span) => sum + Number(lengthNano(span)), 0),
  };
}

function populationOf(spans: readonly Span[]): Population {
  const buckets = new Map<number, number>();
  let longestNano = 0;
  for (const { durationNano } of spans) {
    const bucket = durationBucket(durationNano);
    buckets.set(bucket, (buckets.get(bucket) ?? 0) + 1);
    longestNano = Math.max(longestNano, Number(durationNano));
  }
  return { ...sumsOf(spans), buckets: [...buckets].sort(([one], [other]) => one - other), longestNano };
}

function operationsOf(spansA: readonly Span[], spansB: readonly Span[]): ComparedOperation[] {
  const keyOf = ({ resource, name, kind }: Span) => JSON.stringify([resource.serviceName, name, kind]);
  const [ofA, ofB] = [Map.groupBy(spansA, keyOf), Map.groupBy(spansB, keyOf)];
  return [...new Set([...ofA.keys(), ...ofB.keys()])].map((key) => {
    const [a = [], b = []] = [ofA.get(key), ofB.get(key)];
    const [service, operation, spanKind] = JSON.parse(key) as [string, string, Span["kind"]];
    return { ...{ service, operation, spanKind }, a: populationOf(a), b: populationOf(b) };
  });
}

function attributesOf(sampleA: readonly Span[], sampleB: readonly Span[]): ComparedAttribute[] {
  const found = new Map<
    string,
    { place: "span" | "resource"; key: string; value: string; a: Span[]; b: Span[] }
  >();
  for (const [side, spans] of [
    ["a", sampleA],
    ["b", sampleB],
  ] as const) {
    for (const span of spans) {
      for (const attribute of distinctAttributes(span)) {
        const id = JSON.stringify([attribute.place, attribute.key, attribute.value]);
        const one = found.get(id) ?? { ...attribute, a: [], b: [] };
        found.set(id, one);
        one[side].push(span);
      }
    }
  }
  return [...found.values()].map(({ a, b, ...attribute }) => ({ ...attribute, a: sumsOf(a), b: sumsOf(b) }));
}
