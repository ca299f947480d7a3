import { clientTlsOptions, duration } from "lifecycle";
import { z } from "zod";

/** Options for metrics in a Prometheus server. An option that Jaeger has too keeps Jaeger's name and default. */
export function prometheusOptions() {
  return {
    "metrics-storage.type": z
      .enum(["", "prometheus"])
      .default("")
      .describe("Where rates, errors and durations come from: the store itself, or prometheus."),
    "prometheus.server-url": z
      .string()
      .transform((text) => text.replaceAll(" ", ""))
      .refine((text) => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol), {
        error: "not a URL such as http://localhost:9090",
      })
      .prefault("http://localhost:9090")
      .describe("Prometheus, or what answers as it does; its API is at /api/v1 below this URL.")
      .meta({ placeholder: "url" }),
    "prometheus.connect-timeout": duration("30s").describe("How long connecting to Prometheus may take."),
    "prometheus.token-file": z
      .string()
      .default("")
      .describe("File with a bearer token for Prometheus.")
      .meta({ placeholder: "path" }),
    "prometheus.token-override-from-context": z
      .boolean()
      .default(true)
      .describe("Whether the client's bearer token is sent to Prometheus instead."),
    "prometheus.query.namespace": z
      .string()
      .regex(/^[a-zA-Z0-9_:]*$/, "not the beginning of a metric's name")
      .default("traces_span_metrics")
      .describe("What the names of the metrics begin with.")
      .meta({ placeholder: "name" }),
    "prometheus.query.duration-unit": z
      .enum(["ms", "s"])
      .default("ms")
      .describe("Unit of the durations in Prometheus."),
    "prometheus.query.normalize-calls": z
      .boolean()
      .default(false)
      .describe("Whether the counter is named calls_total rather than calls."),
    "prometheus.query.normalize-duration": z
      .boolean()
      .default(false)
      .describe("Whether the histogram's name has its unit: duration_milliseconds_bucket."),
    "prometheus.query.tenant-label": z
      .string()
      .regex(/^(?:[a-zA-Z_][a-zA-Z0-9_]*)?$/, "not the name of a label")
      .default("")
      .describe("Label of the metrics that names the tenant; needed with --multi-tenancy.enabled.")
      .meta({ placeholder: "name" }),
    ...clientTlsOptions("prometheus"),
  };
}

/** Parsed options that include `prometheusOptions`. */
export type PrometheusOptions = z.infer<z.ZodObject<ReturnType<typeof prometheusOptions>>>;
