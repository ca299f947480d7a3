/** A TCP or UDP port of a tracing backend that receives spans. */
export type Door =
  | "otlpGrpc"
  | "otlpHttp"
  | "collectorGrpc"
  | "collectorHttp"
  | "zipkin"
  | "agentCompact"
  | "agentBinary"
  | "agentZipkin";

/** Port and protocol of a message. */
export type Delivery =
  | {
      readonly over: "http";
      readonly door: "otlpHttp" | "collectorHttp" | "zipkin";
      readonly path: string;
      /** POST unless set. */
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
      /** One packet, which gets no answer. */
      readonly over: "udp";
      readonly door: "agentCompact" | "agentBinary" | "agentZipkin";
    };

/** One message of the corpus; its bytes never change. */
export interface CorpusMessage {
  /** `door: case` */
  readonly name: string;
  readonly delivery: Delivery;
  readonly body: Uint8Array;
  /**
   * Ids in hex of the traces in the message, with 16 digits when the high half is zero; empty for a refused message.
   */
  readonly traceIds: readonly string[];
}

/** Time of the corpus in seconds since 1970: 2026-11-18T19:33:20Z. */
export const corpusSeconds = 1_795_030_400;

/** Makes ids that show the port of their message: no two ports share an id. */
export interface CorpusIds {
  /** Makes a trace id of 32 digits. */
  trace(serial: number): string;
  /** A trace id of 16 digits, whose high half is zero. */
  shortTrace(serial: number): string;
  /** Makes a span id of 16 digits. */
  span(serial: number): string;
}

/** @param door two hex digits, different for each port */
export function corpusIds(door: string): CorpusIds {
  const digits = (serial: number, length: number) => serial.toString(16).padStart(length, "0");
  return {
    trace: (serial) => `c0de${door}${digits(0, 10)}00000000${digits(serial, 8)}`,
    shortTrace: (serial) => `5047${door}${digits(serial, 10)}`,
    span: (serial) => `5bad${door}${digits(serial, 10)}`,
  };
}
