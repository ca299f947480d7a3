import type { SpanKind } from "wire/model";

/** Number of calls between two services with the same outcome and a similar duration. */
export interface CallCount {
  /** The service of the calling span. */
  readonly parent: string;
  /** The called service; never equal to `parent`. */
  readonly child: string;
  /** Kind of the called span. `failed` and `durationNano` also describe the called span. */
  readonly spanKind: SpanKind;
  /** True when the calls failed. */
  readonly failed: boolean;
  /** Duration of each call in nanoseconds, accurate to 10 %. */
  readonly durationNano: number;
  readonly calls: number;
}
