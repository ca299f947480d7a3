import type { Readable } from "node:stream";
import type { ResponseReceiver, UpstreamCall, UpstreamRequest } from "../transport.ts";

/** The connection that carries a call. */
interface CallCarrier {
  /** Reads on: the receiver of the response has room again. */
  resume(call: H1Call): void;
  /** The response is not needed any more. */
  abandon(call: H1Call): void;
}

/** One request on its way to a connection, or on one. */
export class H1Call implements UpstreamCall {
  /** The request, for a retry on another connection. */
  readonly request: UpstreamRequest;
  /** Takes the response. */
  readonly receiver: ResponseReceiver;
  /** Request line and fields, written once: a retry sends the same bytes. */
  readonly head: string;
  /** Whether the body waits for `100 Continue`. */
  readonly expectsContinue: boolean;
  /** Set while a connection carries it. */
  connection: CallCarrier | undefined;
  /** The caller abandoned the call. The pool skips it. */
  aborted = false;
  /** When it began to wait for a connection, as of `performance.now()`; 0: it did not. */
  waitingSince = 0;

  /** @param head bytes of the request head */
  constructor(request: UpstreamRequest, receiver: ResponseReceiver, head: string) {
    this.request = request;
    this.receiver = receiver;
    this.head = head;
    this.expectsContinue =
      request.body !== undefined &&
      request.headers.some(
        (each, index) => index % 2 === 0 && each.length === 6 && each.toLowerCase() === "expect",
      );
  }

  get body(): Readable | Uint8Array | undefined {
    return this.request.body;
  }

  resume(): void {
    this.connection?.resume(this);
  }

  /** Gives the call up. On a connection this closes the connection, which is in the middle of the response. */
  abort(): void {
    if (!this.aborted) {
      this.aborted = true;
      this.connection?.abandon(this);
    }
  }
}
