import type { EventEmitter } from "node:events";
import { type Metadata, status } from "@grpc/grpc-js";
import { type TenantCheck, type TenantProblem, tenantProblemTexts } from "lifecycle";
import type { GrpcFailure } from "./grpc-failure.ts";

/** gRPC codes, as in Jaeger. */
const codes: Readonly<Record<TenantProblem, status>> = {
  missing: status.UNAUTHENTICATED,
  extra: status.PERMISSION_DENIED,
  unknown: status.PERMISSION_DENIED,
};

/** Data about a call that the store needs. */
export interface CallFacts {
  readonly tenant: string;
  /** Aborted when the client cancels or disconnects, or when its time limit passes. */
  readonly signal: AbortSignal;
}

/** @returns the failure for the client if its metadata name no tenant that is served */
export function callFactsOf(
  call: EventEmitter & { readonly metadata: Metadata },
  tenants: TenantCheck,
): CallFacts | GrpcFailure {
  const found = tenants.check(call.metadata.get(tenants.header).map(String));
  if ("problem" in found) {
    return { code: codes[found.problem], details: tenantProblemTexts[found.problem] };
  }
  const controller = new AbortController();
  call.once("cancelled", () => controller.abort());
  return { tenant: found.tenant, signal: controller.signal };
}
