import type { Logger } from "./logger.ts";

export type HealthStatus = "available" | "not available";

/** Whether the process can do its work now. A reason goes with "not available" and is logged on every change. */
export interface Health {
  readonly status: HealthStatus;
  /** @param reason why it is not available, for people: "storage at http://127.0.0.1:8123 does not answer" */
  set(status: HealthStatus, reason?: string): void;
  /**
   * Says that the process works, but not as it should: it stays available, and the admin port and the log say why.
   * @param topic one of a few; each has one reason at a time
   * @param reason for people; undefined when all is well again
   */
  degrade(topic: string, reason: string | undefined): void;
}

/** Health with the time since which the process is up, as the admin port reports it. */
export class ProcessHealth implements Health {
  #status: HealthStatus = "not available";
  #upSince: Date | undefined;
  readonly #log: Logger;
  readonly #degraded = new Map<string, string>();

  constructor(log: Logger) {
    this.#log = log;
  }

  /** Why the process does not work as it should, though it works. */
  get degraded(): readonly string[] {
    return [...this.#degraded.values()];
  }

  degrade(topic: string, reason: string | undefined): void {
    if (this.#degraded.get(topic) === reason) return;
    if (reason === undefined) this.#degraded.delete(topic);
    else this.#degraded.set(topic, reason);
    if (reason === undefined) this.#log.info({ topic }, "health: no longer degraded");
    else this.#log.warn({ topic, reason }, "health: degraded");
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
