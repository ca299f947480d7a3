/**
 * Outcome of one export call. `reason` is a code by which answers are counted; `detail` is the rest of the receiver's
 * answer.
 */
export type ExportAnswer =
  /** Acknowledged: the receiver keeps all spans except `rejectedSpans`. */
  | { readonly outcome: "accepted"; readonly rejectedSpans: number }
  /** The receiver is too busy and requests a retry; without `retryAfterMs`, the sender decides about the time. */
  | {
      readonly outcome: "refused";
      readonly reason: string;
      readonly detail: string;
      readonly retryAfterMs: number | undefined;
    }
  /** There was no answer, or none that shows the fate of the batch: it is sent again, and may then be stored twice. */
  | { readonly outcome: "unanswered"; readonly reason: string; readonly detail: string }
  /** Refused for good; by OTLP's rules the sender drops the batch. */
  | { readonly outcome: "failed"; readonly reason: string; readonly detail: string };

/** A request in both forms, so that no bytes are copied before sending. */
export interface ExportRequest {
  /** OTLP protobuf `ExportTraceServiceRequest`. */
  readonly body: Buffer;
  /** The same request after the prefix of an uncompressed gRPC message. */
  readonly message: Buffer;
}

/** Sends export requests over one protocol. An exporter can handle many calls at the same time. */
export interface Exporter {
  /**
   * Never rejects.
   * @param request must not change until the result is there; after "unanswered" it must never change
   */
  export(request: ExportRequest): Promise<ExportAnswer>;
  /** Closes all connections; running calls end as unanswered. */
  close(): Promise<void>;
}

/** Address and settings for the receiver. */
export interface ExporterSettings {
  /** gRPC: `host:port`; HTTP: a base URL, to which `/v1/traces` is added. */
  readonly endpoint: string;
  readonly gzip: boolean;
  readonly connections: number;
  /** Milliseconds of a call; a call without an answer until then is "unanswered". */
  readonly timeoutMs: number;
}
