import type { HeaderField } from "http-protocols/http2";
import type { GrpcFailure } from "../grpc-status.ts";

/** A method with one request message and one answer. */
export interface UnaryMethod {
  /**
   * @param message a view that is valid until the function returns its promise
   * @param metadata fields of the request; names are lower case
   * @returns the answer; `failureOf` converts a rejection to a failure
   */
  call(message: Buffer, metadata: readonly HeaderField[]): Promise<Uint8Array>;
  /** Status for an error that the method threw. */
  failureOf(error: unknown): GrpcFailure;
  /** Called when a call failed before its message was complete, or because it is too large. */
  refused?(failure: GrpcFailure): void;
}
