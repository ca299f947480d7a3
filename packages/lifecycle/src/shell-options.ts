import { z } from "zod";
import { duration, hostPort } from "./options/fields.ts";
import { logLevel } from "./options/log-level.ts";
import { clientTlsOptions, serverTlsOptions } from "./tls/tls-options.ts";

/** The options that the shell adds to every process. */
export function shellOptions(adminHostPort: string) {
  return z.object({
    "admin.http.host-port": hostPort(adminHostPort).describe(
      "Address of the admin port: health, metrics, /version.",
    ),
    ...serverTlsOptions("admin.http"),
    "config-file": z
      .string()
      .default("")
      .describe("File with options: YAML or JSON; TOML or Java properties by the end of its name.")
      .meta({ placeholder: "path" }),
    "log-level": logLevel("info").describe("Least severe level that is logged."),
    "log-encoding": z
      .enum(["auto", "json", "console"])
      .default("auto")
      .describe("Form of log lines; auto is console on a terminal and json otherwise."),
    "metrics-backend": z
      .enum(["prometheus", "none"])
      .default("prometheus")
      .describe("Whether the admin port serves metrics, as Prometheus takes them, or none."),
    "metrics-http-route": z
      .string()
      .regex(/^\/[^\s?#]*$/, "not a path such as /metrics")
      .default("/metrics")
      .describe("Path of the metrics on the admin port.")
      .meta({ placeholder: "path" }),
    "tracing.otlp.endpoint": z
      .string()
      .default("")
      .describe(
        "Collector that gets spans of this process's own requests: http://localhost:4318, OTLP over HTTP. Empty: none.",
      )
      .meta({ placeholder: "url" }),
    ...clientTlsOptions("tracing.otlp"),
    "shutdown-timeout": duration("10s").describe(
      "How long a graceful stop may take before the process exits.",
    ),
  });
}

export type ShellOptions = z.infer<ReturnType<typeof shellOptions>>;
