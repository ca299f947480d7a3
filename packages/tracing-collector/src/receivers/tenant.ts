import type { IncomingMessage } from "node:http";
import { type TenantCheck, tenantProblemTexts } from "lifecycle/tenant-check";

/** A request without a tenant, or with an unknown one. The message is the public model's. */
export class TenantError extends Error {
  override readonly name = "TenantError";
}

/** The metadata of a call, of grpc-js or of our own server: all values of one name. */
export interface CallMetadata {
  get(name: string): readonly (string | Buffer)[];
}

/**
 * The tenant of an HTTP request; a repeated header is an error.
 * @returns "" when tenancy is off
 * @throws TenantError
 */
export function httpTenant(tenants: TenantCheck, request: IncomingMessage): string {
  return tenants.enabled ? tenantOf(tenants, request.headersDistinct[tenants.header] ?? []) : "";
}

/**
 * The tenant of a gRPC call; a repeated value is an error.
 * @returns "" when tenancy is off
 * @throws TenantError
 */
export function grpcTenant(tenants: TenantCheck, metadata: CallMetadata): string {
  return tenants.enabled ? tenantOf(tenants, metadata.get(tenants.header).map(String)) : "";
}

function tenantOf(tenants: TenantCheck, values: readonly string[]): string {
  const found = tenants.check(values);
  if ("problem" in found) {
    throw new TenantError(tenantProblemTexts[found.problem]);
  }
  return found.tenant;
}
