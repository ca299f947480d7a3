import type { Readable } from "node:stream";
import type { ResponseReceiver, UpstreamCall, UpstreamRequest } from "../transport.ts";

/** The connection that carries a call. */
interface CallCarrier {
  /** Resumes reading, because the receiver can accept more data. */
  resume(call: H1Call): void;
  /** Called when the response is not needed any more. */
  abandon(call: H1Call): void;
}

/** One HTTP/1 request, from the wait for a connection to its end. */
export class H1Call implements UpstreamCall {
  /** The request, kept so that another connection can repeat it. */
  readonly request: UpstreamRequest;
  readonly receiver: ResponseReceiver;
  /** Request line and fields, encoded once: a retry sends the same bytes. */
  readonly head: string;
  /** True when the body waits for `100 Continue`. */
  readonly expectsContinue: boolean;
  /** The connection that carries the call; undefined before and after. */
  connection: CallCarrier | undefined;
  /** True after the caller abandoned the call. The pool skips such calls. */
  aborted = false;
  /** Start of the wait for a connection, on the clock of `performance.now()`; 0 if it never waited. */
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

  /** Abandons the call. If a connection carries the call, the connection is closed in the middle of the response. */
  abort(): void {
    if (!this.aborted) {
      this.aborted = true;
      this.connection?.abandon(this);
    }
  }
}
