import { z } from "zod";
import { eventually, expectEqual, expectIncludes } from "../expect.ts";
import type { Suite } from "../suite.ts";
import { type Answer, ask } from "./ask.ts";
import { type SampleTrace, sampleTrace } from "./sample-trace.ts";

/** Grafana Tempo takes longer than our store until a search finds a span. */
const foundWithinMs = 20_000;

const search = z.object({
  traces: z
    .array(
      z.object({
        traceID: z.string(),
        rootServiceName: z.string(),
        rootTraceName: z.string(),
        startTimeUnixNano: z.string(),
        durationMs: z.number(),
        spanSets: z
          .array(
            z.object({
              matched: z.number(),
              spans: z.array(
                z.object({ spanID: z.string(), startTimeUnixNano: z.string(), durationNanos: z.string() }),
              ),
            }),
          )
          .optional(),
      }),
    )
    .optional(),
});

const scopes = z.object({ scopes: z.array(z.object({ name: z.string(), tags: z.array(z.string()) })) });

const values = z.object({ tagValues: z.array(z.object({ type: z.string(), value: z.string() })) });

const range = z.object({
  series: z.array(
    z.object({
      labels: z.array(z.object({ key: z.string(), value: z.object({ stringValue: z.string() }) })),
      samples: z.array(z.object({ timestampMs: z.string(), value: z.number().optional() })),
    }),
  ),
});

function times(): Record<string, string> {
  const now = Math.floor(Date.now() / 1_000);
  return { start: String(now - 600), end: String(now + 10) };
}

function get(tempo: string, path: string, params: Record<string, string> = {}): Promise<Answer> {
  return ask(`${tempo}${path}?${new URLSearchParams(params)}`);
}

async function json<T>(schema: z.ZodType<T>, answer: Promise<Answer>): Promise<T> {
  const { status, text } = await answer;
  expectEqual(status, 200, `status (${text})`);
  return schema.parse(JSON.parse(text));
}

async function searched(tempo: string, params: Record<string, string>) {
  const { traces = [] } = await json(search, get(tempo, "/api/search", { ...params, ...times() }));
  return traces;
}

async function stored({ otlpHttp, tempo }: { otlpHttp: string; tempo: string }): Promise<SampleTrace> {
  const sample = sampleTrace();
  const { status, text } = await ask(`${otlpHttp}/v1/traces`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(sample.otlpJson),
  });
  expectEqual(status, 200, `POST /v1/traces (${text})`);
  await eventually(async () => {
    const found = await searched(tempo, { q: `{ resource.service.name = "${sample.service}" }` });
    expectEqual(found.length, 1, "traces of the service");
  }, foundWithinMs);
  return sample;
}

/** Conditions in addition to the service, and the number of the trace's two spans that meet them. */
const conditions: [condition: string, matched: number][] = [
  ["true", 2],
  ['name = "GET /orders"', 1],
  ["status = error", 1],
  ["kind = client", 1],
  ["duration >= 250ms", 1],
  ["duration > 250ms", 0],
  ["span.http.response.status_code = 503", 1],
  ["span.http.response.status_code >= 400 && span.http.response.status_code < 500", 0],
  ["span.queue.load > 72", 1],
  ["span.cache.hit = true", 1],
  ['resource.service.version = "1.2.3"', 2],
  ['.db.system.name =~ "post.*"', 1],
  ['.db.system.name !~ "post.*" && .db.system.name != nil', 0],
  ['statusMessage = "stock"', 1],
  ['rootName = "GET /orders"', 2],
];

/**
 * Requests of Grafana's Tempo data source. The suite also runs on Grafana Tempo: set its address as `tempo`, and the
 * address of its OTLP receiver. Source: Tempo's documentation of its HTTP API and of TraceQL
 */
