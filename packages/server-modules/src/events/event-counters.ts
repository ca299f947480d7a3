import { Counter, type Registry } from "@prometheus-io/client";
import type { ResourceKind, SharedResource } from "server-core/modules/usage-pool";

/**
 * - `done`: the handler finished
 * - `failed`: it threw an error
 * - `aborted`: the handler stopped the action that caused the event
 * - `timeout`: the handler took too long; later events did not wait for it
 * - `dropped`: too many events waited, or the config was replaced
 */
export type HandlerOutcome = "done" | "failed" | "aborted" | "timeout" | "dropped";

/** Counts the outcomes of events, over all configs. */
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

  handled(handler: string, outcome: HandlerOutcome): void {
    this.#handled.inc({ handler, outcome });
  }

  close(): void {
    this.#registry.removeSingleMetric("server_events_handled_total");
  }
}

/** One set of counters for all configs, so a reload does not reset them. */
export const eventCounters: ResourceKind<EventCounters> = { name: "events.counters" };
