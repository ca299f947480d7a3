import type { HeaderField } from "wire/http2";
import type { GrpcFailure } from "./grpc-status.ts";

/** A method of one message in and one out. */
export interface UnaryMethod {
  /**
   * @param message a view that is good until the call returns its promise
   * @param metadata fields of the request, names in lower case
   * @returns the answer; a rejection is turned into a failure by `failureOf`
   */
  call(message: Buffer, metadata: readonly HeaderField[]): Promise<Uint8Array>;
  failureOf(error: unknown): GrpcFailure;
  /** A call that failed before its message was there, or with a message that is too large. */
  refused?(failure: GrpcFailure): void;
}
