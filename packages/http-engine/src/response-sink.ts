import type { HeaderList } from "./header-list.ts";

/**
 * The receiver of a response: the client, or a filter before the client. The order of calls is `head`, any number of
 * `write`, `addTrailers`, `end`; no call follows `end`.
 */
export interface ResponseSink {
  /** @param headers a filter may change this list before it passes it on */
  head(status: number, headers: HeaderList): void;
  /** @returns false when the buffer is full: continue after {@link onceDrain} */
  write(chunk: Uint8Array): boolean;
  /** Ends the body. @param chunk the last bytes */
  end(chunk?: Uint8Array): void;
  /** Fields that go after the body. */
  addTrailers(trailers: HeaderList): void;
  /** Sends everything written so far, without waiting for more: for events and slow upstreams. */
  flush(): void;
  /** Calls back once a `write` that returned false has drained. */
  onceDrain(callback: () => void): void;
}

/**
 * A filter of responses that passes everything on unchanged. Subclasses may delay the head until they have seen the
 * body, and may leave out the body. A subclass must finally call `end` of the sink below. If it calls `end` later, its
 * handler must not return before.
 *
 * Pieces of a body may be minutes apart, so `write` must pass on its bytes immediately. Filters that hold bytes back
 * must extend `HoldingFilter`.
 *
 * ```ts
 * class Upper extends ResponseFilter {
 *   override head(status: number, headers: HeaderList) { removeHeader(headers, "content-length"); super.head(status, headers); }
 *   override write(chunk: Uint8Array) { return super.write(upper(chunk)); }
 *   override end(chunk?: Uint8Array) { super.end(chunk && upper(chunk)); }
 * }
 * exchange.interceptResponse((below) => new Upper(below));
 * return next(exchange);
 * ```
 */
export class ResponseFilter implements ResponseSink {
  /** The next sink on the way to the client. */
  readonly below: ResponseSink;

  constructor(below: ResponseSink) {
    this.below = below;
  }

  head(status: number, headers: HeaderList): void {
    this.below.head(status, headers);
  }

  write(chunk: Uint8Array): boolean {
    return this.below.write(chunk);
  }

  end(chunk?: Uint8Array): void {
    this.below.end(chunk);
  }

  addTrailers(trailers: HeaderList): void {
    this.below.addTrailers(trailers);
  }

  flush(): void {
    this.below.flush();
  }

  onceDrain(callback: () => void): void {
    this.below.onceDrain(callback);
  }
}

/** Changes the head just before it is passed on. */
export class HeadFilter extends ResponseFilter {
  readonly #change: (headers: HeaderList, status: number) => void;

  constructor(below: ResponseSink, change: (headers: HeaderList, status: number) => void) {
    super(below);
    this.#change = change;
  }

  override head(status: number, headers: HeaderList): void {
    this.#change(headers, status);
    super.head(status, headers);
  }
}
