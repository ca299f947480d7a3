import type { RequestHandler, Response } from "express";
import { spanConditionOf } from "storage/api";
import { z } from "zod";
import { QueryError } from "../../query-error.ts";
import type { AnalysisService } from "../../service/analysis-service.ts";
import { RequestGate } from "../../service/request-gate.ts";
import type { TailListener } from "../../service/tail-feed.ts";
import { TailFeeds } from "../../service/tail-feeds.ts";
import { defaultClientTimes } from "../cut-slow-client.ts";
import { admit, type EndpointSettings, paramsOf, sendFailure } from "../endpoint.ts";
import { httpFailure } from "../http-status.ts";
import type { OperationDescription } from "../openapi/operation.ts";
import { problemStyle } from "../problem.ts";
import { paramsReader } from "./read-request.ts";
import { spanConditionsOf, spanFilterParams } from "./span-filter.ts";
import { eventText, skippedEvent, tailEvents } from "./tail-event.ts";
import { besideField, besideQuery } from "./traceql-filter.ts";

export interface TailSettings extends EndpointSettings {
  /** Maximum number of tail clients that may be connected at once; default 100. A further client is refused. */
  readonly maxTailClients?: number | undefined;
  /** Milliseconds between two reads of the store; 1,000 by default. */
  readonly tailPollMs?: number | undefined;
  /**
   * Milliseconds between heartbeats; default 15,000. Proxies often close connections that are silent for 30 to 60
   * seconds.
   */
  readonly tailHeartbeatMs?: number | undefined;
  /** Aborted when all streams must end; undefined means never. */
  readonly stopping?: AbortSignal | undefined;
}

/** Maximum number of bytes buffered for a slow client; beyond it, events are skipped. */
const maxBufferedBytes = 1_048_576;

/** Maximum number of feeds that read the store at once. Further feeds wait. */
const maxConcurrentPolls = 4;

// Maximum number of characters of a cursor. A longer header is not one of our cursors, and must not reach the store.
const maxCursorLength = 100;

// A stream has no time range: it starts when the client connects, or at the cursor of `Last-Event-ID`.
const { start: _start, end: _end, ...conditions } = spanFilterParams;

const paramsSchema = z.strictObject({
  ...conditions,
  q: besideField.describe(
    "TraceQL about single spans, such as `{ span.http.route = `/pay` && duration > 1s }`, beside the other conditions.",
  ),
  limit: z
    .int()
    .min(1)
    .max(1_000)
    .default(100)
    .describe("Most spans of an event, the newest; there is one a second."),
});

// Parses the URL. `start` and `end` are refused as unknown parameters.
const readParams = paramsReader(paramsSchema);

/** Describes the stream for the OpenAPI document. The examples here run as tests against a server. */
export const tailOperation: OperationDescription = {
  method: "GET",
  path: "/api/analysis/v1/tail",
  id: "tail",
  summary: "Spans as they arrive",
  description:
    'Server-sent events, until the client leaves. `spans`: `{"spans":[{traceID, spanID, parentSpanID, service, operation, kind, start, ' +
    'duration, error, tags}]}`, with a cursor as the event\'s id. `skipped`: `{"spans":number,"reason":"too many" | "too long" | "slow client"}`, ' +
    "how many were left out. `problem`: the store cannot be asked for now. Whoever comes back with `Last-Event-ID`, as browsers do, " +
    "gets what has arrived meanwhile. Heartbeats are comments, which move the id on.",
  query: paramsSchema,
  answer: { contentType: "text/event-stream" },
  failures: "problem",
  failureStatuses: [400, 501],
  example: { query: { service: "shop" } },
  failingExample: { status: 400, request: { query: { limit: "0" } } },
};

// Method and style of refusals before the stream begins.
const heading = { method: "GET", style: problemStyle } as const;

/**
 * `GET …/tail`: spans as they arrive, as server-sent events. The stream ends when the client disconnects or the process
 * stops. This is an API of our own.
 *
 * ```
 * GET …/tail?service=shop
 * : following
 * retry: 2000
 *
 * event: spans
 * id: <cursor>
 * data: {"spans":[{"traceID":"71a8…","spanID":"…a1","parentSpanID":"","service":"shop","operation":"GET /","kind":"server",
 *                  "start":1795967689000000,"duration":100000,"error":false,"tags":[…]}]}
 * ```
 *
 * Other events: `skipped` with the number of dropped spans, `problem` while the store fails. A slow client loses spans
 * and gets their number. Errors before the stream begins: 400 for a parameter or a query over several spans, 501 from a
 * store without analysis, 503 past --query.max-tail-clients.
 */
