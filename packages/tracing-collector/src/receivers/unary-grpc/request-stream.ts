import { status } from "@grpc/grpc-js";
import { type HeaderField, ReceiveWindow } from "http-protocols/http2";
import { CollectorError } from "../../errors.ts";
import { grpcFailureOf } from "../refusal.ts";
import { decompressMessage, messagePrefixBytes } from "./decode-message.ts";
import type { GrpcFailure } from "./grpc-status.ts";
import type { MessageBuffers } from "./message-buffers.ts";
import type { UnaryMethod } from "./unary-method.ts";

/** Bytes that a client may send for a call before it gets a larger window. */
export const streamWindowBytes: number = 1024 * 1024;

/** The settings of a stream. */
export interface RequestSettings {
  readonly buffers: MessageBuffers;
  /** Largest message, before and after decompression. */
  readonly maxMessageBytes: number;
}

/** The answer to a request that is no gRPC. The request is read to its end and ignored. */
export interface PlannedAnswer {
  readonly httpStatus: number;
  readonly text: string;
}

/**
 * A call whose request is incomplete. It collects the bytes of the one message, and does not trust the
 * announced length.
 */
export class RequestStream {
  readonly id: number;
  /** The method that takes the message, or the prepared answer. */
  readonly target: UnaryMethod | PlannedAnswer;
  readonly fields: readonly HeaderField[];
  readonly #settings: RequestSettings;
  readonly #encoding: string;
  readonly #contentLength: number | undefined;
  #buffer: Buffer | undefined;
  /** Bytes of the prefix and the message. */
  #length = 0;
  readonly received = new ReceiveWindow(streamWindowBytes);
  /** Time of the last received data, in milliseconds of `performance.now`. */
  lastActiveMs = performance.now();

  constructor(
    request: {
      readonly id: number;
      readonly target: UnaryMethod | PlannedAnswer;
      readonly fields: readonly HeaderField[];
      readonly encoding: string;
      readonly contentLength: number | undefined;
    },
    settings: RequestSettings,
  ) {
    this.id = request.id;
    this.target = request.target;
    this.fields = request.fields;
    this.#encoding = request.encoding;
    this.#contentLength = request.contentLength;
    this.#settings = settings;
  }

  /** Adds a piece of the message. @returns the call's failure, if any */
  add(piece: Buffer): GrpcFailure | undefined {
    this.lastActiveMs = performance.now();
    if (piece.length === 0) {
      return undefined;
    }
    const { buffers, maxMessageBytes } = this.#settings;
    const needed = this.#length + piece.length;
    if ("httpStatus" in this.target) {
      this.#length = needed;
      return undefined;
    }
    if (needed > maxMessageBytes + messagePrefixBytes) {
      return tooLarge(this.#announced() ?? needed, maxMessageBytes);
    }
    let buffer = this.#buffer ?? buffers.take();
    if (buffer !== undefined && needed > buffer.length) {
      this.#buffer = buffer;
      buffer = buffers.grow(buffer, needed);
    }
    if (buffer === undefined) {
      const busy = `unfinished messages take ${buffers.bytes} bytes`;
      // With a hint when to try again; without it, OTLP senders drop the spans.
      return grpcFailureOf(new CollectorError("COLLECTOR_BODIES_BUSY", busy), status.INTERNAL);
    }
    this.#buffer = buffer;
    piece.copy(buffer, this.#length);
    this.#length = needed;
    const announced = this.#announced();
    return announced !== undefined && announced > maxMessageBytes
      ? tooLarge(announced, maxMessageBytes)
      : undefined;
  }

  /** True when the client has sent as many bytes as its `content-length` says. */
  get hasPromisedLength(): boolean {
    return this.#contentLength === undefined || this.#contentLength === this.#length;
  }

  /**
   * The complete message, decompressed. It may be a view of the buffer that `release` returns.
   * @returns the message, or the call's failure
   */
  message(): Buffer | GrpcFailure {
    const announced = this.#announced();
    if (announced === undefined || this.#buffer === undefined) {
      return { code: status.INTERNAL, details: "the call ends before its message" };
    }
    const body = this.#buffer.subarray(messagePrefixBytes, this.#length);
    if (body.length < announced) {
      return { code: status.INTERNAL, details: `message of ${announced} bytes ends after ${body.length}` };
    }
    if (body.length > announced) {
      return { code: status.INTERNAL, details: "a unary call has more than one message" };
    }
    const flag = this.#buffer[0] as number;
    if (flag === 0) {
      return body;
    }
    if (flag !== 1) {
      return { code: status.INTERNAL, details: `message begins with the unknown flag ${flag}` };
    }
    return decompressMessage(body, this.#encoding, this.#settings.maxMessageBytes);
  }

  /** Releases the message's buffer. */
  release(): void {
    if (this.#buffer !== undefined) {
      this.#settings.buffers.give(this.#buffer);
    }
    this.#buffer = undefined;
  }

  #announced(): number | undefined {
    return this.#length < messagePrefixBytes ? undefined : this.#buffer?.readUInt32BE(1);
  }
}

/** The text of grpc-js, by which clients know that a retry is useless. */
function tooLarge(bytes: number, limit: number): GrpcFailure {
  return {
    code: status.RESOURCE_EXHAUSTED,
    details: `Received message larger than max (${bytes} vs ${limit})`,
  };
}
