import { once } from "node:events";
import { type ServerWritableStream, status } from "@grpc/grpc-js";
import { nextTurn } from "storage/next-turn";
import { type ClientTimes, defaultClientTimes } from "../http/cut-slow-client.ts";
import type { GrpcFailure } from "./grpc-status.ts";
import { partialTrailer, withPartial } from "./partial-trailer.ts";
import type { CallReadOptions } from "./read-options-of.ts";

/**
 * Milliseconds of encoding without a pause; then other requests run. A message may contain hundreds of spans.
 */
const turnMs = 5;

/** Ends a stream with a failure: grpc-js takes the status from an `error` event. */
export function fail<Request, Response>(
  call: ServerWritableStream<Request, Response>,
  failure: GrpcFailure,
  read?: Pick<CallReadOptions, "reasons">,
): void {
  call.emit("error", read === undefined ? failure : withPartial(failure, read));
}

/**
 * Sends messages at the client's pace, and stops without an error when the client disconnects. A client that stops
 * reading, or reads too slowly in total, gets a failure, because its data occupies memory. The time for encoding does
 * not count.
 */
export async function sendAll<Request, Response>(
  call: ServerWritableStream<Request, Response>,
  messages: Iterable<Response>,
  read: Pick<CallReadOptions, "signal" | "reasons">,
  { stalledMs, maxWaitMs }: ClientTimes = defaultClientTimes,
): Promise<void> {
  const { signal } = read;
  let waitedMs = 0;
  try {
    let turnEndsMs = performance.now() + turnMs;
    for (const message of messages) {
      if (!call.write(message)) {
        const since = performance.now();
        if (!(await isDrained(call, Math.min(stalledMs, maxWaitMs - waitedMs), signal))) {
          const details = `the client is too slow: it took nothing for ${stalledMs} ms, or was waited for ${maxWaitMs} ms in all`;
          fail(call, { code: status.DEADLINE_EXCEEDED, details });
          return;
        }
        waitedMs += performance.now() - since;
      }
      if (performance.now() >= turnEndsMs) {
        await nextTurn();
        signal.throwIfAborted();
        turnEndsMs = performance.now() + turnMs;
      }
    }
    call.end(partialTrailer(read));
  } catch (error) {
    if (!signal.aborted) {
      throw error;
    }
  }
}

/** @returns false when the client did not read the waiting data in time. @throws the signal's reason */
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
