import { Gauge, type Registry } from "@prometheus-io/client";

/**
 * Metrics for Caddy's dashboards: whether the last load of a config succeeded, and when the last successful
 * load was.
 */
export class ConfigMetrics {
  readonly #successful: Gauge;
  readonly #at: Gauge;

  constructor(registry: Registry) {
    this.#successful = new Gauge({
      name: "server_config_last_reload_successful",
      help: "Whether the last configuration reload attempt was successful.",
      registers: [registry],
    });
    this.#at = new Gauge({
      name: "server_config_last_reload_success_timestamp_seconds",
      help: "Timestamp of the last successful configuration reload.",
      registers: [registry],
    });
  }

  reloadSucceeded(): void {
    this.#successful.set(1);
    this.#at.setToCurrentTime();
  }

  reloadFailed(): void {
    this.#successful.set(0);
  }
}
