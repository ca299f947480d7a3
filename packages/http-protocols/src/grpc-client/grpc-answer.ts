import { errorCodes } from "../http2/frames.ts";
import { type GrpcStatus, grpcStatusOf, grpcStatusOfHttp } from "./grpc-status.ts";
import type { Headers, Http2Failure, Http2Outcome, Http2Response } from "./http2-stream.ts";
import { retryDelayMs } from "./retry-info.ts";

/** The outcome of a unary call. */
export interface GrpcAnswer {
  /** Status from the trailers, or derived from an HTTP status or a reset. */
  readonly status: GrpcStatus;
  /** Error text of the server; "" when the status is OK. */
  readonly details: string;
  /** The message; empty when the status is not OK. */
  readonly message: Buffer;
  /** Milliseconds for which the server asks the client to wait; undefined when the server does not ask. */
  readonly retryDelayMs?: number | undefined;
  /** True when the server has certainly not started the call, so it may be sent again. */
  readonly isUntouched: boolean;
}

/** Makes the outcome of a call that ended with an error. */
export function grpcError(status: GrpcStatus, details: string, isUntouched = false): GrpcAnswer {
  return { status, details, message: Buffer.alloc(0), isUntouched };
}

/** Bytes before a gRPC message: one flag and the length. */
export const messagePrefixBytes = 5;

/** Writes the prefix of a gRPC message: the flag "not compressed", and the length. Source: grpc/grpc doc/PROTOCOL-HTTP2.md */
export function writeMessagePrefix(target: Buffer, messageBytes: number): void {
  target[0] = 0;
  target.writeUInt32BE(messageBytes, 1);
}

/** A message after its five-byte prefix. */
export function prefixed(message: Uint8Array): Buffer {
  const bytes = Buffer.allocUnsafe(messagePrefixBytes + message.length);
  writeMessagePrefix(bytes, message.length);
  bytes.set(message, messagePrefixBytes);
  return bytes;
}

/**
 * Converts an HTTP/2 outcome into the outcome of the gRPC call.
 * @param decompress decompresses answers; absent for callers that do not compress, which accept only uncompressed
 * answers
 */
export function grpcAnswerOf(outcome: Http2Outcome, decompress?: (message: Buffer) => Buffer): GrpcAnswer {
  return "headers" in outcome ? answerOf(outcome, decompress) : failureOf(outcome);
}

function answerOf(
  { headers, trailers, body }: Http2Response,
  decompress: ((message: Buffer) => Buffer) | undefined,
): GrpcAnswer {
  const ending = trailers ?? headers;
  const code = ending.get("grpc-status");
  if (code === undefined) {
    const http = headers.get(":status");
    return http === "200"
      ? grpcError("UNKNOWN", "an answer without a gRPC status")
      : grpcError(grpcStatusOfHttp(http), `an answer with HTTP status ${http}`);
  }
  const status = grpcStatusOf(/^\d{1,2}$/.test(code) ? Number(code) : -1);
  if (status !== "OK") {
    return { ...grpcError(status, percentDecoded(ending)), retryDelayMs: askedDelayMs(ending) };
  }
  if (body.length < messagePrefixBytes || body.length !== messagePrefixBytes + body.readUInt32BE(1)) {
    return grpcError("INTERNAL", `an answer whose body of ${body.length} bytes is no single message`);
  }
  let message = body.subarray(messagePrefixBytes);
  if (body[0] !== 0) {
    if (decompress === undefined) {
      return grpcError("INTERNAL", "a compressed answer, which was not asked for");
    }
    try {
      message = decompress(message);
    } catch (error) {
      return grpcError("INTERNAL", `an answer that cannot be decompressed: ${(error as Error).message}`);
    }
  }
  return { status, details: "", message, isUntouched: false };
}

/** Outcome of a call without a response. Source: grpc/grpc doc/PROTOCOL-HTTP2.md, "Errors" */
function failureOf({ resetCode, message, isUntouched }: Http2Failure): GrpcAnswer {
  switch (resetCode) {
    case undefined:
    case errorCodes.refusedStream:
      return grpcError("UNAVAILABLE", message, isUntouched);
    case errorCodes.cancel:
      return grpcError("CANCELLED", message);
    case errorCodes.enhanceYourCalm:
      return grpcError("RESOURCE_EXHAUSTED", message);
    case errorCodes.inadequateSecurity:
      return grpcError("PERMISSION_DENIED", message);
    default:
      return grpcError("INTERNAL", message);
  }
}

function percentDecoded(headers: Headers): string {
  const text = headers.get("grpc-message") ?? "";
  const bytes = text.replace(/%([0-9a-f]{2})/gi, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
  return Buffer.from(bytes, "latin1").toString();
}

function askedDelayMs(headers: Headers): number | undefined {
  const details = headers.get("grpc-status-details-bin");
  return details === undefined ? undefined : retryDelayMs(Buffer.from(details, "base64"));
}
