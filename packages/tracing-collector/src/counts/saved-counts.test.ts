import { Registry } from "@prometheus-io/client";
import { expect, test } from "vitest";
import { OtlpJsonTranscoder } from "wire/otlp";
import { oneSpanJson } from "../../test/receiver-fixture.ts";
import { SavedCounts } from "./saved-counts.ts";

test("spans and traces are counted by service and by how they ended", async () => {
  const registry = new Registry();
  const counts = new SavedCounts(registry);
  const { rows } = new OtlpJsonTranscoder().transcode(Buffer.from(oneSpanJson()));
  counts.count(rows, "ok");
  counts.count(rows, "ok");
  counts.count(rows, "err");
  counts.count({ bytes: Buffer.from("no rows"), count: 3 }, "ok");
  const text = await registry.metrics();
  expect(text.split("\n").filter((line) => line.startsWith("tracing_"))).toEqual([
    'tracing_collector_spans_saved_by_svc_total{debug="false",svc="shop",result="ok"} 2',
    'tracing_collector_spans_saved_by_svc_total{debug="false",svc="shop",result="err"} 1',
    'tracing_collector_traces_saved_by_svc_total{debug="false",svc="shop",result="ok",sampler_type="unrecognized"} 2',
    'tracing_collector_traces_saved_by_svc_total{debug="false",svc="shop",result="err",sampler_type="unrecognized"} 1',
  ]);
});
