import { Counter } from "@prometheus-io/client";
import type { ConfigDocument } from "server-core/engine/config-document";
import type { Participant, Transition } from "server-core/engine/participant";
import { messageOf } from "server-core/errors";
import { isJsonObject, member } from "server-core/json/json-value";
import type { ServerServices } from "server-core/modules/config-scope";
import type { Environment } from "server-core/otlp/environment-values";
import { allMetricValues } from "server-core/threads/all-metrics";
import { MetricsPush } from "./metrics-push.ts";
import { type PushSettings, readPushSettings } from "./push-settings.ts";

/** True when `apps.http.metrics.otlp` is true. The app refuses a value of a wrong type. */
function wantsPush({ apps }: ConfigDocument): boolean {
  const http = apps.get("http") ?? null;
  const metrics = isJsonObject(http) ? (member(http, "metrics") ?? null) : null;
  return isJsonObject(metrics) && member(metrics, "otlp") === true;
}

/**
 * Pushes the metrics of all threads while the config has `apps.http.metrics.otlp`. The participant runs in the main
 * thread, which adds up the counts of all threads. A reload keeps the running push.
 */
export class MetricsPushParticipant implements Participant {
  readonly #services: ServerServices;
  readonly #environment: Environment;
  #failures: Counter | undefined;
  #push: MetricsPush | undefined;

  /**
   * @param environment variables with the settings. The exporter itself reads further `OTEL_*` variables from the
   * process.
   */
  constructor(services: ServerServices, environment: Environment = process.env) {
    this.#services = services;
    this.#environment = environment;
  }

  async prepare(document: ConfigDocument): Promise<Transition> {
    const settings = wantsPush(document) ? readPushSettings(this.#environment) : undefined;
    const next = settings === undefined ? undefined : (this.#push ?? (await this.#start(settings)));
    return {
      commit: () => {
        const previous = this.#push;
        this.#push = next;
        if (previous !== next) {
          this.#end(previous);
        }
      },
      rollback: async () => {
        if (next !== this.#push) {
          await next?.stop();
        }
      },
    };
  }

  async check(document: ConfigDocument): Promise<void> {
    if (wantsPush(document)) {
      readPushSettings(this.#environment);
    }
  }

  async stop(): Promise<void> {
    await this.#push?.stop();
    this.#push = undefined;
  }

  #end(push: MetricsPush | undefined): void {
    push?.stop().catch((error: unknown) => {
      this.#services.log.error(`the last push of metrics: ${messageOf(error)}`);
    });
  }

  async #start({ intervalMs, timeoutMs, grpc }: PushSettings): Promise<MetricsPush> {
    const { log, messages, metrics } = this.#services;
    const { otlpMetricsExporter } = await import("./otlp-metrics-exporter.ts"); // loaded on first use
    this.#failures ??= new Counter({
      name: "server_metrics_push_failures_total",
      help: "Pushes of metrics to the collector that failed.",
      registers: [metrics],
    });
    return new MetricsPush({
      exporter: otlpMetricsExporter(timeoutMs, grpc),
      collect: () => allMetricValues(metrics, messages),
      intervalMs,
      failures: this.#failures,
      log,
    });
  }
}
