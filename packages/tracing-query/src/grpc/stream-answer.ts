import type { ServerWritableStream } from "@grpc/grpc-js";
import type { RequestGate } from "../service/request-gate.ts";
import type { CallGuard } from "./call-guard.ts";
import type { GrpcFailure } from "./grpc-status.ts";
import { type CallReadOptions, readOptionsOf } from "./read-options-of.ts";
import { fail, sendAll } from "./send-stream.ts";

/** The read of a call whose request is valid. */
export interface StreamRead<Message> {
  /** Limits how many calls read at the same time. Undefined: the call holds no trace, and only its reads wait. */
  readonly gate: RequestGate | undefined;
  /** Reads the messages; it runs when the gate admits the call. @returns the messages, or the client's failure */
  find(): Promise<Iterable<Message> | GrpcFailure>;
}

/**
 * Answers one call with a stream of messages. A slow client slows the stream, and keeps its place of the gate.
 * @param ask understands the request; it returns the read, or the client's failure
 * @param failureOf turns an exception of `ask` or of the read into the client's failure
 */
export type StreamAnswer = <Request, Message>(
  call: ServerWritableStream<Request, Message>,
  ask: (read: CallReadOptions) => StreamRead<Message> | GrpcFailure,
  failureOf: (error: unknown) => GrpcFailure,
) => Promise<void>;

/** Makes the answer function of one service. It checks the tenant before anything is read. */
export function streamAnswer(guard: CallGuard): StreamAnswer {
  return async (call, ask, failureOf) => {
    const read = readOptionsOf(call, guard);
    if ("code" in read) {
      fail(call, read);
      return;
    }
    let leave = () => {};
    try {
      const asked = ask(read);
      if ("code" in asked) {
        fail(call, asked, read);
        return;
      }
      leave = (await asked.gate?.admit(read)) ?? leave;
      const found = await asked.find();
      if ("code" in found) {
        fail(call, found, read);
      } else {
        await sendAll(call, found, read);
      }
    } catch (error) {
      fail(call, failureOf(error), read);
    } finally {
      leave();
    }
  };
}
