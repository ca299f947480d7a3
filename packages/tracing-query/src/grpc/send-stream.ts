import { once } from "node:events";
import type { ServerWritableStream } from "@grpc/grpc-js";
import type { GrpcFailure } from "./grpc-status.ts";

/** Messages in a row before others get their turn. */
const messagesPerTurn = 32;

/** Ends a stream with a failure: grpc-js takes the status from an `error` event. */
export function fail<Request, Response>(
  call: ServerWritableStream<Request, Response>,
  failure: GrpcFailure,
): void {
  call.emit("error", failure);
}

/** Sends messages as fast as the client takes them; stops, without an error, when it is gone. */
export async function sendAll<Request, Response>(
  call: ServerWritableStream<Request, Response>,
  messages: Iterable<Response>,
  signal: AbortSignal,
): Promise<void> {
  try {
    let count = 0;
    for (const message of messages) {
      if (!call.write(message)) {
        await once(call, "drain", { signal });
      }
      if (++count % messagesPerTurn === 0) {
        await new Promise(setImmediate);
        signal.throwIfAborted();
      }
    }
    call.end();
  } catch (error) {
    if (!signal.aborted) {
      throw error;
    }
  }
}
