import type {
  AttributeComparison,
  AttributeComparisonQuery,
  AttributeDifference,
  TimeRange,
} from "../../api/analysis-reader.ts";
import { rankedDifferences } from "../../api/attribute-differences.ts";
import { checkComparison } from "../../api/checked-analysis.ts";
import { type ComparedSide, comparisonSql, type NewestSpans, newestComparedSql } from "./comparison-sql.ts";
import type { SqlQuery } from "./search-sql.ts";
import { type TimeSlice, timeSlices } from "./time-slices.ts";

const firstSliceNano = 900_000_000_000n;

/**
 * Number of spans to read when the first slice does not contain enough matching spans. With this number, shares are
 * accurate to 1 %. Reading more spans would be slow, because each granule contains few matching spans.
 * @param maxSpans maximum number of spans of a side
 */
function enoughSpans(maxSpans: number): number {
  return Math.min(maxSpans, Math.max(1_000, Math.floor(maxSpans / 10)));
}

type Row = Omit<AttributeDifference, "place"> & {
  readonly place: AttributeDifference["place"] | "total";
};

/** Access to the store of one tenant for a comparison. */
interface ComparedStore {
  /** Runs a SELECT. */
  readonly rowsOf: <Row>(sql: SqlQuery) => Promise<Row[]>;
  readonly database: string;
  readonly tenant: string;
  /** True when spans of the time range may be stored more than once. */
  readonly areRepeatedIn: (range: Partial<TimeRange>) => Promise<boolean>;
}

/**
 * Compares the newest spans of both sides: `maxSpans` of each side, or a tenth of `maxSpans` in a range of more than 15
 * minutes. The start of the newest spans is found first, slice by slice, because this search reads only start times.
 * Sorting spans with all their attributes takes twice as long.
 */
export async function compareAttributes(
  query: AttributeComparisonQuery,
  { rowsOf, database, tenant, areRepeatedIn }: ComparedStore,
): Promise<AttributeComparison> {
  const maxSpans = checkComparison(query);
  const wanted: Record<ComparedSide, number> = { selected: maxSpans, others: maxSpans };
  let mayLeave = maxSpans - enoughSpans(maxSpans);
  const starts = new Map<ComparedSide, bigint>();
  const range = rangeOf(query);
  const areRepeated = await areRepeatedIn({
    ...(range.startTimeMinUnixNano === undefined ? {} : { startUnixNano: range.startTimeMinUnixNano }),
    ...(range.startTimeMaxUnixNano === undefined ? {} : { endUnixNano: range.startTimeMaxUnixNano }),
  });
  const source = { database, tenant, areRepeated };
  for (const slice of timeSlices(range, BigInt(Date.now()) * 1_000_000n, firstSliceNano)) {
    const newest = await rowsOf<NewestSpans>(newestComparedSql(query, slice, wanted, source));
    for (const { side, spans, startUnixNano } of newest) {
      wanted[side] -= spans;
      starts.set(side, BigInt(startUnixNano));
    }
    wanted.selected -= mayLeave;
    wanted.others -= mayLeave;
    mayLeave = 0;
    if (wanted.selected <= 0 && wanted.others <= 0) {
      break;
    }
  }
  if (starts.size === 0) {
    return { selectedSpans: 0, otherSpans: 0, differences: [] };
  }
  const rows = await rowsOf<Row>(comparisonSql(query, starts, maxSpans, source));
  const total = rows.find(({ place }) => place === "total");
  const [selectedSpans, otherSpans] = [total?.selected ?? 0, total?.others ?? 0];
  const counts = rows.flatMap(({ place, ...row }) => (place === "total" ? [] : [{ ...row, place }]));
  return {
    selectedSpans,
    otherSpans,
    differences: rankedDifferences(counts, selectedSpans, otherSpans, query.limit),
  };
}

/** Time range that covers both sides. */
function rangeOf({ selection, background }: AttributeComparisonQuery): TimeSlice {
  const [min, otherMin] = [selection.startTimeMinUnixNano, background.startTimeMinUnixNano];
  const [max, otherMax] = [selection.startTimeMaxUnixNano, background.startTimeMaxUnixNano];
  const byTime = (one: bigint, other: bigint) => (one < other ? -1 : 1);
  const [first] = min === undefined || otherMin === undefined ? [] : [min, otherMin].sort(byTime);
  const [, last] = max === undefined || otherMax === undefined ? [] : [max, otherMax].sort(byTime);
  return {
    ...(first === undefined ? {} : { startTimeMinUnixNano: first }),
    ...(last === undefined ? {} : { startTimeMaxUnixNano: last }),
  };
}
