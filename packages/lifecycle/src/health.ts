import type { Logger } from "./logger.ts";

export type HealthStatus = "available" | "not available";

/** Whether the process can do its work now. A reason goes with "not available" and is logged on every change. */
export interface Health {
  readonly status: HealthStatus;
  /** @param reason why it is not available, for people: "storage at http://127.0.0.1:8123 does not answer" */
  set(status: HealthStatus, reason?: string): void;
}

/** Health with the time since which the process is up, as the admin port reports it. */
export class ProcessHealth implements Health {
  #status: HealthStatus = "not available";
  #upSince: Date | undefined;
  readonly #log: Logger;

  constructor(log: Logger) {
    this.#log = log;
  }

  get status(): HealthStatus {
    return this.#status;
  }

  /** When the status last became "available". */
  get upSince(): Date | undefined {
    return this.#upSince;
  }

  set(status: HealthStatus, reason?: string): void {
    if (status === this.#status) {
      return;
    }
    this.#status = status;
    this.#upSince = status === "available" ? new Date() : undefined;
    this.#log.info({ reason }, `health: ${status}`);
  }
}
