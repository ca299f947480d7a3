import type { MessageTranscoder, TranscodeResult } from "wire/rows/message-transcoder";
import type { SpanIntake } from "../pipeline/span-intake.ts";
import type { Cors } from "./cors.ts";
import { answerText } from "./http-error.ts";
import type { HttpTimeouts } from "./http-listener.ts";
import type { HttpAnswer, HttpRequest, HttpResponse } from "./http-messages.ts";
import { type HttpSpanForm, receiveSpans } from "./http-spans.ts";
import type { ReceiverContext } from "./receiver.ts";
import { requestPath } from "./request-path.ts";

export interface OtlpHttpSettings {
  /** Milliseconds for receiving heads and bodies of requests. */
  readonly timeouts: HttpTimeouts;
  /** Undefined: pages of other sites cannot send spans. */
  readonly cors?: Cors | undefined;
}

/**
 * One encoding of OTLP over HTTP, with the intake that counts its spans. Answers and errors use the request's encoding.
 */
export interface OtlpForm extends HttpSpanForm {
  /** Type of requests and answers. */
  readonly contentType: string;
}

/** Answers `POST /v1/traces` in the given encodings; anything else is answered with an error. */
export function otlpHandler(
  cors: Cors | undefined,
  forms: readonly OtlpForm[],
  context: ReceiverContext,
): (request: HttpRequest, response: HttpResponse) => void {
  return (request, response) => {
    const isPreflight = cors?.apply(request, response) ?? false;
    const form = isPreflight ? undefined : route(request, response, forms);
    if (form === undefined) {
      request.dropBody();
    } else {
      receiveSpans(form, context, request, response);
    }
  };
}

/** @returns undefined when the request was answered with an error */
function route(
  request: HttpRequest,
  response: HttpResponse,
  forms: readonly OtlpForm[],
): OtlpForm | undefined {
  if (requestPath(request) !== "/v1/traces") {
    answerText(response, 404, "404 page not found");
    return undefined;
  }
  if (request.method !== "POST") {
    response.setHeader("Allow", "POST");
    answer(response, 405, "text/plain", "405 method not allowed, supported: [POST]");
    return undefined;
  }
  const type = (request.headers["content-type"] ?? "").split(";", 1)[0]?.trim().toLowerCase();
  const form = forms.find(({ contentType }) => contentType === type);
  if (form === undefined) {
    const text = "415 unsupported media type, supported: [application/json, application/x-protobuf]";
    answer(response, 415, "text/plain", text);
  }
  return form;
}

/** Reader and writers of one encoding of OTLP. */
export interface OtlpEncoding {
  /** Makes rows of spans from a message. */
  readonly transcoder: MessageTranscoder;
  /** Writes the answer to a batch; it may contain the number of rejected spans. */
  readonly encodeOutcome: (outcome: TranscodeResult) => Uint8Array | string;
  /** Writes a failure. @param code of gRPC */
  readonly encodeStatus: (code: number, message: string) => Uint8Array | string;
}

/** @param contentType of requests and answers in this encoding */
export function otlpForm(
  contentType: string,
  intake: SpanIntake,
  { transcoder, encodeOutcome, encodeStatus }: OtlpEncoding,
): OtlpForm {
  return {
    contentType,
    intake,
    transcode: (body, tenant) => transcoder.transcode(body, tenant),
    answerKept: (response, outcome) => answer(response, 200, contentType, encodeOutcome(outcome)),
    answerFailure(response, { httpStatus, grpcStatus, message }) {
      answer(response, httpStatus, contentType, encodeStatus(grpcStatus, message));
    },
  };
}

function answer(response: HttpAnswer, code: number, contentType: string, body: Uint8Array | string): void {
  const contentLength = typeof body === "string" ? Buffer.byteLength(body) : body.length;
  response.writeHead(code, { "Content-Type": contentType, "Content-Length": contentLength }).end(body);
}
