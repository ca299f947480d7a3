/** A TCP or UDP port of a tracing backend through which spans come in. */
export type Door =
  | "otlpGrpc"
  | "otlpHttp"
  | "collectorGrpc"
  | "collectorHttp"
  | "zipkin"
  | "agentCompact"
  | "agentBinary"
  | "agentZipkin";

/** How a message is sent. */
export type Delivery =
  | {
      readonly over: "http";
      readonly door: "otlpHttp" | "collectorHttp" | "zipkin";
      readonly path: string;
      /** POST by default. */
      readonly method?: string;
      readonly headers: Readonly<Record<string, string>>;
    }
  | {
      readonly over: "grpc";
      readonly door: "otlpGrpc" | "collectorGrpc";
      /** `/package.Service/Method` */
      readonly path: string;
    }
  | {
      /** One packet; nobody answers. */
      readonly over: "udp";
      readonly door: "agentCompact" | "agentBinary" | "agentZipkin";
    };

/** One message of the corpus, always the same bytes. */
export interface CorpusMessage {
  /** `door: case` */
  readonly name: string;
  readonly delivery: Delivery;
  readonly body: Uint8Array;
  /** Ids in hex of the traces that it belongs to, of 16 digits when the high half is zero; none when it is refused. */
  readonly traceIds: readonly string[];
}

/** When the corpus happened, in seconds since 1970: 2026-11-18T19:33:20Z. */
export const corpusSeconds = 1_795_030_400;

/** Makes ids that tell where they are from: no two doors share one. */
export interface CorpusIds {
  /** A trace id of 32 digits. */
  trace(serial: number): string;
  /** A trace id whose high half is zero, 16 digits. */
  shortTrace(serial: number): string;
  /** A span id, 16 digits. */
  span(serial: number): string;
}

/** @param door two hex digits, one pair for each door */
export function corpusIds(door: string): CorpusIds {
  const digits = (serial: number, length: number) => serial.toString(16).padStart(length, "0");
  return {
    trace: (serial) => `c0de${door}${digits(0, 10)}00000000${digits(serial, 8)}`,
    shortTrace: (serial) => `5047${door}${digits(serial, 10)}`,
    span: (serial) => `5bad${door}${digits(serial, 10)}`,
  };
}
