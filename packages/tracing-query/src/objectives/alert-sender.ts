import type { AlertMessage } from "./alert-message.ts";
import { AlertTarget, type TargetParts } from "./alert-target.ts";
import type { AlertTargetSettings } from "./objective.ts";

/** All alert targets of a file. Each target has its own queue, so a hanging target delays no other target. */
export class AlertSender {
  readonly #parts: TargetParts;
  #targets: ReadonlyMap<string, AlertTarget> = new Map();

  constructor(parts: TargetParts) {
    this.#parts = parts;
  }

  get targets(): readonly AlertTarget[] {
    return [...this.#targets.values()];
  }

  /** Creates new targets, and closes removed targets with their queues. */
  use(settings: readonly AlertTargetSettings[]): void {
    const before = this.#targets;
    const next = new Map<string, AlertTarget>();
    for (const one of settings) {
      const key = JSON.stringify(one);
      next.set(key, before.get(key) ?? next.get(key) ?? new AlertTarget(one, this.#parts));
    }
    this.#targets = next;
    for (const [key, target] of before) {
      if (!next.has(key)) {
        void target.close();
      }
    }
  }

  /** Sends a message to all targets: an alert began or ended. */
  changed(message: AlertMessage): void {
    for (const target of this.#targets.values()) {
      target.submit(message);
    }
  }

  /**
   * Repeats a firing alert. Alertmanager forgets an alert that is not repeated, and a new target does not know it yet.
   */
  again(message: AlertMessage): void {
    for (const target of this.#targets.values()) {
      if (target.settings.kind === "alertmanager" || !target.knows(message)) {
        target.submit(message);
      }
    }
  }

  /** Sends queued messages until the signal is aborted, then closes all targets. */
  async close(signal: AbortSignal): Promise<void> {
    await Promise.all(this.targets.map((target) => target.drain(signal)));
    await Promise.all(this.targets.map((target) => target.close()));
  }
}
