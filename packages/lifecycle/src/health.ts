export type HealthStatus = "available" | "not available";

/** Whether the process can do its work now. A reason goes with "not available" and is logged on every change. */
export interface Health {
  readonly status: HealthStatus;
  /** @param reason why it is not available, for people: "storage at http://127.0.0.1:8123 does not answer" */
  set(status: HealthStatus, reason?: string): void;
}
