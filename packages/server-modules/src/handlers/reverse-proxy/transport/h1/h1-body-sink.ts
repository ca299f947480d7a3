import type { Socket } from "node:net";
import { encodeFields } from "http-engine/h1/response-head";
import { forwardedTrailers } from "../../proxy-headers.ts";
import type { BodySink } from "../body-writer.ts";
import type { UpstreamRequest } from "../transport.ts";

/**
 * Sends the body of a request to an upstream: with the declared length, or in chunks. Source: RFC 9112, sections 6 and
 * 7
 */
export class H1BodySink implements BodySink {
  readonly #socket: Socket;
  readonly #request: UpstreamRequest;
  readonly #tooLong: (error: Error) => void;
  /** True when the length is unknown: each piece becomes a chunk. */
  readonly #isChunked: boolean;
  /** Remaining bytes of a body with known length. */
  #left: number;

  /** @param tooLong called when the body exceeds the declared length */
  constructor(socket: Socket, request: UpstreamRequest, tooLong: (error: Error) => void) {
    this.#socket = socket;
    this.#request = request;
    this.#tooLong = tooLong;
    const { bodyLength } = request;
    this.#isChunked = bodyLength === undefined;
    this.#left = bodyLength ?? 0;
  }

  /** The error if the body ends now; undefined when the body is complete. */
  get shortage(): Error | undefined {
    return this.#left > 0 ? new Error("the request body is shorter than its Content-Length") : undefined;
  }

  /**
   * Writes a piece. A body longer than declared fails the call, because the upstream would read the surplus as a
   * further request.
   */
  write(chunk: Buffer): boolean {
    const socket = this.#socket;
    if (this.#isChunked) {
      socket.cork();
      socket.write(`${chunk.length.toString(16)}\r\n`, "latin1");
      socket.write(chunk);
      const more = socket.write("\r\n", "latin1");
      socket.uncork();
      return more;
    }
    this.#left -= chunk.length;
    if (this.#left < 0) {
      this.#tooLong(new Error("the request body is longer than its Content-Length"));
      return true;
    }
    return socket.write(chunk);
  }

  onceDrain(callback: () => void): void {
    this.#socket.once("drain", callback);
  }

  /** Writes the last chunk, or nothing for a declared length. */
  end(): void {
    if (this.#isChunked) {
      const trailers = forwardedTrailers(this.#request.exchange?.requestTrailers ?? []);
      this.#socket.write(`0\r\n${encodeFields(trailers)}\r\n`, "latin1");
    }
  }
}
