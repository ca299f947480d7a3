import { type ServerUnaryCall, type sendUnaryData, status } from "@grpc/grpc-js";
import type { Logger, TenantCheck } from "lifecycle";
import { WireError } from "wire/errors";
import type { MessageTranscoder, TranscodeResult } from "wire/rows";
import { CollectorError } from "../errors.ts";
import type { SpanIntake } from "../pipeline/span-intake.ts";
import { grpcFailureOf, serviceErrorOf } from "./grpc-refusal.ts";
import type { GrpcFailure } from "./grpc-status.ts";
import { type CallMetadata, grpcTenant, TenantError } from "./tenant.ts";

/** Stores the spans of gRPC calls whose requests arrive as bytes. */
export class GrpcSpans {
  readonly #intake: SpanIntake;
  readonly #transcoder: MessageTranscoder;
  readonly #tenants: TenantCheck;
  readonly #log: Logger;
  readonly #statusOf: (error: WireError) => status;

  /** @param statusOf returns the status for invalid bytes */
  constructor(
    intake: SpanIntake,
    transcoder: MessageTranscoder,
    { tenants, log }: { readonly tenants: TenantCheck; readonly log: Logger },
    statusOf: (error: WireError) => status,
  ) {
    this.#intake = intake;
    this.#transcoder = transcoder;
    this.#tenants = tenants;
    this.#log = log;
    this.#statusOf = statusOf;
  }

  /**
   * Stores the spans of one call, and always answers the call. Never throws. @param answerOf makes the answer after the
   * spans were stored
   */
  receive<Answer>(
    { request, metadata }: ServerUnaryCall<Buffer, Answer>,
    answer: sendUnaryData<Answer>,
    answerOf: (outcome: TranscodeResult) => Answer,
  ): void {
    this.keep(request, metadata, answerOf).then(
      (kept) => answer(null, kept),
      (error: unknown) => answer(serviceErrorOf(this.failureOf(error))),
    );
  }

  /**
   * Stores the spans of one request. Its bytes are read before this function returns.
   * @returns the result of `answerOf`
   */
  async keep<Answer>(
    request: Buffer,
    metadata: CallMetadata,
    answerOf: (outcome: TranscodeResult) => Answer,
  ): Promise<Answer> {
    const tenant = grpcTenant(this.#tenants, metadata);
    const outcome = this.#transcoder.transcode(request, tenant);
    await this.#intake.keep(outcome, request.length, tenant);
    return answerOf(outcome);
  }

  /** Converts an error of `keep` to the failure of a call, and counts the error. */
  failureOf(error: unknown): GrpcFailure {
    if (error instanceof WireError || error instanceof TenantError) {
      this.#intake.invalid();
    } else if (!(error instanceof CollectorError)) {
      this.#log.error({ err: error }, "error in a gRPC call");
    }
    return grpcFailureOf(error, error instanceof WireError ? this.#statusOf(error) : status.INTERNAL);
  }
}
