import { afterAll, beforeAll, expect, test } from "vitest";
import { otlpSpan, sampleStore } from "../../service/sample-store.ts";
import { openSampleServer, type SampleServer } from "../../testing/sample-server.ts";

const numbered = (name: string, index: number) => `${name}-${String(index).padStart(5, "0")}`;

let server: SampleServer;
beforeAll(async () => {
  const services = Array.from({ length: 1_500 }, (_, index) => otlpSpan({ service: numbered("svc", index) }));
  const operations = Array.from({ length: 20_000 }, (_, index) =>
    otlpSpan({ service: "many", name: numbered("op", index), kind: index % 2 === 0 ? "server" : "client" }),
  );
  const twice = otlpSpan({ service: "many", name: "op-00000", kind: "client" });
  server = await openSampleServer(await sampleStore([...services, ...operations, twice]));
});
afterAll(() => server.stop(AbortSignal.abort()));

async function get(query: string) {
  const response = await fetch(`${server.base}/api/analysis/v1/names?${query}`);
  return { status: response.status, ...((await response.json()) as { total: number; names: string[] }) };
}

test.each([
  ["", 1_501, 50, "many"],
  ["limit=1000&offset=1000", 1_501, 501, "svc-00999"],
  ["contains=SVC-0149&limit=3", 10, 3, "svc-01490"],
  ["contains=01499", 1, 1, "svc-01499"],
  ["contains=nobody", 0, 0, undefined],
  ["service=many", 20_000, 50, "op-00000"],
  ["service=many&contains=19999", 1, 1, "op-19999"],
  ["service=many&contains=999&limit=1000", 38, 38, "op-00999"],
  ["service=many&offset=19999", 20_000, 1, "op-19999"],
  ["service=nobody", 0, 0, undefined],
])("names %s", async (query, total, count, first) => {
  const { status, names, ...found } = await get(query);
  expect([status, found.total, names.length, names[0]]).toEqual([200, total, count, first]);
});
