/**
 * What became of one export call. `reason` is a code, one of few, by which answers are counted; `detail` is what else
 * the receiver said.
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

/** Sends export requests over one protocol. Safe for many calls at a time. */
export interface Exporter {
  /**
   * Sends one OTLP protobuf `ExportTraceServiceRequest`. Never rejects.
   * @param body must not change until the answer is there
   */
  export(body: Buffer): Promise<ExportAnswer>;
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
