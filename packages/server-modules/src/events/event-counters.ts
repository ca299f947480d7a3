import { Counter, type Registry } from "@prometheus-io/client";
import type { ResourceKind, SharedResource } from "server-core/modules/usage-pool";

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

  handled(handler: string, outcome: HandlerOutcome): void {
    this.#handled.inc({ handler, outcome });
  }

  close(): void {
    this.#registry.removeSingleMetric("server_events_handled_total");
  }
}

export const eventCounters: ResourceKind<EventCounters> = { name: "events.counters" };
