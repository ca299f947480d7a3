import { constants, type ServerHttp2Stream } from "node:http2";
import { Duplex } from "node:stream";
import { type ServerInterceptingCallInterface, status } from "@grpc/grpc-js";
import { CollectorError } from "../errors.ts";
import { grpcFailureOf, serviceErrorOf } from "./grpc-refusal.ts";
import type { UnfinishedBytes } from "./unfinished-bytes.ts";

export interface UnfinishedLimits {
  /** Counts the bytes of all calls, and of the collector's other requests. */
  readonly bytes: UnfinishedBytes;
  /** Milliseconds after which an incomplete call without new data is cancelled. */
  readonly stallMs: number;
}

/** Size limit of one call with a stream of requests, in bytes. Requests of reflection have about fifty bytes each. */
const maxStreamedBytes = 256 * 1024;

/**
 * Limits the memory of incomplete messages in a grpc-js server. grpc-js limits each message and the calls of a
 * connection, but not the number of connections. A few senders that never finish would use a gigabyte.
 */
export class UnfinishedMessages {
  readonly #limits: UnfinishedLimits;

  constructor(limits: UnfinishedLimits) {
    this.#limits = limits;
  }

  /** Starts to watch a call. @param isStreamed true when the call may have several requests */
  watch(call: ServerInterceptingCallInterface, isStreamed: boolean): void {
    const stream = streamOf(call);
    if (stream === undefined) {
      return;
    }
    let own = 0;
    /** True while grpc-js stores received data; false after the call has a status. */
    let isKept = true;
    const release = () => {
      this.#limits.bytes.give(own);
      own = 0;
      stream.setTimeout(0);
    };
    const sendStatus = call.sendStatus.bind(call);
    call.sendStatus = (ending) => {
      isKept = false;
      release();
      sendStatus(ending);
    };
    const refuse = (message: string) => {
      const failure = grpcFailureOf(new CollectorError("COLLECTOR_BODIES_BUSY", message), status.INTERNAL);
      const { code, details, metadata } = serviceErrorOf(failure);
      call.sendStatus({
        code: code ?? failure.code,
        details: details ?? message,
        metadata: metadata ?? null,
      });
      // grpc-js stores received data until the stream is closed. If the stream were closed immediately, Node would not
      // send the status.
      setImmediate(() => stream.close(constants.NGHTTP2_NO_ERROR));
    };
    stream.on("data", (chunk: Buffer) => {
      if (!isKept) {
        return;
      }
      own += chunk.length;
      const { bytes } = this.#limits;
      if (!bytes.take(chunk.length)) {
        refuse(`unfinished messages take ${bytes.bytes} bytes: the limit is ${bytes.maxBytes}`);
      } else if (isStreamed && own > maxStreamedBytes) {
        refuse(`the requests of one call take ${own} bytes: the limit is ${maxStreamedBytes}`);
      }
    });
    stream.once("end", release);
    stream.once("close", release);
    if (!isStreamed) {
      stream.setTimeout(this.#limits.stallMs, () => stream.close(constants.NGHTTP2_CANCEL));
    }
  }
}

/**
 * Returns the stream of a call, which is a private field of grpc-js. Only the stream shows a message before it is
 * complete.
 */
function streamOf(call: ServerInterceptingCallInterface): ServerHttp2Stream | undefined {
  const { stream } = call as { readonly stream?: unknown };
  return stream instanceof Duplex ? (stream as ServerHttp2Stream) : undefined;
}
