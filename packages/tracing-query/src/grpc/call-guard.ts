import type { TenantCheck } from "lifecycle";
import type { RequestGate } from "../service/request-gate.ts";

/** What all calls are checked and held up by. */
export interface CallGuard {
  readonly tenants: TenantCheck;
  /** Whether the client's bearer token goes on to the store. */
  readonly propagateToken: boolean;
  /** For calls that bring traces. */
  readonly gate: RequestGate;
}
