import { compressSnappy, type TimeSeriesV2, WriteRequestV2 } from "wire/metrics-push";
import type { SpanExemplar } from "./exemplars.ts";
import {
  exemplarLabels,
  type MetricFamily,
  type SortedLabels,
  type SpanSample,
  samplesOf,
} from "./span-samples.ts";
import type { SpanSeries } from "./span-series.ts";

/** Texts of a request by their index. The first is empty, which stands for "none". */
class Symbols {
  readonly #indexes = new Map<string, number>([["", 0]]);

  get texts(): string[] {
    return [...this.#indexes.keys()];
  }

  indexOf(text: string): number {
    const known = this.#indexes.get(text);
    if (known !== undefined) {
      return known;
    }
    const index = this.#indexes.size;
    this.#indexes.set(text, index);
    return index;
  }

  /** Indexes of names and values in turn. */
  indexesOf(labels: SortedLabels): number[] {
    return labels.flatMap(([name, value]) => [this.indexOf(name), this.indexOf(value)]);
  }
}

/**
 * The body of Prometheus remote write, version 2: the same samples as in version 1, with each text once, and with the
 * type and help of each series.
 * @param startUnixMs begin of the counters @param unixMs time of the samples
 */
export function remoteWriteBody(
  series: readonly SpanSeries[],
  { startUnixMs, unixMs }: { readonly startUnixMs: number; readonly unixMs: number },
): Buffer {
  const symbols = new Symbols();
  const times = { timestamp: BigInt(unixMs), startTimestamp: BigInt(startUnixMs) };
  const timeseries = series.flatMap(samplesOf).map(
    ({ labels, family, value, exemplar }: SpanSample): TimeSeriesV2 => ({
      labelsRefs: symbols.indexesOf(labels),
      samples: [{ value, ...times }],
      exemplars: exemplar === undefined ? [] : [exemplarOf(exemplar, symbols)],
      metadata: metadataOf(family, symbols),
    }),
  );
  const request = { symbols: symbols.texts, timeseries };
  return compressSnappy(WriteRequestV2.encode(request).finish());
}

function metadataOf({ type, help }: MetricFamily, symbols: Symbols): TimeSeriesV2["metadata"] {
  return { type, helpRef: symbols.indexOf(help), unitRef: 0 };
}

function exemplarOf(exemplar: SpanExemplar, symbols: Symbols): TimeSeriesV2["exemplars"][number] {
  return {
    labelsRefs: symbols.indexesOf(exemplarLabels(exemplar)),
    value: exemplar.durationMs,
    timestamp: BigInt(exemplar.startUnixMs),
  };
}
