import type { Span } from "../model/span.ts";
import { type ZipkinEndpoint, type ZipkinV2Span, zipkinV2SpanOf } from "./zipkin-v2-span.ts";

/** A span in the form that both encodings of Zipkin v1 share. Times are in microseconds. */
export interface ZipkinV1Message {
  /** The span in the form of v2. */
  readonly span: ZipkinV2Span;
  readonly annotations: readonly { readonly timestamp: bigint; readonly value: string }[];
  readonly binaryAnnotations: readonly ZipkinV1BinaryMessage[];
}

export interface ZipkinV1BinaryMessage {
  readonly key: string;
  readonly value: string;
  /**
   * True when the annotation is the address of the other side of the request. The value of such an annotation has no
   * meaning.
   */
  readonly isAddress: boolean;
  readonly endpoint: ZipkinEndpoint | undefined;
}

/** For each kind of span: annotations at its start and end, and the key for the address of the other side. */
const sides = {
  CLIENT: { begin: "cs", end: "cr", address: "sa" },
  SERVER: { begin: "sr", end: "ss", address: "ca" },
  PRODUCER: { begin: "ms", end: "ws", address: "ma" },
  CONSUMER: { begin: "wr", end: "mr", address: "ma" },
} as const;

/**
 * A span of the domain model in Zipkin v1, converted through v2. The kind becomes annotations at start and end, tags
 * become binary annotations, and the remote endpoint becomes an address. A span gets the binary annotation `lc` when
 * its service would otherwise be lost.
 *
 * Source: openzipkin/zipkin, zipkin2.v1.V1SpanConverter.
 */
export function zipkinV1MessageOf(model: Span): ZipkinV1Message {
  const span = zipkinV2SpanOf(model);
  const annotations = [...sideAnnotationsOf(span), ...span.annotations];
  const binaryAnnotations: ZipkinV1BinaryMessage[] = Array.from(span.tags, ([key, value]) => ({
    key,
    value,
    isAddress: false,
    endpoint: span.localEndpoint,
  }));
  if (annotations.length === 0 && binaryAnnotations.length === 0 && span.localEndpoint !== undefined) {
    binaryAnnotations.push({ key: "lc", value: "", isAddress: false, endpoint: span.localEndpoint });
  }
  if (span.remoteEndpoint !== undefined) {
    const key = span.kind === undefined ? "sa" : sides[span.kind].address;
    // The address comes first, because readers take the service's name from the last endpoint.
    binaryAnnotations.unshift({ key, value: "true", isAddress: true, endpoint: span.remoteEndpoint });
  }
  return { span, annotations, binaryAnnotations };
}

function sideAnnotationsOf({ kind, timestamp, duration }: ZipkinV2Span) {
  if (kind === undefined || timestamp === undefined) {
    return [];
  }
  const { begin, end } = sides[kind];
  if (duration !== undefined) {
    return [
      { timestamp, value: begin },
      { timestamp: timestamp + duration, value: end },
    ];
  }
  return [{ timestamp, value: kind === "CONSUMER" ? end : begin }];
}
