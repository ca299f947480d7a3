import { createGunzip, type Gunzip } from "node:zlib";
import { getHeader, type HeaderList, removeHeaders } from "http-engine/header-list";
import type { DialAddress } from "./dial-address.ts";
import type { ResponseReceiver, Transport, UpstreamCall, UpstreamRequest } from "./transport.ts";

/** True when gzip may be requested. An empty `Accept-Encoding` counts as missing. */
function mayAsk(headers: HeaderList): boolean {
  return !getHeader(headers, "accept-encoding") && !getHeader(headers, "range");
}

/**
 * Adds a request for gzip on the client's behalf; undefined when gzip must not be requested. Source: Go's net/http,
 * Transport.DisableCompression
 */
export function askingForGzip(request: UpstreamRequest): UpstreamRequest | undefined {
  const { method, headers, wireText, upgrade, body, bodyLength, target, exchange, othersLeft } = request;
  if (method === "HEAD" || upgrade !== "") {
    return undefined;
  }
  // Requests that share their fields also share the extended fields.
  let asking = wireText?.asking;
  if (asking === undefined) {
    asking = mayAsk(headers)
      ? { headers: [...headers, "Accept-Encoding", "gzip"], wireText: { text: "" } }
      : null;
    if (wireText !== undefined) {
      wireText.asking = asking;
    }
  }
  if (asking === null) {
    return undefined;
  }
  return {
    method,
    target,
    headers: asking.headers,
    wireText: wireText === undefined ? undefined : asking.wireText,
    body,
    bodyLength,
    upgrade,
    othersLeft,
    exchange,
  };
}

/**
 * A call that requests gzip although the client did not: a gzip response is decompressed for the client.
 * `Content-Encoding: gzip` and the length are removed from the head; a different coding, which the proxy did not
 * request, passes unchanged. A slow client pauses the decompressor, and a full decompressor pauses the upstream.
 */
export class UnpackedCall implements UpstreamCall, ResponseReceiver {
  /** Receives the decompressed response. */
  readonly #receiver: ResponseReceiver;
  /** The call that fetches the compressed response. */
  #inner: UpstreamCall | undefined;
  /** The decompressor, set once the head names gzip. */
  #gunzip: Gunzip | undefined;
  /** True once body bytes arrived: an empty body is not valid gzip. */
  #begun = false;
  /** True after the end. The receiver gets no more events. */
  #over = false;

  constructor(receiver: ResponseReceiver) {
    this.#receiver = receiver;
  }

  /** @param transport sends the request with the gzip field. @throws the transport's error */
  start(transport: Pick<Transport, "call">, dial: DialAddress, request: UpstreamRequest): this {
    this.#inner = transport.call(dial, request, this);
    return this;
  }

  resume(): void {
    if (this.#gunzip === undefined) {
      this.#inner?.resume();
    } else {
      this.#gunzip.resume();
    }
  }

  abort(): void {
    this.#end();
    this.#inner?.abort();
  }

  sent(): void {
    this.#receiver.sent();
  }

  interim(status: number, headers: HeaderList): void {
    this.#receiver.interim(status, headers);
  }

  head(status: number, headers: HeaderList, version: string, good?: boolean): void {
    if (getHeader(headers, "content-encoding")?.toLowerCase() === "gzip") {
      removeHeaders(headers, (name) => name === "content-encoding" || name === "content-length");
      this.#gunzip = this.#open();
    }
    this.#receiver.head(status, headers, version, good);
  }

  data(chunk: Buffer): boolean {
    if (this.#gunzip === undefined) {
      return this.#receiver.data(chunk);
    }
    this.#begun = true;
    return this.#gunzip.write(chunk);
  }

  /** The decompressor reads chunks later, so they must stay valid. */
  get keepsChunk(): boolean {
    return this.#gunzip !== undefined || (this.#receiver.keepsChunk ?? true);
  }

  handedOver(): void {
    this.#receiver.handedOver?.();
  }

  /** The upstream's response ended. The receiver's `end` is called after the last decompressed byte. */
  end(trailers: HeaderList): void {
    if (this.#gunzip === undefined || !this.#begun) {
      this.#end();
      this.#receiver.end(trailers);
      return;
    }
    this.#gunzip.once("end", () => {
      if (!this.#over) {
        this.#end();
        this.#receiver.end(trailers);
      }
    });
    this.#gunzip.end();
  }

  switched(...answer: Parameters<ResponseReceiver["switched"]>): void {
    this.#receiver.switched(...answer);
  }

  failed(...fault: Parameters<ResponseReceiver["failed"]>): void {
    if (!this.#over) {
      this.#end();
      this.#receiver.failed(...fault);
    }
  }

  /** Creates the decompressor. Invalid gzip fails the call and aborts the upstream's response. */
  #open(): Gunzip {
    const gunzip = createGunzip();
    gunzip.on("data", (chunk: Buffer) => {
      if (!this.#over && !this.#receiver.data(chunk)) {
        gunzip.pause();
      }
    });
    gunzip.on("drain", () => this.#inner?.resume());
    gunzip.on("error", (error) => {
      this.#inner?.abort();
      this.failed(new Error(`a body that is no gzip: ${error.message}`, { cause: error }), "response", false);
    });
    return gunzip;
  }

  /** Ends the decompression. */
  #end(): void {
    this.#over = true;
    this.#gunzip?.destroy();
  }
}
