import { status } from "@grpc/grpc-js";
import { CollectorError, type CollectorErrorCode } from "../errors.ts";

/** Asks a sender to repeat the request later, or to send smaller requests. */
export interface Refusal {
  readonly grpcStatus: status;
  /** 413 is final; after the others the client should send again. */
  readonly httpStatus: 413 | 429 | 503;
  /** Whole seconds to wait; undefined when the same request will never be accepted. */
  readonly retryAfterS: number | undefined;
}

const refusals: Readonly<Record<CollectorErrorCode, Refusal>> = {
  COLLECTOR_JOURNAL_FULL: { grpcStatus: status.RESOURCE_EXHAUSTED, httpStatus: 429, retryAfterS: 5 },
  COLLECTOR_TOO_LARGE: { grpcStatus: status.INVALID_ARGUMENT, httpStatus: 413, retryAfterS: undefined },
  COLLECTOR_JOURNAL_BUSY: { grpcStatus: status.RESOURCE_EXHAUSTED, httpStatus: 429, retryAfterS: 1 },
  COLLECTOR_BODIES_BUSY: { grpcStatus: status.RESOURCE_EXHAUSTED, httpStatus: 429, retryAfterS: 1 },
  // Exporters drop spans at a 408.
  COLLECTOR_BODY_LATE: { grpcStatus: status.UNAVAILABLE, httpStatus: 503, retryAfterS: 1 },
  COLLECTOR_JOURNAL_DISK: { grpcStatus: status.UNAVAILABLE, httpStatus: 503, retryAfterS: 5 },
  COLLECTOR_JOURNAL_DAMAGED: { grpcStatus: status.UNAVAILABLE, httpStatus: 503, retryAfterS: 5 },
  COLLECTOR_RATE_LIMITED: { grpcStatus: status.RESOURCE_EXHAUSTED, httpStatus: 429, retryAfterS: 1 },
  COLLECTOR_DAY_LIMITED: { grpcStatus: status.RESOURCE_EXHAUSTED, httpStatus: 429, retryAfterS: 60 },
  COLLECTOR_STOPPING: { grpcStatus: status.UNAVAILABLE, httpStatus: 503, retryAfterS: 1 },
};

/** @returns undefined for any other error */
export function refusalOf(error: unknown): Refusal | undefined {
  if (!(error instanceof CollectorError)) {
    return undefined;
  }
  const refusal = refusals[error.code];
  return error.retryAfterS === undefined ? refusal : { ...refusal, retryAfterS: error.retryAfterS };
}
