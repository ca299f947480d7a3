import type { TenantCheck } from "lifecycle";
import type { AccessCheck } from "../access/access.ts";
import type { RequestGate } from "../service/request-gate.ts";

/** Checks and limits that every call passes before it reads anything. */
export interface CallGuard {
  /** Finds the tenant of a call, and refuses calls without one where tenancy is on. */
  readonly tenants: TenantCheck;
  /** Finds the rights of each call; undefined without a file of access: then everybody may do everything. */
  readonly access?: AccessCheck | undefined;
  /** True: the client's bearer token is forwarded to the store. */
  readonly propagateToken: boolean;
  /** Limits how many calls read traces at the same time. */
  readonly gate: RequestGate;
}
