import type { MessageTranscoder } from "wire/rows";
import {
  ZipkinV1JsonTranscoder,
  ZipkinV1ThriftTranscoder,
  ZipkinV2JsonTranscoder,
  ZipkinV2ProtoTranscoder,
} from "wire/zipkin";
import { SpanIntake } from "../pipeline/span-intake.ts";
import type { Cors } from "./cors.ts";
import { answerText } from "./http-error.ts";
import { type HttpTimeouts, listenHttp } from "./http-listener.ts";
import type { HttpRequest, HttpResponse } from "./http-messages.ts";
import { type HttpSpanForm, receiveSpans } from "./http-spans.ts";
import type { Receiver, ReceiverAddress, ReceiverContext } from "./receiver.ts";
import { maxRowsBytes } from "./request-limits.ts";
import { requestPath } from "./request-path.ts";

export interface ZipkinSettings {
  /** Milliseconds for receiving heads and bodies of requests. */
  readonly timeouts: HttpTimeouts;
  /** Rules for requests from web pages of other sites. Undefined: pages of other sites cannot send spans. */
  readonly cors?: Cors | undefined;
  /** False: every connection is closed after its first answer. */
  readonly keepAlive: boolean;
}

/**
 * Zipkin's formats over HTTP. A path that contains `api/v1/spans` accepts version 1: a Thrift list when the type is
 * exactly `application/x-thrift`, otherwise JSON. Other paths accept version 2: protobuf when the type is exactly
 * `application/x-protobuf`, otherwise JSON. Every method counts as POST. Stored spans get 202 without a body; errors
 * are lines of text. Source: behaviour of Jaeger; Zipkin API, "POST /spans"
 * @throws StartError
 */
export async function openZipkin(
  address: ReceiverAddress,
  { timeouts, cors, keepAlive }: ZipkinSettings,
  context: ReceiverContext,
): Promise<Receiver> {
  const intake = new SpanIntake(context, { transport: "http", format: "zipkin" });
  const formOf = (transcoder: MessageTranscoder): HttpSpanForm => ({
    intake,
    transcode: (body, tenant) => transcoder.transcode(body, tenant),
    answerKept: (response) => response.writeHead(202, { "Content-Length": 0 }).end(),
    answerFailure: (response, { httpStatus, message }) => answerText(response, httpStatus, message),
  });
  const v1Json = formOf(new ZipkinV1JsonTranscoder({ maxRowsBytes }));
  const v1Thrift = formOf(new ZipkinV1ThriftTranscoder({ maxRowsBytes }));
  const v2Json = formOf(new ZipkinV2JsonTranscoder({ maxRowsBytes }));
  const v2Proto = formOf(new ZipkinV2ProtoTranscoder({ maxRowsBytes }));

  function formFor(request: HttpRequest): HttpSpanForm {
    const path = requestPath(request);
    const type = request.headers["content-type"];
    if (path.includes("api/v1/spans")) {
      return type === "application/x-thrift" ? v1Thrift : v1Json;
    }
    return type === "application/x-protobuf" ? v2Proto : v2Json;
  }

  const handler = (request: HttpRequest, response: HttpResponse): void => {
    if (!keepAlive) {
      response.setHeader("Connection", "close");
    }
    if (cors?.apply(request, response) === true) {
      request.dropBody();
    } else {
      receiveSpans(formFor(request), context, request, response);
    }
  };
  return await listenHttp(address, { timeouts, log: context.log, handler });
}
