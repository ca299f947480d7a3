import { isDeepStrictEqual } from "node:util";
import type { CorpusMessage } from "../corpus/corpus-message.ts";
import type { Answers } from "./answers.ts";
import { askExactly, askHttp, dataList, type QueryAnswer } from "./ask-http.ts";
import { askQueryGrpc, askTraceOverGrpc } from "./ask-query-grpc.ts";
import { askSampling } from "./ask-sampling.ts";
import { comparableTrace, inOrder, withSortedTags } from "./comparable-trace.ts";
import { httpRequest } from "./http-request.ts";
import { inTurn } from "./in-turn.ts";
import { exactQuestions, queryErrors, searches } from "./questions.ts";
import type { TracingBackend } from "./tracing-backend.ts";

type Entry = readonly [question: string, answer: unknown];

/** Number of spans of each unadjusted trace, by trace id; used while waiting for spans to be found. */
export async function countSpans(
  { addresses }: TracingBackend,
  traceIds: readonly string[],
): Promise<Map<string, number>> {
  const counts = await inTurn(traceIds, async (traceId) => {
    const { body } = await httpRequest(addresses.query, `/api/traces/${traceId}?raw=true`);
    return [traceId, [...body.toString().matchAll(/"operationName":/g)].length] as const;
  });
  return new Map(counts);
}

/** The ids of all traces of the corpus, without repetitions. */
export function traceIdsOf(messages: readonly CorpusMessage[]): string[] {
  return [...new Set(messages.flatMap(({ traceIds }) => traceIds))];
}

async function askOperations(query: string, name: string): Promise<Entry[]> {
  const service = encodeURIComponent(name);
  const paths = [`/api/services/${service}/operations`, `/api/operations?service=${service}`];
  return inTurn(paths, async (path) => [`GET ${path}`, await askHttp(query, path, inOrder)]);
}

const traces = (data: unknown) => (Array.isArray(data) ? data.map(comparableTrace) : data);

/** Adjusted traces by id, for searches to be compared with. */
type Adjusted = Map<string, unknown>;

/** A trace over HTTP, unadjusted and adjusted, and over gRPC. */
async function askTrace(
  backend: TracingBackend,
  traceId: string,
  title: string,
  adjusted: Adjusted,
): Promise<Entry[]> {
  const { query } = backend.addresses;
  const path = `/api/traces/${traceId}`;
  const unadjusted = await askHttp(query, `${path}?raw=true`, traces);
  const answer = await askHttp(query, path, traces);
  adjusted.set(traceId, dataList(answer)[0]);
  const isOnlySorted = isDeepStrictEqual(
    dataList(answer).map(withSortedTags),
    dataList(unadjusted).map(withSortedTags),
  );
  return [
    [`GET ${path}?raw=true (${title})`, unadjusted],
    [`GET ${path} (${title})`, isOnlySorted ? sortedOnly(answer) : answer],
    [`GetTrace ${traceId} (${title})`, await askTraceOverGrpc(backend, traceId)],
  ];
}

/** Reduces an adjusted trace to the order of its tags, because only this order was changed. */
function sortedOnly(answer: QueryAnswer): unknown {
  const keys = dataList(answer).flatMap((trace) =>
    (trace as { spans: { tags: string[] }[] }).spans.map(({ tags }) =>
      tags.map((tag) => tag.split(" = ", 1)[0]).join(", "),
    ),
  );
  return { status: answer.status, type: answer.type, "as with raw=true, but for the order of tags": keys };
}

/**
 * Replaces a found trace by its id when it equals the answer of GET /api/traces/{id}; sorts the traces, because their
 * order is undefined.
 */
const named = (adjusted: Adjusted) => (data: unknown) =>
  Array.isArray(data)
    ? inOrder(
        data.map((trace) => {
          const comparable = comparableTrace(trace);
          const { traceID } = trace as { traceID: string };
          return isDeepStrictEqual(comparable, adjusted.get(traceID)) ? traceID : comparable;
        }),
      )
    : data;

/**
 * Sends all questions about the corpus to the query API, and requests for sampling strategies to collector and agent.
 */
export async function askQuestions(
  backend: TracingBackend,
  messages: readonly CorpusMessage[],
): Promise<Answers> {
  const { query } = backend.addresses;
  const titles = new Map(messages.flatMap(({ name, traceIds }) => traceIds.map((id) => [id, name])));
  const services = await askHttp(query, "/api/services", inOrder);
  const names = dataList(services).map(String);
  const adjusted: Adjusted = new Map();
  const entries: Entry[] = [
    ["GET /api/services", services],
    ...(await inTurn(names, (name) => askOperations(query, name))).flat(),
    ...(
      await inTurn(traceIdsOf(messages), (traceId) =>
        askTrace(backend, traceId, titles.get(traceId) ?? "", adjusted),
      )
    ).flat(),
    ...(await inTurn(
      searches(names),
      async (path): Promise<Entry> => [`GET ${path}`, await askHttp(query, path, named(adjusted))],
    )),
    ...(await inTurn(
      exactQuestions(),
      async (path): Promise<Entry> => [`the bytes of GET ${path}`, await askExactly(query, path)],
    )),
    ...(await inTurn(
      queryErrors,
      async (path): Promise<Entry> => [`GET ${path}`, await askHttp(query, path)],
    )),
  ];
  return {
    ...Object.fromEntries(entries),
    ...(await askQueryGrpc(backend, names)),
    ...(await askSampling(backend)),
  };
}