export const tempoHttp: Suite = {
  name: "tracing-api/tempo-http",
  needs: ["otlpHttp", "tempo"],
  cases: [
    {
      name: "a data source is tested by an echo",
      async run({ tempo }) {
        const { status, text } = await get(tempo, "/api/echo");
        expectEqual([status, text], [200, "echo"], "GET /api/echo");
      },
    },
    {
      name: "TraceQL finds spans by every kind of condition",
      async run(addresses) {
        const { service, traceId } = await stored(addresses);
        for (const [condition, matched] of conditions) {
          const q = `{ resource.service.name = "${service}" && (${condition}) }`;
          const [trace] = await searched(addresses.tempo, { q });
          expectEqual(trace?.spanSets?.[0]?.matched ?? 0, matched, `spans that match ${condition}`);
          if (trace === undefined) {
            continue;
          }
          expectEqual(trace.traceID.padStart(32, "0"), traceId, "id");
          expectEqual(trace.rootServiceName, service, "service of the root");
          expectEqual(trace.rootTraceName, "GET /orders", "name of the root");
          expectEqual(trace.durationMs, 250, "duration");
        }
      },
    },
    {
      name: "TraceQL relates spans, and counts them",
      async run(addresses) {
        const { service } = await stored(addresses);
        const root = `{ resource.service.name = "${service}" && kind = server }`;
        const child = `{ resource.service.name = "${service}" && kind = client }`;
        const all = `{ resource.service.name = "${service}" }`;
        for (const [q, found] of [
          [`${root} > ${child}`, 1],
          [`${root} >> ${child}`, 1],
          [`${child} >> ${root}`, 0],
          [`${child} < ${root}`, 1],
          [`${root} && ${child}`, 1],
          [`${all} | count() = 2`, 1],
          [`${all} | count() > 2`, 0],
          [`${all} | avg(duration) > 100ms`, 1],
          [`${all} | by(kind) | max(duration) < 100ms`, 1],
        ] as const) {
          expectEqual((await searched(addresses.tempo, { q })).length, found, q);
        }
      },
    },
    {
      name: "a search by tags finds what it did before TraceQL",
      async run(addresses) {
        const { service } = await stored(addresses);
        const tags = `service.name=${service}`;
        expectEqual((await searched(addresses.tempo, { tags })).length, 1, tags);
        expectEqual((await searched(addresses.tempo, { tags, minDuration: "200ms" })).length, 1, "as long");
        expectEqual((await searched(addresses.tempo, { tags, minDuration: "300ms" })).length, 0, "longer");
        expectEqual((await searched(addresses.tempo, { tags, maxDuration: "200ms" })).length, 0, "shorter");
      },
    },
    {
      name: "attributes and their values are listed",
      async run(addresses) {
        const { service } = await stored(addresses);
        const { tempo } = addresses;
        const found = await json(scopes, get(tempo, "/api/v2/search/tags", times()));
        const tagsOf = (scope: string) =>
          found.scopes.find(({ name }) => name === scope)?.tags.join(" ") ?? "";
        expectIncludes(tagsOf("span"), "http.response.status_code", "attributes of spans");
        expectIncludes(tagsOf("resource"), "service.name", "attributes of resources");
        expectIncludes(tagsOf("intrinsic"), "rootServiceName", "intrinsics");
        const valuesOf = async (tag: string) => {
          const q = `{ resource.service.name = "${service}" }`;
          const path = `/api/v2/search/tag/${encodeURIComponent(tag)}/values`;
          return (await json(values, get(tempo, path, { q, ...times() }))).tagValues;
        };
        expectEqual(
          await valuesOf("span.http.response.status_code"),
          [{ type: "int", value: "503" }],
          "values of a number",
        );
        expectEqual(
          (await valuesOf("name")).map(({ value }) => value).toSorted(),
          ["GET /orders", "SELECT orders"],
          "names of spans",
        );
      },
    },
    {
      name: "a trace is given as protobuf and as JSON",
      async run(addresses) {
        const { traceId } = await stored(addresses);
        const path = `${addresses.tempo}/api/v2/traces/${traceId}`;
        const { text } = await ask(path);
        expectIncludes(text, Buffer.from(traceId, "hex").toString("base64"), "JSON");
        const answer = await ask(path, { headers: { accept: "application/protobuf" } });
        expectEqual([answer.status, answer.contentType], [200, "application/protobuf"], "protobuf");
        expectIncludes(answer.text, "SELECT orders", "protobuf");
      },
    },
    {
      name: "metrics are counted over time",
      async run(addresses) {
        const { service } = await stored(addresses);
        const q = `{ resource.service.name = "${service}" } | count_over_time() by (name)`;
        await eventually(async () => {
          // Repeated, because the interval with the spans may not have ended yet.
          const now = Math.floor(Date.now() / 1_000);
          const asked = { q, start: String(now - 600), end: String(now), step: "1s" };
          const answer = get(addresses.tempo, "/api/metrics/query_range", asked);
          const { series } = await json(range, answer);
          const counts = series.map(({ labels, samples }) => [
            labels[0]?.value.stringValue,
            samples.reduce((sum, { value = 0 }) => sum + value, 0),
          ]);
          expectEqual(
            counts.toSorted(),
            [
              ["GET /orders", 1],
              ["SELECT orders", 1],
            ],
            "spans by name",
          );
        }, foundWithinMs);
      },
    },
    {
      name: "mistakes are refused with 400 and where they are",
      async run({ tempo }) {
        for (const [path, params, part] of [
          ["/api/search", { q: "{ .a = }" }, "parse error at line 1, col"],
          ["/api/search", { q: "{ status = eror }" }, "parse error at line 1, col"],
          ["/api/search", { q: "{}", start: "2", end: "1" }, "start must be before end"],
          ["/api/search", { q: "{}", limit: "x" }, "invalid limit"],
          ["/api/search", { tags: 'a="' }, "invalid tags"],
          ["/api/v2/search/tags", { scope: "nonsense" }, "invalid scope: nonsense"],
          ["/api/v2/search/tag/nonsense/values", {}, "please provide a valid tagName"],
          ["/api/traces/xyz", {}, "trace IDs can only contain hex characters"],
        ] as const) {
          const { status, text } = await get(tempo, path, params);
          expectEqual(status, 400, `${path} (${text})`);
          expectIncludes(text, part, path);
        }
        expectEqual((await get(tempo, "/api/traces/1234")).status, 404, "a trace that is not there");
      },
    },
  ],
};
