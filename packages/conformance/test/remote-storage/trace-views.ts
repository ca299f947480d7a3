import { expect } from "vitest";
import { ask, type UiTrace } from "../../src/tracing-api/ask.ts";
import type { SampleTrace } from "../../src/tracing-api/sample-trace.ts";

/** Sends a trace to a collector by OTLP. */
export async function send(collector: string, { otlpJson }: SampleTrace): Promise<void> {
  const { status, text } = await ask(`http://${collector}/v1/traces`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(otlpJson),
  });
  expect(text).not.toContain("error");
  expect(status).toBe(200);
}

/** The data of an answer of the query service. @throws Error for any status other than 200 */
export async function data<Data>(query: string, path: string): Promise<Data> {
  const { status, text } = await ask(`http://${query}/api/${path}`);
  if (status !== 200) {
    throw new Error(`${path}: ${status} ${text}`);
  }
  return (JSON.parse(text) as { data: Data }).data;
}

/** A trace without irrelevant order: spans by id, tags and fields by key, processes by service. */
export function seen(traces: readonly UiTrace[]): unknown {
  const byKey = (tags: UiTrace["spans"][0]["tags"]) =>
    tags.map(({ key, type, value }) => `${key} ${type} ${String(value)}`).sort();
  return traces.map(({ traceID, spans, processes: all }) => ({
    traceID,
    spans: spans
      .map(({ processID, tags, logs, ...facts }) => ({
        ...facts,
        tags: byKey(tags),
        logs: logs.map(({ timestamp, fields }) => ({ timestamp, fields: byKey(fields) })),
        process: { service: all[processID]?.serviceName, tags: byKey(all[processID]?.tags ?? []) },
      }))
      .sort((one, other) => (one.spanID < other.spanID ? -1 : 1)),
  }));
}
