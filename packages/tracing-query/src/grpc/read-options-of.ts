import type { EventEmitter } from "node:events";
import { type Metadata, status } from "@grpc/grpc-js";
import { type TenantProblem, tenantProblemTexts } from "lifecycle";
import { type PartialReason, PartialReasons } from "storage/partial-answer";
import type { AccessRead } from "../access/access.ts";
import { bearerTokenOf } from "../access/bearer-token.ts";
import { needOfMethod } from "../access/method-needs.ts";
import type { PlacedRead } from "../service/request-gate.ts";
import type { CallGuard } from "./call-guard.ts";
import { callSignal } from "./call-signal.ts";
import type { GrpcFailure } from "./grpc-status.ts";

/** Jaeger's codes. */
const codes: Readonly<Record<TenantProblem, status>> = {
  missing: status.UNAUTHENTICATED,
  extra: status.PERMISSION_DENIED,
  unknown: status.PERMISSION_DENIED,
};

/** Options of each read of the store that serves a call. */
export interface CallReadOptions extends PlacedRead, AccessRead {
  /** Tenant that the call's metadata names. */
  readonly tenant: string;
  /** Aborted when the client cancels or disconnects, or when its deadline passes. */
  readonly signal: AbortSignal;
  /** Token of the caller, passed on to the store. */
  readonly bearerToken?: string;
  /** The reads of this call add reasons why the answer is partial. */
  readonly reasons: PartialReasons;
  /** Called with each reason why the answer is partial. */
  readonly onPartial: (reason: PartialReason) => void;
}

/** The parts of a call that name its method and identify its sender. */
export interface AskedCall extends EventEmitter {
  readonly metadata: Metadata;
  /** `/package.Service/Method` */
  getPath(): string;
  /** Address and port of the client. */
  getPeer(): string;
}

/** @returns the failure for the client when its metadata names no served tenant, or its role does not allow the call */
export function readOptionsOf(
  call: AskedCall,
  { tenants, access: rules, propagateToken }: Pick<CallGuard, "tenants" | "access" | "propagateToken">,
): CallReadOptions | GrpcFailure {
  const found = tenants.check(call.metadata.get(tenants.header).map(String));
  if ("problem" in found) {
    return { code: codes[found.problem], details: tenantProblemTexts[found.problem] };
  }
  const access = rules?.check(
    {
      peer: addressOf(call.getPeer()),
      tenant: found.tenant,
      header: (name) => call.metadata.get(name).map(String),
    },
    needOfMethod(call.getPath()),
  );
  if (access !== undefined && "status" in access) {
    const code = access.status === 401 ? status.UNAUTHENTICATED : status.PERMISSION_DENIED;
    return { code, details: access.message };
  }
  const authorization = call.metadata.get("authorization")[0]?.toString();
  const bearerToken = propagateToken ? bearerTokenOf({ authorization }) : undefined;
  const reasons = new PartialReasons();
  return {
    tenant: found.tenant,
    signal: callSignal(call),
    ...{ reasons, onPartial: reasons.add },
    ...(access === undefined ? {} : { access }),
    ...(bearerToken === undefined ? {} : { bearerToken }),
  };
}

/** The address of `1.2.3.4:5`, `[::1]:5` or `::1:5`. */
function addressOf(peer: string): string {
  return peer.replace(/:\d+$/, "").replace(/^\[(.*)\]$/, "$1");
}
