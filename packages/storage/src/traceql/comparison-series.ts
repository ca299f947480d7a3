import type { MetricsComparison } from "traceql";
import type { AttributeValue } from "wire/model";
import { attributeText } from "wire/rows";
import type { TraceQlAttribute, TraceQlSample, TraceQlSeries } from "../api/traceql-reader.ts";

/**
 * Number of spans of one side in one interval that have an attribute, or that have a certain value for this attribute.
 */
export interface ComparisonRow {
  readonly isSelected: boolean;
  /** Name of the attribute with its scope: `span.a`, `resource.a`, `name`. */
  readonly key: string;
  /** The value: a string, a number, a bool, or the word of a status or a kind. Absent: any value. */
  readonly value?: AttributeValue;
  readonly interval: bigint;
  readonly count: number;
}

/** The values of an attribute on one side, with their rows. */
type ByValue = Map<string, { readonly value: AttributeValue; readonly rows: ComparisonRow[] }>;

/**
 * The series of a comparison, with Tempo's labels. `__meta_type` is `baseline` or `selection` for a value of an
 * attribute, and `baseline_total` or `selection_total` for the attribute alone. `__meta_error` is `__too_many_values__`
 * for an attribute whose values are not all shown.
 * @param rows rows with at most one more value for each attribute than the limit
 * @param samplesOf makes samples of the rows of one series
 */
export function comparisonSeries(
  { limit }: Pick<MetricsComparison, "limit">,
  rows: readonly ComparisonRow[],
  samplesOf: (rows: readonly ComparisonRow[]) => TraceQlSample[],
): TraceQlSeries[] {
  const series: TraceQlSeries[] = [];
  const add = (meta: TraceQlAttribute, key: string, value: AttributeValue, samples: TraceQlSample[]) => {
    series.push({ labels: [meta, [key, value]], samples, exemplars: [] });
  };
  const cut = new Set<string>();
  for (const [isSelected, ofSide] of Map.groupBy(rows, (row) => row.isSelected)) {
    const side = isSelected ? "selection" : "baseline";
    for (const [key, ofKey] of Map.groupBy(ofSide, (row) => row.key)) {
      const totals = ofKey.filter(({ value }) => value === undefined);
      add(["__meta_type", text(`${side}_total`)], key, { type: "empty" }, samplesOf(totals));
      const values = [...byValue(ofKey).values()].sort(mostFrequentFirst);
      if (values.length > limit) {
        cut.add(key);
      }
      for (const { value, rows: ofValue } of values.slice(0, limit)) {
        add(["__meta_type", text(side)], key, value, samplesOf(ofValue));
      }
    }
  }
  for (const key of cut) {
    add(["__meta_error", text("__too_many_values__")], key, { type: "empty" }, []);
  }
  return series;
}

function byValue(rows: readonly ComparisonRow[]): ByValue {
  const values: ByValue = new Map();
  for (const row of rows) {
    const { value } = row;
    if (value === undefined) {
      continue;
    }
    const key = `${value.type} ${attributeText(value)}`;
    const known = values.get(key);
    if (known === undefined) {
      values.set(key, { value, rows: [row] });
    } else {
      known.rows.push(row);
    }
  }
  return values;
}

type Counted = ByValue extends Map<string, infer Value> ? Value : never;

/** Sort order of values: most frequent first, then by type, then by text. */
function mostFrequentFirst(one: Counted, other: Counted): number {
  const difference = total(other) - total(one);
  if (difference !== 0) {
    return difference;
  }
  const [left, right] = [one, other].map(({ value }) => Buffer.from(`${value.type} ${attributeText(value)}`));
  return left === undefined || right === undefined ? 0 : Buffer.compare(left, right);
}

function total({ rows }: Counted): number {
  return rows.reduce((sum, { count }) => sum + count, 0);
}

function text(value: string): AttributeValue {
  return { type: "string", value };
}
