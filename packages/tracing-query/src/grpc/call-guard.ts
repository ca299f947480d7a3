import type { TenantCheck } from "lifecycle";
import type { RequestGate } from "../service/request-gate.ts";

/** Checks and limits that every call passes before it reads anything. */
export interface CallGuard {
  readonly tenants: TenantCheck;
  /** True: the client's bearer token is handed on to the store. */
  readonly propagateToken: boolean;
  /** Limits how many calls read traces at the same time. */
  readonly gate: RequestGate;
}
