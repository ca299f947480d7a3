import { attributeScopes } from "storage/api";
import { z } from "zod";
import type { OperationDescription, OperationGroup } from "../http/openapi/operation.ts";
import {
  buildInfoSchema,
  instantSchema,
  rangeSchema,
  searchSchema,
  tagsSchema,
  tagsV2Schema,
  tagValuesSchema,
  tagValuesV2Schema,
  traceSchema,
  traceV2Schema,
} from "./tempo-schemas.ts";

// The trace that the examples find in the tests' store.
const sampleTraceId = "71a81d73ce7902db83be4d12250bd874";

// Every endpoint is a GET request, and its failures are a line of text.
const get = { method: "GET", failures: "text" } as const;

const json = (schema: z.ZodType) => ({ contentType: "application/json", schema });
const text = { contentType: "text/plain; charset=utf-8" };

// Tempo reads these times as unsigned numbers of 32 bits.
const seconds = z.int().min(0).max(0xffffffff).optional();

// The time of a search: whole seconds, both ends included.
const times = {
  start: seconds.describe("Seconds since the Unix epoch; with `end`. The last hour without both."),
  end: seconds,
};

const traceql = z.string().describe("TraceQL.");

// Parameters of the four endpoints that complete names and values in Grafana's editor.
const tagQuery = {
  ...times,
  q: z
    .string()
    .optional()
    .describe("A TraceQL filter, which need not be finished: its conditions say which spans to look at."),
  limit: z.int().min(0).optional(),
};

// Scopes of attributes; `none` means all of them, as in Tempo.
const scope = z.enum([...attributeScopes, "none"]).optional();

// Times of metrics queries have three forms, because Grafana and Prometheus clients send different ones.
const time = z
  .string()
  .optional()
  .describe("Seconds, also with a fraction, or nanoseconds since the Unix epoch, or RFC 3339.");

// Parameters that both endpoints of metrics share.
const metricsQuery = {
  q: traceql,
  start: time,
  end: time,
  since: z.string().optional().describe('Without `start`: "15m", "1h30m", "1d"; an hour by default.'),
};

// Parts of paths.
const tracePart = z.strictObject({ traceId: z.string().describe("Up to 32 hex digits.") });
const tagPart = z.strictObject({ tag: z.string() });
const traceQuery = z.object(times);
const traceDescription = "With `Accept: application/protobuf` as protobuf.";
const notFound = { status: 404, request: { path: { traceId: "1" } } };

/**
 * One entry for each endpoint. The examples run as tests, which check the answers against the schema.
 * See the endpoint functions for requests with their answers.
 */
