import { compressSnappy, decompressSnappy, WriteRequest, WriteRequestV2 } from "wire/metrics-push";

/** Size limit of a decompressed body. A body of this process has 500 series at most, some 300 kB. */
const mostBytes = 64 * 1024 * 1024;

/** Turns a body of Prometheus remote write 2 into one of version 1 with the same samples. Starts of counters are lost. */
export function toRemoteWriteV1(body: Buffer): Buffer {
  const { symbols, timeseries } = WriteRequestV2.decode(decompressSnappy(body, mostBytes));
  const text = (index: number) => symbols[index] ?? "";
  const labelsOf = (refs: readonly number[]) =>
    Array.from({ length: refs.length / 2 }, (_, index) => ({
      name: text(refs[2 * index] ?? 0),
      value: text(refs[2 * index + 1] ?? 0),
    }));
  const families = new Map<string, WriteRequest["metadata"][number]>();
  const series = timeseries.map(({ labelsRefs, samples, exemplars, metadata }) => {
    const labels = labelsOf(labelsRefs);
    if (metadata !== undefined) {
      const { type, helpRef, unitRef } = metadata;
      const metricFamilyName = familyOf(labels, type);
      families.set(metricFamilyName, { type, metricFamilyName, help: text(helpRef), unit: text(unitRef) });
    }
    return {
      labels,
      samples: samples.map(({ value, timestamp }) => ({ value, timestamp })),
      exemplars: exemplars.map(({ labelsRefs: refs, ...rest }) => ({ ...rest, labels: labelsOf(refs) })),
    };
  });
  const request = { timeseries: series, metadata: [...families.values()] };
  return compressSnappy(WriteRequest.encode(request).finish());
}

const histogramType = 3;

/** Name of the family of a series: a histogram's name without the suffix of its series. */
function familyOf(labels: readonly { name: string; value: string }[], type: number): string {
  const name = labels.find((label) => label.name === "__name__")?.value ?? "";
  return type === histogramType ? name.replace(/_(bucket|sum|count)$/, "") : name;
}
