import type { SpanKind } from "wire/model";

/** Calls of one service by another with one outcome and about the same duration. */
export interface CallCount {
  /** The service of the calling span. */
  readonly parent: string;
  /** Differs from `parent`. */
  readonly child: string;
  /** This field and the next two concern the called span. */
  readonly spanKind: SpanKind;
  /** Whether the calls failed. */
  readonly failed: boolean;
  /** Duration of each call, accurate to a tenth. */
  readonly durationNano: number;
  /** Number of calls. */
  readonly calls: number;
}
