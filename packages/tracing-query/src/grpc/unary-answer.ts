import type { sendUnaryData } from "@grpc/grpc-js";
import type { Logger } from "lifecycle";
import type { CallGuard } from "./call-guard.ts";
import { type GrpcFailure, storageFailure } from "./grpc-status.ts";
import { partialTrailer, withPartial } from "./partial-trailer.ts";
import { type AskedCall, type CallReadOptions, readOptionsOf } from "./read-options-of.ts";

/**
 * Answers a call that has a single response message.
 * @param what name of the failed read, in Jaeger's words: "failed to fetch services"
 * @param work returns the message or a failure; an exception becomes a failure too
 */
export type UnaryAnswer = <Answer extends object>(
  call: AskedCall,
  callback: sendUnaryData<Answer>,
  what: string,
  work: (read: CallReadOptions) => Promise<Answer | GrpcFailure>,
) => Promise<void>;

/** Creates the answer function of one service. It checks the tenant before any read. */
export function unaryAnswer(guard: CallGuard, log: Logger): UnaryAnswer {
  return async (call, callback, what, work) => {
    const read = readOptionsOf(call, guard);
    if ("code" in read) {
      callback(read);
      return;
    }
    try {
      const answer = await work(read);
      if ("code" in answer && "details" in answer) {
        callback(withPartial(answer, read));
      } else {
        callback(null, answer, partialTrailer(read));
      }
    } catch (error) {
      callback(withPartial(storageFailure(what, error, log), read));
    }
  };
}
