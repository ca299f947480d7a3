import type { TraceQlAttribute, TraceQlMetrics, TraceQlSearch } from "storage/api";
import type { AttributeValue } from "wire/model";
import { QueryError } from "../query-error.ts";
import type { ReadLimits } from "./read-limits.ts";

/** Estimated bytes of a span, a spanset, a sample and an exemplar, without their texts. */
const [spanBytes, setBytes, sampleBytes, exemplarBytes] = [120, 60, 50, 250];

/**
 * Refuses a large answer before it is written as JSON. `by()` and `select()` repeat attribute values in each
 * spanset, span and series, so a short query can produce gigabytes of text.
 * @throws QueryError QUERY_TOO_LARGE over `--query.max-answer-size`
 */
export function checkSearchSize({ traces }: TraceQlSearch, limits: ReadLimits): void {
  const size = new AnswerSize(limits);
  for (const { spanSets } of traces) {
    for (const [index, { spans, attributes }] of spanSets.entries()) {
      // The JSON repeats the first spanset of a trace.
      const times = index === 0 ? 2 : 1;
      size.add(times * (setBytes + labelBytes(attributes)));
      for (const span of spans) {
        size.add(times * (spanBytes + span.name.length + labelBytes(span.attributes)));
      }
    }
  }
}

/** Refuses a large metrics answer before it is written as JSON. @throws QueryError QUERY_TOO_LARGE */
export function checkMetricsSize({ series }: TraceQlMetrics, limits: ReadLimits): void {
  const size = new AnswerSize(limits);
  for (const { labels, samples, exemplars } of series) {
    size.add(labelBytes(labels) + sampleBytes * samples.length + exemplarBytes * exemplars.length);
  }
}

class AnswerSize {
  readonly #maxBytes: number;
  #bytes = 0;

  constructor({ maxAnswerBytes = Infinity }: ReadLimits) {
    this.#maxBytes = maxAnswerBytes;
  }

  add(bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes <= this.#maxBytes) {
      return;
    }
    throw new QueryError(
      "QUERY_TOO_LARGE",
      `the answer is over the limit of ${this.#maxBytes} bytes of --query.max-answer-size: select fewer attributes, group by less, or ask for fewer traces`,
      { limit: { name: "query.max-answer-size", value: this.#maxBytes } },
    );
  }
}

function labelBytes(labels: readonly TraceQlAttribute[]): number {
  return labels.reduce((sum, [key, value]) => sum + key.length + valueBytes(value), 0);
}

/** Estimated bytes of the value as JSON. */
function valueBytes(value: AttributeValue): number {
  switch (value.type) {
    case "string":
      return 40 + value.value.length;
    case "bytes":
      return 40 + 2 * value.value.length;
    case "array":
      return value.value.reduce((sum, one) => sum + valueBytes(one), 40);
    case "kvlist":
      return value.value.reduce((sum, one) => sum + one.key.length + valueBytes(one.value), 40);
    default:
      return 60;
  }
}
