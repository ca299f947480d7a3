import { encodeExportResponse, encodeExportResponseJson } from "wire/otlp/export-response";
import { OtlpJsonTranscoder } from "wire/otlp/otlp-json-transcoder";
import { OtlpTranscoder } from "wire/otlp/otlp-transcoder";
import { encodeRpcStatus, encodeRpcStatusJson } from "wire/otlp/rpc-status";
import { SpanIntake } from "../pipeline/span-intake.ts";
import { listenHttp } from "./http-listener.ts";
import { type OtlpHttpSettings, otlpForm, otlpHandler } from "./otlp-requests.ts";
import type { Receiver, ReceiverAddress, ReceiverContext } from "./receiver.ts";
import { maxRowsBytes } from "./request-limits.ts";

/**
 * OTLP over HTTP: `POST /v1/traces`, protobuf or JSON, compressed or not. Faulty bodies get `google.rpc.Status`,
 * refusals get 429 or 503 with `Retry-After`, unknown tenants get 403. Source: OpenTelemetry protocol specification,
 * "OTLP/HTTP"; texts of 404, 405 and 415 as in Jaeger
 * @throws StartError
 */
export async function openOtlpHttp(
  address: ReceiverAddress,
  { timeouts, cors }: OtlpHttpSettings,
  context: ReceiverContext,
): Promise<Receiver> {
  const forms = [
    otlpForm("application/x-protobuf", new SpanIntake(context, { transport: "http", format: "otlp" }), {
      transcoder: new OtlpTranscoder({ maxRowsBytes }),
      encodeOutcome: encodeExportResponse,
      encodeStatus: encodeRpcStatus,
    }),
    otlpForm("application/json", new SpanIntake(context, { transport: "http", format: "otlp-json" }), {
      transcoder: new OtlpJsonTranscoder({ maxRowsBytes }),
      encodeOutcome: encodeExportResponseJson,
      encodeStatus: encodeRpcStatusJson,
    }),
  ];
  const handler = otlpHandler(cors, forms, context);
  return await listenHttp(address, { timeouts, log: context.log, handler });
}
