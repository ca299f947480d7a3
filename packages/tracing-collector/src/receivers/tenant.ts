import type { IncomingMessage } from "node:http";
import { type TenantCheck, tenantProblemTexts } from "lifecycle";

/** A request that does not name its tenant, or not one that is served. The message is the public model's. */
export class TenantError extends Error {
  override readonly name = "TenantError";
}

/** The metadata of a call, grpc-js' or our own: all values of one name. */
export interface CallMetadata {
  get(name: string): readonly (string | Buffer)[];
}

/**
 * The tenant of an HTTP request; several lines of that name are an error.
 * @returns "" where tenancy is off
 * @throws TenantError
 */
export function httpTenant(tenants: TenantCheck, request: IncomingMessage): string {
  return tenants.enabled ? tenantOf(tenants, request.headersDistinct[tenants.header] ?? []) : "";
}

/**
 * The tenant of a gRPC call; several values of its metadata are an error.
 * @returns "" where tenancy is off
 * @throws TenantError
 */
export function grpcTenant(tenants: TenantCheck, metadata: CallMetadata): string {
  return tenants.enabled ? tenantOf(tenants, metadata.get(tenants.header).map(String)) : "";
}

function tenantOf(tenants: TenantCheck, values: readonly string[]): string {
  const found = tenants.check(values);
  if ("problem" in found) throw new TenantError(tenantProblemTexts[found.problem]);
  return found.tenant;
}
