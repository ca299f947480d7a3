import { constants, type ServerHttp2Stream } from "node:http2";
import { Duplex } from "node:stream";
import { type ServerInterceptingCallInterface, status } from "@grpc/grpc-js";
import { CollectorError } from "../errors.ts";
import { grpcFailureOf, serviceErrorOf } from "./refusal.ts";
import type { UnfinishedBytes } from "./unfinished-bytes.ts";

export interface UnfinishedLimits {
  /** Of all calls together, and of whatever else the collector receives. */
  readonly bytes: UnfinishedBytes;
  /** A call of which nothing has come for so long, and which is not yet whole, is broken off. */
  readonly stallMs: number;
}

/** Most bytes that one call with a stream of requests may send: those of reflection have some fifty each. */
const maxStreamedBytes = 256 * 1024;

/**
 * Bounds what calls of a grpc-js server hold while their messages are on the way. By itself it bounds each message and
 * the calls of a connection, and not the number of connections: a few senders that never finish would take a gigabyte.
 */
export class UnfinishedMessages {
  readonly #limits: UnfinishedLimits;

  constructor(limits: UnfinishedLimits) {
    this.#limits = limits;
  }

  /** Watches a call from its beginning. @param isStreamed whether it may have several requests */
  watch(call: ServerInterceptingCallInterface, isStreamed: boolean): void {
    const stream = streamOf(call);
    if (stream === undefined) return;
    let own = 0;
    /** Whether grpc-js keeps what comes; not once the call has its status. */
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
      // Until it is closed, grpc-js holds what has come of it. Closed at once, Node would not send the status.
      setImmediate(() => stream.close(constants.NGHTTP2_NO_ERROR));
    };
    stream.on("data", (chunk: Buffer) => {
      if (!isKept) return;
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

/** The stream below a call, which grpc-js does not show: there is no other way to see a message before it is whole. */
function streamOf(call: ServerInterceptingCallInterface): ServerHttp2Stream | undefined {
  const { stream } = call as { readonly stream?: unknown };
  return stream instanceof Duplex ? (stream as ServerHttp2Stream) : undefined;
}
