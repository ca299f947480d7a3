import type { EventEmitter } from "node:events";
import { type Metadata, status } from "@grpc/grpc-js";
import { type TenantCheck, type TenantProblem, tenantProblemTexts } from "lifecycle";
import { callSignal } from "./call-signal.ts";
import type { GrpcFailure } from "./grpc-status.ts";

/** As the public model answers. */
const codes: Readonly<Record<TenantProblem, status>> = {
  missing: status.UNAUTHENTICATED,
  extra: status.PERMISSION_DENIED,
  unknown: status.PERMISSION_DENIED,
};

/** What a read of the store is told of the call it is for. */
export interface CallReadOptions {
  readonly tenant: string;
  /** Aborted when the client cancels, goes away, or its deadline passes. */
  readonly signal: AbortSignal;
}

/** @returns what the client is told instead, where its metadata name no tenant that is served */
export function readOptionsOf(
  call: EventEmitter & { readonly metadata: Metadata },
  tenants: TenantCheck,
): CallReadOptions | GrpcFailure {
  const found = tenants.check(call.metadata.get(tenants.header).map(String));
  return "problem" in found
    ? { code: codes[found.problem], details: tenantProblemTexts[found.problem] }
    : { tenant: found.tenant, signal: callSignal(call) };
}
