import { type TenantCheck, tenantProblemTexts } from "lifecycle/tenant-check";

/** The error for a request without a tenant, or with an unknown tenant. The message is Jaeger's. */
export class TenantError extends Error {
  override readonly name = "TenantError";
}

/** The metadata of a call, from grpc-js or from our own server: returns all values of one name. */
export interface CallMetadata {
  get(name: string): readonly (string | Buffer)[];
}

/** The headers of an HTTP request, with all values of each name in lower case. */
interface HeadersDistinct {
  readonly headersDistinct: Readonly<Record<string, readonly string[] | undefined>>;
}

/**
 * The tenant of an HTTP request; a repeated header is an error.
 * @returns "" when tenancy is off
 * @throws TenantError
 */
export function httpTenant(tenants: TenantCheck, request: HeadersDistinct): string {
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
