import type { Logger } from "./logger.ts";

/**
 * `available`: load balancers may send requests. `not available`: the process is starting or stopping, or a service
 * that it needs is missing.
 */
export type HealthStatus = "available" | "not available";

/** The ability of the process to work now. "Not available" has a reason, which is logged at every change. */
export interface Health {
  /** The status that was set last; before that, `not available`. */
  readonly status: HealthStatus;
  /**
   * @param reason the reason why the process is not available, such as "storage at http://127.0.0.1:8123 does not
   * answer"
   */
  set(status: HealthStatus, reason?: string): void;
  /**
   * Reports a fault of a process that still works. The process stays available, but the admin port and the log name the
   * fault.
   * @param topic name from a small set; each topic has at most one reason
   * @param reason text for people; undefined when the fault is over
   */
  degrade(topic: string, reason: string | undefined): void;
}

/** The health of the process, and the time since which it is available, for the admin port. */
export class ProcessHealth implements Health {
  #status: HealthStatus = "not available";
  #upSince: Date | undefined;
  readonly #log: Logger;
  readonly #degraded = new Map<string, string>();

  constructor(log: Logger) {
    this.#log = log;
  }

  /** The current faults of a process that still works. */
  get degraded(): readonly string[] {
    return [...this.#degraded.values()];
  }

  degrade(topic: string, reason: string | undefined): void {
    if (this.#degraded.get(topic) === reason) {
      return;
    }
    if (reason === undefined) {
      this.#degraded.delete(topic);
    } else {
      this.#degraded.set(topic, reason);
    }
    if (reason === undefined) {
      this.#log.info({ topic }, "health: no longer degraded");
    } else {
      this.#log.warn({ topic, reason }, "health: degraded");
    }
  }

  get status(): HealthStatus {
    return this.#status;
  }

  /** Time at which the status last became "available". */
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
