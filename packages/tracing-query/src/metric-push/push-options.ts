import { duration } from "lifecycle";
import { z } from "zod";
import { headerLines } from "../header-lines.ts";

function address(what: string) {
  return z
    .string()
    .refine((text) => text === "" || /^https?:\/\/[^\s/]/.test(text), {
      error: "is not an address such as http://localhost:9090/api/v1/write",
    })
    .default("")
    .describe(what)
    .meta({ placeholder: "url" });
}

/** Options of `--query.metrics-push`: rates, errors and durations of spans, sent to others. */
export function metricPushOptions() {
  return {
    "query.metrics-push.remote-write-url": address(
      "Address that takes span metrics by Prometheus remote write, such as http://localhost:9090/api/v1/write.",
    ),
    "query.metrics-push.otlp-url": address(
      "Address that takes span metrics by OTLP over HTTP, such as http://localhost:4318/v1/metrics.",
    ),
    "query.metrics-push.interval": duration("1m").describe("Time between two pushes of span metrics."),
    "query.metrics-push.headers": headerLines()
      .describe(
        'Header "Key: Value" of every push, such as "Authorization: Bearer …"; the option may be given several times.',
      )
      .meta({ secret: true }),
    "query.metrics-push.tenant": z
      .string()
      .default("")
      .describe("Tenant whose span metrics are pushed, with --multi-tenancy.enabled."),
  };
}
