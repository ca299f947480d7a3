import type { ServerWritableStream } from "@grpc/grpc-js";
import type { Logger, TenantCheck } from "lifecycle";
import type { ReadOptions } from "storage/api";
import { callFactsOf } from "./call-facts.ts";
import { type GrpcFailure, grpcFailureOf } from "./grpc-failure.ts";

/** Services for a call, in addition to the store. */
export interface CallParts {
  readonly tenants: TenantCheck;
  readonly log: Logger;
}

/** Ends a stream with a status, which grpc-js takes from an `error` event. */
export function fail<Request>(call: ServerWritableStream<Request, Buffer>, failure: GrpcFailure): void {
  call.emit("error", failure);
}

/**
 * Answers a call with the result of `read`. If the call names no tenant although one is required, it gets a failure,
 * and `read` is not called.
 */
export async function answer<Answer>(
  call: Parameters<typeof callFactsOf>[0],
  callback: (error: GrpcFailure | null, answer?: Answer) => void,
  { tenants, log }: CallParts,
  read: (options: ReadOptions) => Promise<Answer>,
): Promise<void> {
  const facts = callFactsOf(call, tenants);
  if ("code" in facts) {
    return callback(facts);
  }
  await read(facts).then(
    (found) => callback(null, found),
    (error: unknown) => callback(grpcFailureOf(error, log)),
  );
}
