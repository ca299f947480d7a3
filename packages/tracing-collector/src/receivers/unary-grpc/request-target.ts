import { status } from "@grpc/grpc-js";
import { isKnownEncoding } from "wire/compression";
import type { GrpcFailure } from "./grpc-status.ts";
import type { RequestHeaders } from "./request-headers.ts";
import type { PlannedAnswer } from "./request-stream.ts";
import type { UnaryMethod } from "./unary-method.ts";

/** Who gets a request, or what is answered instead: at once for a failure, when it has ended where it is no gRPC. */
export interface RequestTarget {
  readonly target: UnaryMethod | PlannedAnswer | GrpcFailure;
  /** The call's `grpc-encoding`. */
  readonly encoding: string;
}

/**
 * Looks at the headers of a request.
 * @param methods by path
 * Source: gRPC over HTTP2, "Requests"
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
  // A client that has waited long enough breaks its call off by itself: the value is checked only.
  const timeout = value("grpc-timeout") ?? "0S";
  if (/^\d{1,8}[HMSmun]$/.test(timeout)) return { target, encoding };
  return answerInstead({ code: status.INTERNAL, details: `Invalid grpc-timeout value ${timeout}` });
}
