/**
 * Outcome of one export call. `reason` is a code, one of few, by which answers are counted; `detail` is what else the
 * receiver said.
 */
export type ExportAnswer =
  /** Acknowledged: the receiver has promised to keep all spans but the `rejectedSpans`. */
  | { readonly outcome: "accepted"; readonly rejectedSpans: number }
  /** The receiver is too busy and wants the batch later; without a hint when, the sender decides. */
  | {
      readonly outcome: "refused";
      readonly reason: string;
      readonly detail: string;
      readonly retryAfterMs: number | undefined;
    }
  /** No answer, or none that says what became of the batch: it is sent again, and may then be stored twice. */
  | { readonly outcome: "unanswered"; readonly reason: string; readonly detail: string }
  /** Refused for good; by OTLP's rules the sender drops the batch. */
  | { readonly outcome: "failed"; readonly reason: string; readonly detail: string };

/** A request in both forms, so that nothing is copied before it is sent. */
export interface ExportRequest {
  /** OTLP protobuf `ExportTraceServiceRequest`. */
  readonly body: Buffer;
  /** The same behind gRPC's prefix of a message that is not compressed. */
  readonly message: Buffer;
}

/** Sends export requests over one protocol. Safe for many calls at a time. */
export interface Exporter {
  /**
   * Never rejects.
   * @param request must not change until the answer is there; after none, not at all
   */
  export(request: ExportRequest): Promise<ExportAnswer>;
  /** Closes all connections; calls under way end as unanswered. */
  close(): Promise<void>;
}

/** How to reach the receiver. */
export interface ExporterSettings {
  /** gRPC: `host:port`; HTTP: a base URL, to which `/v1/traces` is added. */
  readonly endpoint: string;
  readonly gzip: boolean;
  readonly connections: number;
  /** A call without an answer after so long is unanswered. */
  readonly timeoutMs: number;
}
