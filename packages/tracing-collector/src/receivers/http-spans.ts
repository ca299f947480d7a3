import { status } from "@grpc/grpc-js";
import type { Logger } from "lifecycle";
import { activeSpan } from "lifecycle/own-span";
import { acceptedEncodings, decompress, isKnownEncoding, isPlainEncoding } from "wire/compression/decompress";
import { WireError } from "wire/errors";
import type { TranscodeResult } from "wire/rows/message-transcoder";
import { CollectorError, type CollectorErrorCode } from "../errors.ts";
import type { SpanIntake } from "../pipeline/span-intake.ts";
import { HttpError } from "./http-error.ts";
import type { HttpRequest, HttpResponse } from "./http-messages.ts";
import type { ReceiverContext } from "./receiver.ts";
import { refusalOf } from "./refusal.ts";
import { httpTenant, TenantError } from "./tenant.ts";

/** The parts of receiving spans over HTTP that differ between protocols. */
export interface HttpSpanForm {
  readonly intake: SpanIntake;
  /** @throws WireError */
  transcode(body: Buffer, tenant: string): TranscodeResult;
  /**
   * Writes the answer after the spans were stored, in the protocol's form. It contains the number of rejected spans if
   * the protocol has a field for it.
   */
  answerKept(response: HttpResponse, outcome: TranscodeResult): void;
  /** Answers a batch that was refused as a whole. */
  answerFailure(response: HttpResponse, failure: HttpFailure): void;
}

/**
 * The reason why a request was refused. When the sender should try again, `Retry-After` is already set on the
 * response.
 */
export interface HttpFailure {
  /** HTTP status. After 429 and 503 the client should send again. */
  readonly httpStatus: 400 | 403 | 413 | 415 | 429 | 500 | 503;
  /** The corresponding gRPC status, for bodies that contain one. */
  readonly grpcStatus: status;
  /** Reason, for people who read the client's log. */
  readonly message: string;
}

/** Refusals before spans were read, which the intake has not counted. */
const bodyErrors: ReadonlySet<CollectorErrorCode> = new Set(["COLLECTOR_BODIES_BUSY", "COLLECTOR_BODY_LATE"]);

/**
 * Receives the spans of one request: finds the tenant, reads and decompresses the body, and stores its rows. Answers
 * the request, unless the sender has disconnected. Never throws.
 */
export function receiveSpans(
  form: HttpSpanForm,
  { bodies, tenants, log }: ReceiverContext,
  request: HttpRequest,
  response: HttpResponse,
): void {
  activeSpan()?.describe(`${request.method} spans`, {
    "url.path": (request.url ?? "").split("?", 1)[0] ?? "",
  });
  async function keep(): Promise<TranscodeResult> {
    const tenant = httpTenant(tenants, request);
    const encoding = request.headers["content-encoding"] ?? "";
    return await bodies.read(request, async (body) => {
      const message = decodeContent(body, encoding, bodies.maxBytes);
      const outcome = form.transcode(message, tenant);
      await form.intake.keep(outcome, message.length, tenant);
      return outcome;
    });
  }
  keep().then(
    (outcome) => form.answerKept(response, outcome),
    (error: unknown) => {
      request.dropBody();
      // The sender has disconnected.
      if (response.destroyed) {
        return;
      }
      form.answerFailure(response, failureOf(error, form.intake, response, log));
    },
  );
}

/**
 * Decodes a `Content-Encoding`.
 * @param encoding value of the header; "" and "identity" mean that the body is not encoded
 * @throws HttpError 415 for an unknown encoding; 400 for an invalid body; 413 when the result exceeds `maxBytes`
 */
export function decodeContent(body: Buffer, encoding: string, maxBytes: number): Buffer {
  const name = encoding.trim().toLowerCase();
  if (isPlainEncoding(name)) {
    return body;
  }
  if (!isKnownEncoding(name)) {
    throw new HttpError(415, `unsupported Content-Encoding: ${encoding}`);
  }
  try {
    return decompress(body, name, maxBytes);
  } catch (cause) {
    if (!(cause instanceof WireError)) {
      throw cause;
    }
    if (cause.code === "WIRE_TOO_LARGE") {
      throw new HttpError(413, `request body is over the limit of ${maxBytes} bytes when decompressed`, {
        cause,
      });
    }
    throw new HttpError(400, `request body is not ${name}: ${cause.message}`, { cause });
  }
}

function failureOf(error: unknown, intake: SpanIntake, response: HttpResponse, log: Logger): HttpFailure {
  const message = error instanceof Error ? error.message : String(error);
  const refusal = refusalOf(error);
  if (refusal !== undefined) {
    if (error instanceof CollectorError && bodyErrors.has(error.code)) {
      intake.refused();
    }
    if (refusal.retryAfterS !== undefined) {
      response.setHeader("Retry-After", refusal.retryAfterS);
    }
    return { httpStatus: refusal.httpStatus, grpcStatus: refusal.grpcStatus, message };
  }
  if (error instanceof TenantError) {
    intake.invalid();
    return { httpStatus: 403, grpcStatus: status.PERMISSION_DENIED, message };
  }
  if (error instanceof HttpError || error instanceof WireError) {
    intake.invalid();
    const httpStatus = error instanceof HttpError ? error.status : 400;
    // RFC 9110, section 15.5.16: the header lists the accepted encodings.
    if (httpStatus === 415) {
      response.setHeader("Accept-Encoding", acceptedEncodings);
    }
    return { httpStatus, grpcStatus: status.INVALID_ARGUMENT, message };
  }
  log.error({ err: error }, "error in a request with spans");
  return { httpStatus: 500, grpcStatus: status.INTERNAL, message };
}
