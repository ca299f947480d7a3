import type { Logger, TenantCheck } from "lifecycle";
import type { TraceStore } from "storage/api";

/** What the handlers of the remote storage API work with. */
export interface RemoteStorageParts {
  /** Whose spans these are: the embedded engine's, or a cluster's. */
  readonly store: Pick<TraceStore, "reader" | "writer" | "dependencies" | "archive">;
  readonly tenants: TenantCheck;
  readonly log: Logger;
}
