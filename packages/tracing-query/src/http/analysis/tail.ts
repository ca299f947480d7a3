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
  /** Most clients that follow at the same time; 100 by default. */
  readonly maxTailClients?: number | undefined;
  /** Milliseconds between two reads of the store; 1,000 by default. */
  readonly tailPollMs?: number | undefined;
  /**
   * Milliseconds between heartbeats; 15,000 by default. Proxies often cut connections that are silent for 30
   * to 60 seconds.
   */
  readonly tailHeartbeatMs?: number | undefined;
  /** Aborted when all streams must end; undefined: never. */
  readonly stopping?: AbortSignal | undefined;
}

/** Most bytes that may wait for a slow client; past it, events are skipped. */
const maxBufferedBytes = 1_048_576;

/** Most feeds that read the store at the same time. */
const maxConcurrentPolls = 4;

const maxCursorLength = 100;

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

const readParams = paramsReader(paramsSchema);

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

const heading = { method: "GET", style: problemStyle } as const;

/** `GET …/tail`: an endless stream of events. A slow client misses some, and gets their number. */
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
    // `close` comes exactly once, whichever side closes, and then the client's place is free again.
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

/** @throws QueryError QUERY_BAD_PARAMETER for a query over several spans */
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

/** An empty id counts as absent. @throws QueryError QUERY_BAD_PARAMETER */
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

/** One response as a stream of events. */
class EventStream implements TailListener {
  readonly #response: Response;
  #skipped = 0;

  constructor(response: Response) {
    this.#response = response;
  }

  /** Sends the head of the response, once. */
  open(): void {
    const response = this.#response;
    if (response.headersSent || response.destroyed) {
      return;
    }
    response.setHeader("Content-Type", "text/event-stream");
    response.setHeader("Cache-Control", "no-cache, no-transform");
    // Without it nginx collects events until its buffer is full.
    response.setHeader("X-Accel-Buffering", "no");
    response.setTimeout(defaultClientTimes.stalledMs, () => response.destroy());
    response.write(": following\nretry: 2000\n\n");
  }

  arrived(text: string, spans: number): void {
    this.open();
    if (this.#isFull()) {
      this.#skipped += spans;
      return;
    }
    this.#write(text);
  }

  failed(error: unknown): void {
    this.open();
    if (!this.#isFull()) {
      const failure = httpFailure(error);
      this.#write(
        eventText("problem", problemStyle.failure(failure.status, failure.message, failure).trimEnd()),
      );
    }
  }

  idle(cursor: string): void {
    this.open();
    if (!this.#isFull()) {
      this.#write(`: heartbeat\nid: ${cursor}\n\n`);
    }
  }

  #isFull(): boolean {
    return this.#response.writableLength > maxBufferedBytes;
  }

  #write(text: string): void {
    if (this.#response.writableEnded || this.#response.destroyed) {
      return;
    }
    const skipped = this.#skipped > 0 ? skippedEvent(this.#skipped, "slow client") : "";
    this.#skipped = 0;
    this.#response.write(skipped + text);
  }
}
