import type { ServerWritableStream } from "@grpc/grpc-js";
import type { Logger } from "lifecycle";
import type {
  MetadataMetrics,
  SearchRequest,
  SearchTagsRequest,
  SearchTagValuesRequest,
  StreamingQuerierHandlers,
} from "wire/tempo";
import type { QueryService } from "../service/query-service.ts";
import type { ReadLimits } from "../service/read-limits.ts";
import { readInstant, readRange } from "../tempo/metrics-endpoints.ts";
import { findTraces } from "../tempo/search-endpoint.ts";
import { jobsOf } from "../tempo/search-json.ts";
import { allNames, namesByScope, readNames, readValues, textsOf } from "../tempo/tag-endpoints.ts";
import { olderTagPlace, tagPlace } from "../tempo/tag-identifier.ts";
import type { CallGuard } from "./call-guard.ts";
import { bareFailure } from "./grpc-status.ts";
import type { CallReadOptions } from "./read-options-of.ts";
import { streamAnswer } from "./stream-answer.ts";
import { instantMessages, rangeMessages, searchMessages } from "./tempo-messages.ts";

/** Fields of a message as URL parameters. */
type Fields = Readonly<Record<string, string | number | bigint>>;

/** Converts fields to parameters. As in the HTTP API, 0 and "" mean absent. */
function paramsOf(fields: Fields): URLSearchParams {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(fields)) {
    if (value !== "" && value !== 0 && value !== 0n) {
      params.set(name, String(value));
    }
  }
  return params;
}

/**
 * Converts a request to the parameters of `/tempo/api/search`. Tags become logfmt, which the HTTP API reads.
 *
 * ```
 * {tags: {"service.name": "a b"}, minDurationMs: 200, limit: 20}  →  tags=service.name="a b"&minDuration=200ms&limit=20
 * ```
 */
function searchParams(request: SearchRequest): URLSearchParams {
  const { minDurationMs, maxDurationMs, limit, start, end, query: q, spansPerSpanSet: spss } = request;
  const tags = Object.entries(request.tags)
    .map(([key, value]) => `${key}="${value.replace(/["\\]/g, "\\$&")}"`)
    .join(" ");
  const duration = (ms: number) => (ms === 0 ? "" : `${ms}ms`);
  const durations = { minDuration: duration(minDurationMs), maxDuration: duration(maxDurationMs) };
  return paramsOf({ q, tags, ...durations, limit, start, end, spss });
}

/** Converts a request to the parameters of `/tempo/api/search/tags`. */
function tagParams({
  scope,
  query: q,
  start,
  end,
  maxTagsPerScope: limit,
}: SearchTagsRequest): URLSearchParams {
  return paramsOf({ scope, q, start, end, limit });
}

/** Converts a request to the parameters of `/tempo/api/search/tag/{tag}/values`. */
function valueParams({ query: q, start, end, maxTagValues: limit }: SearchTagValuesRequest): URLSearchParams {
  return paramsOf({ q, start, end, limit });
}

/** Makes the function that sends the results of `find`. Heavy calls wait for their turn. */
function sender(guard: CallGuard, log: Logger) {
  const stream = streamAnswer(guard);
  return <Request, Response>(
    call: ServerWritableStream<Request, Response>,
    isHeavy: boolean,
    find: (read: CallReadOptions) => Promise<Iterable<Response>>,
  ): Promise<void> =>
    stream(
      call,
      (read) => ({ gate: isHeavy ? guard.gate : undefined, find: () => find(read) }),
      (error) => bareFailure(error, log),
    );
}

/** Tempo's counters for a list; as over HTTP, absent for a complete list. */
function metadataMetrics({ reasons: { partial } }: CallReadOptions): MetadataMetrics | undefined {
  return partial === undefined ? undefined : jobsOf(partial);
}

/**
 * `tempopb.StreamingQuerier`: the answers of the HTTP API under `/tempo`, as messages. Grafana's Tempo data
 * source calls it when streaming is on. Each method sends its whole answer in one or more messages, and ends.
 * Failures have the texts of the HTTP API.
 */
export function tempoHandlers(
  service: QueryService,
  guard: CallGuard,
  limits: ReadLimits,
  log: Logger,
): StreamingQuerierHandlers {
  const send = sender(guard, log);
  return { ...searchHandlers(service, limits, send), ...tagHandlers(service, limits, send) };
}

type Send = ReturnType<typeof sender>;

/** Searches and metrics: they hold traces or series in memory. */
function searchHandlers(
  service: QueryService,
  limits: ReadLimits,
  send: Send,
): Pick<StreamingQuerierHandlers, "search" | "metricsQueryRange" | "metricsQueryInstant"> {
  return {
    search: (call) =>
      send(call, true, async (read) =>
        searchMessages(
          await findTraces(service, limits, searchParams(call.request), read),
          read.reasons.partial,
        ),
      ),

    metricsQueryRange: (call) =>
      send(call, true, async (read) => {
        const { query: q, start, end, step, exemplars } = call.request;
        const stepText = step === 0n ? "" : `${step}ns`;
        const params = paramsOf({ q, start, end, step: stepText, exemplars });
        const { metrics, maxExemplars } = await readRange(service, limits, params, read);
        return rangeMessages(metrics, maxExemplars, read.reasons.partial);
      }),

    metricsQueryInstant: (call) =>
      send(call, true, async (read) => {
        const { query: q, start, end } = call.request;
        const metrics = await readInstant(service, limits, paramsOf({ q, start, end }), read);
        return instantMessages(metrics, read.reasons.partial);
      }),
  };
}

/** Names and values of tags, for completion. */
function tagHandlers(
  service: QueryService,
  limits: ReadLimits,
  send: Send,
): Pick<StreamingQuerierHandlers, "searchTags" | "searchTagsV2" | "searchTagValues" | "searchTagValuesV2"> {
  return {
    searchTags: (call) =>
      send(call, false, async (read) => {
        const params = tagParams(call.request);
        const tagNames = allNames(await readNames(service, limits, params, read), params);
        return [{ tagNames, metrics: metadataMetrics(read) }];
      }),

    searchTagsV2: (call) =>
      send(call, false, async (read) => {
        const scopes = namesByScope(await readNames(service, limits, tagParams(call.request), read));
        return [{ scopes, metrics: metadataMetrics(read) }];
      }),

    searchTagValues: (call) =>
      send(call, false, async (read) => {
        const place = olderTagPlace(call.request.tagName);
        const values = await readValues(service, limits, place, { params: valueParams(call.request), read });
        return [{ tagValues: textsOf(values), metrics: metadataMetrics(read) }];
      }),

    searchTagValuesV2: (call) =>
      send(call, false, async (read) => {
        const place = tagPlace(call.request.tagName);
        const values = await readValues(service, limits, place, { params: valueParams(call.request), read });
        const tagValues = values.map(({ type, value }) => ({ type, value }));
        return [{ tagValues, metrics: metadataMetrics(read) }];
      }),
  };
}
