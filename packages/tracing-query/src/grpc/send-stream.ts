import { once } from "node:events";
import { type ServerWritableStream, status } from "@grpc/grpc-js";
import type { GrpcFailure } from "./grpc-status.ts";

/** Messages in a row before others get their turn. */
const messagesPerTurn = 32;

/** How long clients may take, in milliseconds; as over HTTP. */
export interface SendTimes {
  /** Without taking anything. */
  readonly stalledMs: number;
  /** For all of an answer. */
  readonly maxSendMs: number;
}

const defaultTimes: SendTimes = { stalledMs: 60_000, maxSendMs: 300_000 };

/** Ends a stream with a failure: grpc-js takes the status from an `error` event. */
export function fail<Request, Response>(
  call: ServerWritableStream<Request, Response>,
  failure: GrpcFailure,
): void {
  call.emit("error", failure);
}

/**
 * Sends messages as fast as the client takes them; stops, without an error, when it is gone. A client that takes nothing, or
 * too long, is told so: it does not keep others waiting.
 */
export async function sendAll<Request, Response>(
  call: ServerWritableStream<Request, Response>,
  messages: Iterable<Response>,
  signal: AbortSignal,
  { stalledMs, maxSendMs }: SendTimes = defaultTimes,
): Promise<void> {
  const until = performance.now() + maxSendMs;
  try {
    let count = 0;
    for (const message of messages) {
      if (!call.write(message)) {
        const restMs = until - performance.now();
        if (!(await isDrained(call, Math.min(stalledMs, restMs), signal))) {
          const details = `the client is too slow: it took nothing for ${stalledMs} ms, or not all in ${maxSendMs} ms`;
          fail(call, { code: status.DEADLINE_EXCEEDED, details });
          return;
        }
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

/** @returns false when the client did not take what waits for it in time. @throws the signal's reason */
async function isDrained<Request, Response>(
  call: ServerWritableStream<Request, Response>,
  withinMs: number,
  signal: AbortSignal,
): Promise<boolean> {
  const over = new AbortController();
  const timer = setTimeout(() => over.abort(), Math.max(0, withinMs));
  try {
    await once(call, "drain", { signal: AbortSignal.any([signal, over.signal]) });
    return true;
  } catch (error) {
    if (over.signal.aborted && !signal.aborted) {
      return false;
    }
    throw error;
  } finally {
    clearTimeout(timer);
  }
}
