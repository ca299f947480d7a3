import { Metadata } from "@grpc/grpc-js";
import { partialHeader, partialHeaderValue } from "../service/partial-text.ts";
import type { GrpcFailure } from "./grpc-status.ts";
import type { CallReadOptions } from "./read-options-of.ts";

/** Metadata with the reasons why an answer is partial; undefined for a complete answer. */
export function partialTrailer({
  reasons: { partial },
}: Pick<CallReadOptions, "reasons">): Metadata | undefined {
  if (partial === undefined) {
    return undefined;
  }
  const trailer = new Metadata();
  trailer.set(partialHeader, partialHeaderValue(partial));
  return trailer;
}

/** Adds the store's read errors to a failure: a trace that was not found may exist in an unread part. */
export function withPartial(failure: GrpcFailure, read: Pick<CallReadOptions, "reasons">): GrpcFailure {
  const metadata = partialTrailer(read);
  return metadata === undefined ? failure : { ...failure, metadata };
}
