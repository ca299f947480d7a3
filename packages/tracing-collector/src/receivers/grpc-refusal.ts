import { Metadata, type ServiceError, status } from "@grpc/grpc-js";
import { WireError } from "wire/errors";
import { encodeRpcStatus } from "wire/otlp/rpc-status";
import type { GrpcFailure } from "./grpc-status.ts";
import { refusalOf } from "./refusal.ts";
import { TenantError } from "./tenant.ts";

/**
 * Maps an error of a handler to the end of a gRPC call. A refusal carries `google.rpc.RetryInfo`. Bytes that
 * do not parse get `invalidStatus`, an unknown tenant PERMISSION_DENIED, anything else INTERNAL. Source:
 * OpenTelemetry protocol specification, "OTLP/gRPC Throttling"; google/rpc/error_details.proto
 */
export function grpcFailureOf(error: unknown, invalidStatus: status): GrpcFailure {
  const details = error instanceof Error ? error.message : String(error);
  const refusal = refusalOf(error);
  if (refusal === undefined) {
    if (error instanceof TenantError) {
      return { code: status.PERMISSION_DENIED, details };
    }
    return { code: error instanceof WireError ? invalidStatus : status.INTERNAL, details };
  }
  if (refusal.retryAfterS === undefined) {
    return { code: refusal.grpcStatus, details };
  }
  const rpcStatus = encodeRpcStatus(refusal.grpcStatus, details);
  const statusDetails = Buffer.concat([rpcStatus, retryInfoDetail(refusal.retryAfterS)]);
  return { code: refusal.grpcStatus, details, statusDetails };
}

/** Converts a refusal to the form of grpc-js. */
export function serviceErrorOf({ code, details, statusDetails }: GrpcFailure): Partial<ServiceError> {
  if (statusDetails === undefined) {
    return { code, details };
  }
  const metadata = new Metadata();
  metadata.set("grpc-status-details-bin", Buffer.from(statusDetails));
  return { code, details, metadata };
}

/** Field 3 (`details`) of `google.rpc.Status`: an `Any` that holds `RetryInfo { retry_delay { seconds } }`. */
function retryInfoDetail(seconds: number): Buffer {
  const typeUrl = Buffer.from("type.googleapis.com/google.rpc.RetryInfo");
  const delay = [0x08, ...varintOf(seconds)];
  const retryInfo = Buffer.from([0x0a, delay.length, ...delay]);
  const any = Buffer.concat([
    Buffer.from([0x0a, typeUrl.length]),
    typeUrl,
    Buffer.from([0x12, retryInfo.length]),
    retryInfo,
  ]);
  return Buffer.concat([Buffer.from([0x1a, any.length]), any]);
}

/** @param value below 2 ** 31 */
function varintOf(value: number): number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...varintOf(value >>> 7)];
}
