import type { SpanKind } from "wire/model";

/** Calls of one service by another with one outcome, that last about as long. */
export interface CallCount {
  /** The service of the calling span. */
  readonly parent: string;
  /** Another service. */
  readonly child: string;
  /** Of the called span, as are the next two. */
  readonly spanKind: SpanKind;
  readonly failed: boolean;
  /** Of each, off by at most a tenth. */
  readonly durationNano: number;
  readonly calls: number;
}
