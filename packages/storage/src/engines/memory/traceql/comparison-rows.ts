import type { MetricsComparison } from "traceql";
import type { Attribute, Span } from "wire/model";
import { attributeText } from "wire/rows";
import type { TraceQlMetricsQuery } from "../../../api/traceql-reader.ts";
import type { ComparisonRow } from "../../../traceql/comparison-series.ts";
import { intervalOf } from "../../../traceql/metric-rows.ts";
import { spansOfSelection } from "./spans-of-selection.ts";

/** Rows of a comparison, which covers every span that its pipeline selects. */
export function comparisonRows(
  traces: readonly (readonly Span[])[],
  { pipeline, selection, within }: MetricsComparison,
  { range, stepNano }: Pick<TraceQlMetricsQuery, "range" | "stepNano">,
): ComparisonRow[] {
  const times = { startTimeMinUnixNano: range.startUnixNano, startTimeMaxUnixNano: range.endUnixNano };
  const spansOf = (query: MetricsComparison["pipeline"]) =>
    spansOfSelection(traces, { ...times, query: { type: "search", pipeline: query, hints: [] } });
  const selected = spansOf({ type: "pipeline", stages: [selection] });
  const rows = new Map<string, ComparisonRow & { count: number }>();
  for (const span of spansOf(pipeline)) {
    const start = span.startTimeUnixNano;
    const isWithin = within === undefined || (start > within.startUnixNano && start <= within.endUnixNano);
    const isSelected = isWithin && selected.has(span);
    const interval = intervalOf(start, stepNano);
    const count = (row: Pick<ComparisonRow, "key" | "value">, id: string) => {
      const known = rows.get(`${isSelected} ${interval} ${id}`);
      if (known === undefined) {
        rows.set(`${isSelected} ${interval} ${id}`, { ...row, isSelected, interval, count: 1 });
      } else {
        known.count++;
      }
    };
    for (const { key, value } of comparedAttributes(span)) {
      count({ key }, JSON.stringify([key]));
      count({ key, value }, JSON.stringify([key, value.type, attributeText(value)]));
    }
  }
  return [...rows.values()];
}

const comparedTypes: ReadonlySet<string> = new Set(["string", "int", "double", "bool"]);

function comparedAttributes(span: Span): Attribute[] {
  const of = (scope: string, attributes: readonly Attribute[]) => {
    const first = new Map<string, Attribute>();
    for (const attribute of attributes) {
      if (!first.has(attribute.key)) {
        first.set(attribute.key, attribute);
      }
    }
    return [...first.values()]
      .filter(({ value }) => comparedTypes.has(value.type))
      .map(({ key, value }) => ({ key: `${scope}.${key}`, value }));
  };
  const word = (key: string, value: string): Attribute => ({ key, value: { type: "string", value } });
  return [
    ...of("span", span.attributes),
    ...of("resource", span.resource.attributes).filter(({ key }) => key !== "resource.service.name"),
    word("resource.service.name", span.resource.serviceName),
    ...[word("name", span.name), word("kind", span.kind), word("status", span.status.code)],
    ...(span.status.message === "" ? [] : [word("statusMessage", span.status.message)]),
  ];
}
