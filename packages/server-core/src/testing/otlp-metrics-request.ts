import { all, attributes, bytes, first } from "./otlp-request.ts";

/** A data point in the form that tests check. */
export interface ReceivedPoint {
  readonly attributes: Readonly<Record<string, unknown>>;
  /** Value of a gauge or sum. */
  readonly value?: number;
  /** Value of a histogram. */
  readonly count?: number;
  readonly sum?: number;
  readonly buckets?: readonly number[];
  readonly bounds?: readonly number[];
}

/** A metric in the form that tests check. */
export interface ReceivedMetric {
  readonly kind: "gauge" | "sum" | "histogram";
  readonly points: readonly ReceivedPoint[];
}

/** The content of one request. */
export interface ReceivedMetrics {
  readonly resource: Readonly<Record<string, unknown>>;
  readonly metrics: ReadonlyMap<string, ReceivedMetric>;
}

const double = (data: Buffer) => (data.length === 8 ? data.readDoubleLE() : 0);
const fixed64 = (data: Buffer) => (data.length === 8 ? Number(data.readBigUInt64LE()) : 0);

function packed(message: Buffer, number: number, read: (data: Buffer) => number): number[] {
  return all(message, number).flatMap(({ bytes: data }) =>
    Array.from({ length: data.length / 8 }, (_, index) => read(data.subarray(index * 8, index * 8 + 8))),
  );
}

function histogramPoint(point: Buffer): ReceivedPoint {
  return {
    attributes: attributes(point, 9),
    count: fixed64(bytes(point, 4)),
    sum: double(bytes(point, 5)),
    buckets: packed(point, 6, fixed64),
    bounds: packed(point, 7, double),
  };
}

function numberPoint(point: Buffer): ReceivedPoint {
  return { attributes: attributes(point, 7), value: double(bytes(point, 4)) };
}

function metricOf(message: Buffer): ReceivedMetric {
  const histogram = first(message, 9)?.bytes;
  if (histogram !== undefined) {
    return { kind: "histogram", points: all(histogram, 1).map((point) => histogramPoint(point.bytes)) };
  }
  const sum = first(message, 7)?.bytes;
  const kind = sum === undefined ? "gauge" : "sum";
  return { kind, points: all(sum ?? bytes(message, 5), 1).map((point) => numberPoint(point.bytes)) };
}

/**
 * For tests: the metrics of an OTLP request in protobuf, by name.
 * Source: opentelemetry-proto, metrics/v1/metrics.proto
 */
export function readMetrics(request: Buffer): ReceivedMetrics {
  const ofResource = bytes(request, 1);
  const metrics = all(ofResource, 2).flatMap((scope) => all(scope.bytes, 2));
  return {
    resource: attributes(bytes(ofResource, 1), 1),
    metrics: new Map(metrics.map((metric) => [String(bytes(metric.bytes, 1)), metricOf(metric.bytes)])),
  };
}
