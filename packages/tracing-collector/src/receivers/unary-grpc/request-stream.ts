import { status } from "@grpc/grpc-js";
import type { HeaderField } from "http-protocols/http2";
import {
  type HeaderList,
  SendQueue,
  type ServerStream,
  type StreamWindows,
} from "http-protocols/http2-server";
import { CollectorError } from "../../errors.ts";
import { grpcFailureOf } from "../grpc-refusal.ts";
import type { GrpcFailure } from "../grpc-status.ts";
import { decompressMessage, messagePrefixBytes } from "./decode-message.ts";
import type { MessageBuffers } from "./message-buffers.ts";
import type { UnaryMethod } from "./unary-method.ts";

export interface RequestSettings {
  /** Buffers for messages, shared by all connections. */
  readonly buffers: MessageBuffers;
  /** Size limit of a message in bytes, before and after decompression. */
  readonly maxMessageBytes: number;
}

/** The answer to a request that is not gRPC. The request is read to its end and ignored. */
export interface PlannedAnswer {
  readonly httpStatus: number;
  /** Body of the answer. */
  readonly text: string;
}

interface RequestHead {
  /** Id of the HTTP/2 stream. */
  readonly id: number;
  /** Metadata of the call. */
  readonly fields: readonly HeaderField[];
  /** Value of `grpc-encoding`; `identity` without the header. */
  readonly encoding: string;
  /** Length of the body; undefined when the client does not announce it. */
  readonly contentLength: number | undefined;
  /** True when no message follows. */
  readonly endsStream: boolean;
}

/** The method that gets the message, or an answer that is known before it. */
export type CallTarget = UnaryMethod | PlannedAnswer | GrpcFailure;

/** Functions that a call needs from its connection. */
export interface CallCarrier {
  /** Sizes and buffers of the connection. */
  readonly settings: RequestSettings;
  /** Called when bytes were consumed, so that the client may send that many more. */
  taken(request: RequestStream, bytes: number): void;
  /** Called when the call has failed before its request was complete. */
  failed(request: RequestStream): void;
  /** Called when the request is complete. */
  complete(request: RequestStream): void;
  /** Called when the end of the answer was sent. */
  answered(request: RequestStream): void;
}

/** Any trailers that are not empty; they make the connection send its trailers after the message. */
const ownTrailers: HeaderList = ["grpc-status", "0"];
const noTrailers: HeaderList = [];

/**
 * A call. It collects the bytes of the single message without trusting the announced length, and stores the answer
 * until the client reads it. The body is a flag (0: plain, 1: compressed), the length in 4 bytes, and the message.
 */
export class RequestStream implements ServerStream {
  readonly id: number;
  readonly fields: readonly HeaderField[];
  readonly sending: SendQueue;
  readonly #carrier: CallCarrier;
  readonly #encoding: string;
  readonly #contentLength: number | undefined;
  /** The method of the call; after a failure, the failure. */
  #target: CallTarget;
  /** Buffer for the message, from its first byte until `release`. */
  #buffer: Buffer | undefined;
  /** Number of received bytes of prefix and message. */
  #length = 0;
  #trailers = noTrailers;
  /** True when the stream is closed: answered, reset, or lost with its connection. */
  #isOver = false;
  /** True when the client has sent everything. */
  requestEnded: boolean;
  receiveWindowBytes: number;
  untoldBytes = 0;
  /** Time of the last received data, in milliseconds of `performance.now`. */
  lastActiveMs: number = performance.now();

  constructor(carrier: CallCarrier, head: RequestHead, target: CallTarget, windows: StreamWindows) {
    this.#carrier = carrier;
    this.id = head.id;
    this.#target = target;
    this.fields = head.fields;
    this.#encoding = head.encoding;
    this.#contentLength = head.contentLength;
    this.requestEnded = head.endsStream;
    this.receiveWindowBytes = windows.receive;
    this.sending = new SendQueue(head.id, windows.send);
  }

  get target(): CallTarget {
    return this.#target;
  }

  /** Fields after the message. */
  get trailers(): HeaderList {
    return this.#trailers;
  }

  /** True when nothing more of the call will be sent. */
  get isOver(): boolean {
    return this.#isOver;
  }

  receive(piece: Buffer): boolean {
    this.lastActiveMs = performance.now();
    this.#carrier.taken(this, piece.length);
    const failure = this.#add(piece);
    if (failure !== undefined) {
      this.release();
      if ("call" in this.#target) {
        this.#target.refused?.(failure);
      }
      this.#target = failure;
      this.#carrier.failed(this);
    }
    return true;
  }

  receiveEnd(): boolean {
    const isFailed = "details" in this.#target;
    if (!isFailed && this.#contentLength !== undefined && this.#contentLength !== this.#length) {
      return false;
    }
    this.requestEnded = true;
    if (!isFailed) {
      this.#carrier.complete(this);
    }
    return true;
  }

  /** Sends the message of the answer, before the trailers. */
  send(message: Buffer): void {
    this.#trailers = ownTrailers;
    this.sending.push(message);
    this.sending.end();
  }

  /** Sends the text of an answer that is not gRPC. */
  sendText(text: string): void {
    this.sending.push(Buffer.from(text));
    this.sending.end();
  }

  allSent(): void {
    this.#carrier.answered(this);
  }

  streamOver(): void {
    this.#isOver = true;
    this.release();
  }

  streamLost(): void {
    this.#isOver = true;
    this.sending.drop();
    this.release();
  }

  /** Adds a piece of the message. @returns a failure when the call has failed */
  #add(piece: Buffer): GrpcFailure | undefined {
    if (piece.length === 0) {
      return undefined;
    }
    const { buffers, maxMessageBytes } = this.#carrier.settings;
    const needed = this.#length + piece.length;
    if (!("call" in this.#target)) {
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
      // The failure includes a time for the retry; without it, OTLP senders drop the spans.
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

  /**
   * Takes the complete message and decompresses it. It may be a view of the buffer that `release` returns.
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
    return decompressMessage(body, this.#encoding, this.#carrier.settings.maxMessageBytes);
  }

  /** Releases the message's buffer. */
  release(): void {
    if (this.#buffer !== undefined) {
      this.#carrier.settings.buffers.give(this.#buffer);
    }
    this.#buffer = undefined;
  }

  /** The announced length of the message; undefined until 5 bytes have arrived. */
  #announced(): number | undefined {
    return this.#length < messagePrefixBytes ? undefined : this.#buffer?.readUInt32BE(1);
  }
}

/** The failure has the text of grpc-js, from which clients know that a retry is useless. */
function tooLarge(bytes: number, limit: number): GrpcFailure {
  return {
    code: status.RESOURCE_EXHAUSTED,
    details: `Received message larger than max (${bytes} vs ${limit})`,
  };
}
