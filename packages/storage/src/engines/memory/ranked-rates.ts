import { adjustedCount, type Span } from "wire/model";
import { durationBucket } from "../../api/duration-buckets.ts";
import {
  checkRankedRates,
  type NameCounts,
  type RankedRates,
  type RankedRatesQuery,
  ratedNames,
} from "../../api/ranked-rates.ts";

interface ListedCounts extends NameCounts {
  readonly steps: number[];
  readonly buckets: number[];
  readonly calls: number[];
  readonly errors: number[];
  readonly adjustedCounts?: number[];
}

/** Counts all names and returns one page. @throws StorageError STORAGE_BAD_QUERY */
export function rankedRates(spans: Iterable<Span>, query: RankedRatesQuery): RankedRates {
  checkRankedRates(query);
  const counts = countNames(spans, query);
  const names = [...counts.keys()].sort((one, other) => Buffer.compare(Buffer.from(one), Buffer.from(other)));
  const all = ratedNames(query, names, [...counts.values()]);
  return { matched: all.length, names: all.slice(query.offset, query.offset + query.limit) };
}

function countNames(spans: Iterable<Span>, query: RankedRatesQuery): Map<string, ListedCounts> {
  const { service, only, contains, spanKinds, startUnixMs, endUnixMs, stepMs } = query;
  const [startNano, endNano, stepNano] = [startUnixMs, endUnixMs, stepMs].map(
    (ms) => BigInt(ms) * 1_000_000n,
  ) as [bigint, bigint, bigint];
  const counts = new Map<string, ListedCounts>();
  const part = contains.toLowerCase();
  for (const span of spans) {
    const { serviceName } = span.resource;
    const name = service === undefined ? serviceName : span.name;
    if (service !== undefined && serviceName !== service) {
      continue;
    }
    if (!spanKinds.includes(span.kind) || !name.toLowerCase().includes(part)) {
      continue;
    }
    if (only !== undefined && !only.includes(name)) {
      continue;
    }
    if (span.startTimeUnixNano < startNano || span.startTimeUnixNano >= endNano) {
      continue;
    }
    let own = counts.get(name);
    if (own === undefined) {
      const adjusted = query.adjusted === true ? { adjustedCounts: [] } : {};
      own = { name, steps: [], buckets: [], calls: [], errors: [], ...adjusted };
      counts.set(name, own);
    }
    own.steps.push(Number((span.startTimeUnixNano - startNano) / stepNano));
    own.buckets.push(durationBucket(span.durationNano));
    own.calls.push(1);
    own.errors.push(span.status.code === "error" ? 1 : 0);
    own.adjustedCounts?.push(adjustedCount(span));
  }
  return counts;
}
