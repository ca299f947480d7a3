import type { Logger, TenantCheck } from "lifecycle";
import type { TraceStore } from "storage/api";

/** Everything that the handlers of the remote storage API need. */
export interface RemoteStorageParts {
  /** Store of the spans: the embedded engine, or a cluster. */
  readonly store: Pick<TraceStore, "reader" | "writer" | "dependencies" | "archive">;
  readonly tenants: TenantCheck;
  readonly log: Logger;
}
