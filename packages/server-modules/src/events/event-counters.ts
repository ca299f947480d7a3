import { Counter, type Registry } from "@prometheus-io/client";
import type { ResourceKind, SharedResource } from "server-core/modules/usage-pool";

/**
 * - `done`: the handler came to its end
 * - `failed`: it threw an error
 * - `aborted`: it wants the event's cause to stop
 * - `timeout`: it took too long, and others went on
 * - `dropped`: too many events waited, or the config was gone
 */
export type HandlerOutcome = "done" | "failed" | "aborted" | "timeout" | "dropped";

/** Outcomes of events, over all configs. */
export class EventCounters implements SharedResource {
  readonly #registry: Registry;
  readonly #handled: Counter<"handler" | "outcome">;

  constructor(registry: Registry) {
    this.#registry = registry;
    this.#handled = new Counter({
      name: "server_events_handled_total",
      help: "Events that a handler was called with, or that passed it by because too many waited, by what came of it.",
      labelNames: ["handler", "outcome"],
      registers: [registry],
    });
  }

  /** Counts an outcome. */
  handled(handler: string, outcome: HandlerOutcome): void {
    this.#handled.inc({ handler, outcome });
  }

  close(): void {
    this.#registry.removeSingleMetric("server_events_handled_total");
  }
}

/** One set of counters for all configs, so that a reload does not begin at 0. */
export const eventCounters: ResourceKind<EventCounters> = { name: "events.counters" };