const operations: readonly OperationDescription[] = [
  {
    ...get,
    path: "/tempo/ready",
    id: "tempoReady",
    summary: "That requests are answered",
    answer: text,
    failureStatuses: [],
    example: {},
  },
  {
    ...get,
    path: "/tempo/api/echo",
    id: "tempoEcho",
    summary: "A word, to test a data source",
    answer: text,
    failureStatuses: [],
    example: {},
  },
  {
    ...get,
    path: "/tempo/api/status/buildinfo",
    id: "tempoBuildInfo",
    summary: "The version of Tempo whose API this is",
    answer: json(buildInfoSchema),
    failureStatuses: [],
    example: {},
  },
  {
    ...get,
    path: "/tempo/api/search",
    id: "tempoSearch",
    summary: "Traces by TraceQL, or by tags",
    query: z.object({
      q: traceql.optional(),
      tags: z.string().optional().describe('Without `q`: logfmt, `key=value other="with spaces"`.'),
      minDuration: z.string().optional().describe('With `tags`, of the trace: "1.5s", "200ms".'),
      maxDuration: z.string().optional(),
      ...times,
      limit: z.int().min(1).optional().describe("Most traces; 20 by default."),
      spss: z.int().min(1).optional().describe("Most spans of a spanset; 3 by default."),
    }),
    answer: json(searchSchema),
    failureStatuses: [400, 501],
    example: { query: { q: "{ status = error } | select(duration)", limit: "5" } },
    failingExample: { status: 400, request: { query: { q: "{ status = eror }" } } },
  },
  {
    ...get,
    path: "/tempo/api/search/tags",
    id: "tempoTags",
    summary: "Names of attributes",
    query: z.object({ scope, ...tagQuery }),
    answer: json(tagsSchema),
    failureStatuses: [400, 501],
    example: {},
    failingExample: { status: 400, request: { query: { scope: "nonsense" } } },
  },
  {
    ...get,
    path: "/tempo/api/v2/search/tags",
    id: "tempoTagsV2",
    summary: "Names of attributes, by scope",
    query: z.object({ scope, ...tagQuery }),
    answer: json(tagsV2Schema),
    failureStatuses: [400, 501],
    example: { query: { scope: "span" } },
    failingExample: { status: 400, request: { query: { start: "2", end: "1" } } },
  },
  {
    ...get,
    path: "/tempo/api/search/tag/*tag/values",
    id: "tempoTagValues",
    summary: "Values of a tag, as text",
    pathParts: tagPart,
    query: z.object(tagQuery),
    answer: json(tagValuesSchema),
    failureStatuses: [400, 501],
    example: { path: { tag: "service.name" } },
    failingExample: { status: 400, request: { path: { tag: "name" }, query: { limit: "-1" } } },
  },
  {
    ...get,
    path: "/tempo/api/v2/search/tag/*tag/values",
    id: "tempoTagValuesV2",
    summary: "Values of an attribute or intrinsic, by type",
    description: "`tag` is a TraceQL identifier: `resource.service.name`, `.region`, `status`.",
    pathParts: tagPart,
    query: z.object(tagQuery),
    answer: json(tagValuesV2Schema),
    failureStatuses: [400, 501],
    example: { path: { tag: "resource.service.name" }, query: { q: "{ status = error && }" } },
    failingExample: { status: 400, request: { path: { tag: "service.name" } } },
  },
  {
    ...get,
    path: "/tempo/api/traces/:traceId",
    id: "tempoTrace",
    summary: "A trace",
    description: traceDescription,
    pathParts: tracePart,
    query: traceQuery,
    answer: json(traceSchema),
    failureStatuses: [400, 404, 413],
    example: { path: { traceId: sampleTraceId } },
    failingExample: notFound,
  },
  {
    ...get,
    path: "/tempo/api/v2/traces/:traceId",
    id: "tempoTraceV2",
    summary: "A trace, and whether it is complete",
    description: `${traceDescription} One that is not there is empty.`,
    pathParts: tracePart,
    query: traceQuery,
    answer: json(traceV2Schema),
    failureStatuses: [400, 413],
    example: { path: { traceId: sampleTraceId } },
    failingExample: { status: 400, request: { path: { traceId: "xyz" } } },
  },
  {
    ...get,
    path: "/tempo/api/metrics/query_range",
    id: "tempoQueryRange",
    summary: "Series over time",
    query: z.object({
      ...metricsQuery,
      step: z.string().optional().describe('Seconds, or with a unit: "15s"; some 240 samples by default.'),
      exemplars: z.int().min(0).optional().describe("Most of them; up to 100, which is the default."),
    }),
    answer: json(rangeSchema),
    failureStatuses: [400, 501],
    example: { query: { q: "{ } | rate() by (resource.service.name)", since: "1h", step: "5m" } },
    failingExample: { status: 400, request: { query: { q: "{ } | rate()", step: "1ms" } } },
  },
  {
    ...get,
    path: "/tempo/api/metrics/query",
    id: "tempoQuery",
    summary: "One value of each series, over all of a range",
    query: z.object(metricsQuery),
    answer: json(instantSchema),
    failureStatuses: [400, 501],
    example: { query: { q: "{ } | quantile_over_time(duration, .5)", since: "1h" } },
    failingExample: { status: 400, request: { query: { q: "{ }" } } },
  },
];

/** Descriptions of the endpoints in `tempo-router.ts`. */
export const tempoGroup: OperationGroup = {
  name: "Tempo",
  description:
    "What Grafana's Tempo data source asks for, answered as Grafana Tempo 2.9 does. Failures are a line of text.",
  operations,
};
