/**
 * Shell lines that set the two environment variables that OpenTelemetry SDKs read.
 * @param host host name of the collector
 */
export function sdkVariables(host: string): string {
  return [
    `export OTEL_SERVICE_NAME=my-service`,
    `export OTEL_EXPORTER_OTLP_ENDPOINT=http://${host}:4318`,
  ].join("\n");
}

/**
 * Builds a curl command that sends one span.
 * @param nowMs  end of the span in milliseconds since 1970; the span lasts 120 ms
 * @param random 24 bytes: 16 for the trace id, 8 for the span id
 */
export function firstSpanCommand(host: string, nowMs: number, random: Uint8Array): string {
  const hex = Array.from(random, (byte) => byte.toString(16).padStart(2, "0")).join("");
  const body = {
    resourceSpans: [
      {
        resource: { attributes: [{ key: "service.name", value: { stringValue: "my-service" } }] },
        scopeSpans: [
          {
            spans: [
              {
                traceId: hex.slice(0, 32),
                spanId: hex.slice(32, 48),
                name: "first span",
                kind: 1,
                startTimeUnixNano: `${nowMs - 120}000000`,
                endTimeUnixNano: `${nowMs}000000`,
              },
            ],
          },
        ],
      },
    ],
  };
  return `curl http://${host}:4318/v1/traces -H 'content-type: application/json' -d '${JSON.stringify(body)}'`;
}
