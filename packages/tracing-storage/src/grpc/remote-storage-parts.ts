import type { Logger, TenantCheck } from "lifecycle";
import type { TraceStore } from "storage/api";

/** Data and services for the handlers of the remote storage API. */
export interface RemoteStorageParts {
  /** Store of the spans: the embedded engine, or a cluster. */
  readonly store: Pick<TraceStore, "reader" | "writer" | "dependencies" | "archive">;
  readonly tenants: TenantCheck;
  readonly log: Logger;
}
