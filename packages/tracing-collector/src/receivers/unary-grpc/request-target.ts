import { status } from "@grpc/grpc-js";
import { isKnownEncoding } from "wire/compression";
import type { GrpcFailure } from "../grpc-status.ts";
import type { RequestHeaders } from "./request-headers.ts";
import type { PlannedAnswer } from "./request-stream.ts";
import type { UnaryMethod } from "./unary-method.ts";

/**
 * The method for a request, or a prepared answer. A failure is sent at once; for a request that is not gRPC, the answer
 * is sent at the request's end.
 */
export interface RequestTarget {
  readonly target: UnaryMethod | PlannedAnswer | GrpcFailure;
  /** The call's `grpc-encoding`. */
  readonly encoding: string;
}

/**
 * Chooses the target of a request by its headers.
 * @param methods by path. Source: gRPC over HTTP2, "Requests"
 */
export function requestTarget(
  headers: RequestHeaders,
  methods: ReadonlyMap<string, UnaryMethod>,
): RequestTarget {
  const value = (wanted: string) => headers.fields.find(({ name }) => name === wanted)?.value;
  const encoding = value("grpc-encoding") ?? "identity";
  const answerInstead = (target: PlannedAnswer | GrpcFailure): RequestTarget => ({ target, encoding });
  if (headers.method !== "POST") {
    return answerInstead({ httpStatus: 405, text: "405 method not allowed, supported: [POST]" });
  }
  if (!/^application\/grpc(\+proto|;|$)/.test(value("content-type") ?? "")) {
    const text = "415 unsupported media type, supported: [application/grpc]";
    return answerInstead({ httpStatus: 415, text });
  }
  const target = methods.get(headers.path);
  if (target === undefined) {
    const details = `The server does not implement the method ${headers.path}`;
    return answerInstead({ code: status.UNIMPLEMENTED, details });
  }
  if (!isKnownEncoding(encoding)) {
    return answerInstead({ code: status.UNIMPLEMENTED, details: `Unsupported grpc-encoding ${encoding}` });
  }
  // Only the form of `grpc-timeout` is checked: the client cancels its call when the time has passed.
  const timeout = value("grpc-timeout") ?? "0S";
  if (/^\d{1,8}[HMSmun]$/.test(timeout)) {
    return { target, encoding };
  }
  return answerInstead({ code: status.INTERNAL, details: `Invalid grpc-timeout value ${timeout}` });
}