export function tailHandler(analysis: AnalysisService, settings: TailSettings): RequestHandler {
  const { log, stopping, maxTailClients = 100, tailPollMs = 1_000, tailHeartbeatMs = 15_000 } = settings;
  const feeds = new TailFeeds({
    analysis,
    gate: new RequestGate({ maxConcurrent: maxConcurrentPolls, maxWaiting: Infinity }),
    encode: tailEvents,
    pollMs: tailPollMs,
    heartbeatMs: tailHeartbeatMs,
    maxClients: maxTailClients,
  });
  return async (request, response) => {
    const read = admit(request, response, heading, settings);
    if (read === undefined) {
      return;
    }
    // `close` is emitted exactly once, whichever side closes. Then another client may follow.
    const over = new AbortController();
    response.once("close", () => over.abort());
    const end = () => response.end();
    stopping?.addEventListener("abort", end, { once: true });
    over.signal.addEventListener("abort", () => stopping?.removeEventListener("abort", end));
    try {
      const { limit, q, ...values } = readParams(paramsOf(request, problemStyle));
      const query = {
        filter: { ...spanConditionsOf(values), ...singleSpanQuery(q) },
        limit,
        tenant: read.tenant,
        bearerToken: read.bearerToken,
        access: read.access,
      };
      const stream = new EventStream(response);
      await feeds.follow(query, stream, lastEventId(request.get("last-event-id")), over.signal);
      stream.open();
      if (stopping?.aborted === true) {
        end();
      }
    } catch (error) {
      if (!over.signal.aborted) {
        sendFailure(response, error, log, { style: problemStyle });
      }
    }
  };
}

/**
 * The query of a stream. It may use only one span, because other spans of the trace may not have arrived.
 * @throws QueryError QUERY_BAD_PARAMETER for a query over several spans, such as `{ } >> { }`
 */
function singleSpanQuery(q: string | undefined): ReturnType<typeof besideQuery> {
  const { query } = besideQuery(q);
  if (query === undefined) {
    return {};
  }
  if (spanConditionOf(query) === undefined) {
    const message =
      "parameter 'q' looks at more than one span at a time: spans that arrive are looked at one by one";
    throw new QueryError("QUERY_BAD_PARAMETER", message, { parameter: "q" });
  }
  return { query };
}

/**
 * Reads the cursor of a reconnecting client. An empty header counts as absent.
 * @throws QueryError QUERY_BAD_PARAMETER for a header of more than 100 characters
 */
function lastEventId(text = ""): string | undefined {
  if (text.length > maxCursorLength) {
    throw new QueryError(
      "QUERY_BAD_PARAMETER",
      `header 'Last-Event-ID' is longer than ${maxCursorLength} characters`,
      { parameter: "Last-Event-ID", limit: { name: "maxLength", value: maxCursorLength } },
    );
  }
  return text === "" ? undefined : text;
}

/**
 * One response as an event stream. `open` sends the head before the first event of any kind.
 *
 * | Event | Sent by | While the client is slow |
 * |---|---|---|
 * | `spans` | `arrived` | dropped, counted in `#skipped` |
 * | `skipped` | the next event after a drop | – |
 * | `problem` | `failed` | dropped |
 * | a comment with the cursor | `idle` | dropped; a later comment has a newer cursor |
 */
class EventStream implements TailListener {
  readonly #response: Response;
  /** Number of spans dropped since the last sent event. */
  #skipped = 0;

  // Nothing is sent before `open`, because a request may still be refused with a status.
  constructor(response: Response) {
    this.#response = response;
  }

  /** Sends the head of the response; later calls do nothing. */
  open(): void {
    const response = this.#response;
    if (response.headersSent || response.destroyed) {
      return;
    }
    response.setHeader("Content-Type", "text/event-stream");
    response.setHeader("Cache-Control", "no-cache, no-transform");
    // Without this header nginx buffers events.
    response.setHeader("X-Accel-Buffering", "no");
    // A client that accepts no bytes for this time is disconnected, as for every other answer.
    response.setTimeout(defaultClientTimes.stalledMs, () => response.destroy());
    // `retry` makes the browser wait two seconds before it reconnects.
    response.write(": following\nretry: 2000\n\n");
  }

  /** Sends encoded spans of the feed. @param spans number of spans in `text`, for `skipped` */
  arrived(text: string, spans: number): void {
    this.open();
    if (this.#isFull()) {
      this.#skipped += spans;
      return;
    }
    this.#write(text);
  }

  /** Called when the store failed. The client stays connected: the feed reads the store again. */
  failed(error: unknown): void {
    this.open();
    if (!this.#isFull()) {
      const failure = httpFailure(error);
      this.#write(
        eventText("problem", problemStyle.failure(failure.status, failure.message, failure).trimEnd()),
      );
    }
  }

  /**
   * Called at each heartbeat. The comment keeps proxies from closing the connection, and updates the id.
   */
  idle(cursor: string): void {
    this.open();
    if (!this.#isFull()) {
      this.#write(`: heartbeat\nid: ${cursor}\n\n`);
    }
  }

  // True when Node holds too many bytes that the client has not read yet.
  #isFull(): boolean {
    return this.#response.writableLength > maxBufferedBytes;
  }

  // Before the next event that fits, the number of skipped spans is sent.
  #write(text: string): void {
    if (this.#response.writableEnded || this.#response.destroyed) {
      return;
    }
    const skipped = this.#skipped > 0 ? skippedEvent(this.#skipped, "slow client") : "";
    this.#skipped = 0;
    this.#response.write(skipped + text);
  }
}
