import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { status } from "@grpc/grpc-js";
import type { Logger } from "lifecycle";
import { WireError } from "wire/errors";
import {
  encodeExportResponse,
  encodeExportResponseJson,
  encodeRpcStatus,
  encodeRpcStatusJson,
  OtlpJsonTranscoder,
  OtlpTranscoder,
} from "wire/otlp";
import type { TranscodeResult } from "wire/rows";
import { CollectorError } from "../errors.ts";
import { SpanIntake } from "../pipeline/span-intake.ts";
import { decodeContent } from "./decode-content.ts";
import { HttpError } from "./http-error.ts";
import { listenHttp } from "./http-listener.ts";
import { BodyReader, drainRequest } from "./read-body.ts";
import type { Receiver, ReceiverAddress, ReceiverContext } from "./receiver.ts";
import { refusalOf } from "./refusal.ts";
import { maxBodiesBytes, maxBodyBytes, maxRowsBytes } from "./request-limits.ts";

/** One of the two forms of OTLP over HTTP. Answers, good and bad, come in the request's form. */
interface BodyForm {
  readonly contentType: string;
  readonly intake: SpanIntake;
  transcode(body: Buffer): TranscodeResult;
  encodeOutcome(outcome: TranscodeResult): Uint8Array | string;
  encodeStatus(code: number, message: string): Uint8Array | string;
}

/**
 * OTLP over HTTP: `POST /v1/traces`, protobuf and JSON, gzip, deflate and zstd. Errors of a body come as
 * `google.rpc.Status`; a refusal is 429 or 503 with `Retry-After`.
 * Source: OpenTelemetry protocol specification, "OTLP/HTTP"; texts of 404, 405 and 415 as in the public model
 * @throws StartError
 */
export async function openOtlpHttp(address: ReceiverAddress, context: ReceiverContext): Promise<Receiver> {
  const { log } = context;
  const protobuf = new OtlpTranscoder({ maxRowsBytes });
  const json = new OtlpJsonTranscoder({ maxRowsBytes });
  const forms: readonly BodyForm[] = [
    {
      contentType: "application/x-protobuf",
      intake: new SpanIntake(context, { transport: "http", format: "otlp" }),
      transcode: (body) => protobuf.transcode(body),
      encodeOutcome: encodeExportResponse,
      encodeStatus: encodeRpcStatus,
    },
    {
      contentType: "application/json",
      intake: new SpanIntake(context, { transport: "http", format: "otlp-json" }),
      transcode: (body) => json.transcode(body),
      encodeOutcome: encodeExportResponseJson,
      encodeStatus: encodeRpcStatusJson,
    },
  ];
  const bodies = new BodyReader({ maxBytes: maxBodyBytes, maxTotalBytes: maxBodiesBytes });

  const server = createServer((request, response) => {
    // A sender that goes away is no news.
    response.on("error", () => {});
    const form = route(request, response, forms);
    if (form === undefined) drainRequest(request);
    else {
      exportTraces(form, bodies, request, response).catch((error: unknown) => {
        drainRequest(request);
        answerError(form, response, error, log);
      });
    }
  });
  return await listenHttp(server, address);
}

/** @returns undefined when the request was answered with an error */
function route(
  request: IncomingMessage,
  response: ServerResponse,
  forms: readonly BodyForm[],
): BodyForm | undefined {
  const [path] = (request.url ?? "").split("?", 1);
  if (path !== "/v1/traces") {
    answerText(response, 404, "404 page not found");
    return undefined;
  }
  if (request.method !== "POST") {
    response.setHeader("Allow", "POST");
    answerText(response, 405, "405 method not allowed, supported: [POST]");
    return undefined;
  }
  const type = (request.headers["content-type"] ?? "").split(";", 1)[0]?.trim().toLowerCase();
  const form = forms.find(({ contentType }) => contentType === type);
  if (form === undefined) {
    answerText(
      response,
      415,
      "415 unsupported media type, supported: [application/json, application/x-protobuf]",
    );
  }
  return form;
}

async function exportTraces(
  form: BodyForm,
  bodies: BodyReader,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const encoding = request.headers["content-encoding"] ?? "";
  const outcome = await bodies.read(request, async (body) => {
    const message = decodeContent(body, encoding, maxBodyBytes);
    const result = form.transcode(message);
    await form.intake.keep(result.rows, result.rejectedSpans, message.length);
    return result;
  });
  answer(response, 200, form.contentType, form.encodeOutcome(outcome));
}

function answerError(form: BodyForm, response: ServerResponse, error: unknown, log: Logger): void {
  if (response.destroyed) return;
  const message = error instanceof Error ? error.message : String(error);
  const refusal = refusalOf(error);
  if (refusal !== undefined) {
    if (error instanceof CollectorError && error.code === "COLLECTOR_BODIES_BUSY") form.intake.refused();
    response.setHeader("Retry-After", refusal.retryAfterS);
    const body = form.encodeStatus(refusal.grpcStatus, message);
    answer(response, refusal.httpStatus, form.contentType, body);
  } else if (error instanceof HttpError || error instanceof WireError) {
    form.intake.invalid();
    const body = form.encodeStatus(status.INVALID_ARGUMENT, message);
    answer(response, error instanceof HttpError ? error.status : 400, form.contentType, body);
  } else {
    log.error({ err: error }, "error in an OTLP request");
    answer(response, 500, form.contentType, form.encodeStatus(status.INTERNAL, message));
  }
}

function answerText(response: ServerResponse, code: number, text: string): void {
  answer(response, code, "text/plain", text);
}

function answer(
  response: ServerResponse,
  code: number,
  contentType: string,
  body: Uint8Array | string,
): void {
  const contentLength = typeof body === "string" ? Buffer.byteLength(body) : body.length;
  response.writeHead(code, { "Content-Type": contentType, "Content-Length": contentLength }).end(body);
}
