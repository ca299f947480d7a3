import type { EventEmitter } from "node:events";
import { type Metadata, status } from "@grpc/grpc-js";
import { type TenantProblem, tenantProblemTexts } from "lifecycle";
import { type PartialReason, PartialReasons } from "storage/api";
import { bearerTokenOf } from "../service/bearer-token.ts";
import type { CallGuard } from "./call-guard.ts";
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
  readonly bearerToken?: string;
  /** Why the answer is partial, as far as the reads have said. */
  readonly reasons: PartialReasons;
  readonly onPartial: (reason: PartialReason) => void;
}

/** @returns what the client is told instead, where its metadata name no tenant that is served */
export function readOptionsOf(
  call: EventEmitter & { readonly metadata: Metadata },
  { tenants, propagateToken }: Pick<CallGuard, "tenants" | "propagateToken">,
): CallReadOptions | GrpcFailure {
  const found = tenants.check(call.metadata.get(tenants.header).map(String));
  if ("problem" in found) {
    return { code: codes[found.problem], details: tenantProblemTexts[found.problem] };
  }
  const authorization = call.metadata.get("authorization")[0]?.toString();
  const bearerToken = propagateToken ? bearerTokenOf({ authorization }) : undefined;
  const reasons = new PartialReasons();
  return {
    tenant: found.tenant,
    signal: callSignal(call),
    ...{ reasons, onPartial: reasons.add },
    ...(bearerToken === undefined ? {} : { bearerToken }),
  };
}
