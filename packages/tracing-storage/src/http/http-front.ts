import { randomUUID } from "node:crypto";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Server as HttpsServer } from "node:https";
import { hostname } from "node:os";
import { activeSpan, httpServerFor, type Logger, type ServerTls } from "lifecycle";
import type { PartQuarantine } from "../damage/part-quarantine.ts";
import type { StuckReads } from "../damage/stuck-reads.ts";
import type { DiskGuard } from "../engine/disk-guard.ts";
import type { Engine } from "../engine/engine.ts";
import type { QueryGate } from "../engine/query-gate.ts";
import { EngineError, engineError, toEngineError } from "../engine-error.ts";
import type { PointReader } from "../point-read/point-reader.ts";
import type { StorageMetrics } from "../storage-metrics.ts";
import { answer, answerEarly, answerStream, type Packing, unpacked } from "./answer.ts";
import { contentType } from "./content-type.ts";
import { checkCredentials } from "./credentials.ts";
import { errorStatus } from "./error-status.ts";
import { exceptionInBody, exceptionTag } from "./exception-in-body.ts";
import { checkOrigin } from "./origin-check.ts";
import { type QueryParameters, readQueryParameters } from "./query-parameters.ts";
import { RequestBody } from "./request-body.ts";
import { type QueryOutcome, type QueryParts, runQuery } from "./run-query.ts";
import { Sessions } from "./sessions.ts";
import type { User } from "./users.ts";

export interface HttpFrontSettings {
  /** Users who may log in; never empty. */
  readonly users: readonly [User, ...User[]];
  /** Maximum number of sessions that may be open at once. A further one is refused. */
  readonly maxSessions: number;
  /** Time in milliseconds after which a client that does not read its result is disconnected. */
  readonly sendTimeoutMs: number;
  /** Size limit of a body after decompression, in bytes. */
  readonly maxBodyBytes: number;
  /** TLS settings. Absent: plain HTTP. */
  readonly tls?: ServerTls | undefined;
}

/** Parts that serve the HTTP protocol of the store. */
export interface HttpFrontParts {
  readonly engine: Engine;
  /** Limits the numbers of running and waiting statements. */
  readonly gate: QueryGate;
  /** Refuses rows before the disk is full. Statements that free space are still run. */
  readonly guard: DiskGuard;
  /** Answers statements for few rows by key from part files, without the engine. */
  readonly pointReader: PointReader;
  readonly metrics: StorageMetrics;
  /** Moves damaged parts to `detached`, so that later reads do not use them. */
  readonly quarantine: PartQuarantine;
  /** Repeats reads that found a damaged block. */
  readonly stuckReads: StuckReads;
  readonly log: Logger;
}

const pathHelp = `There is no handle here.

Use / or /ping for health checks.
Send queries with the POST method, or with GET and /?query=…: see ClickHouse's documentation, "HTTP interface".
`;

/**
 * ClickHouse's statistics for a result, under its names. Numbers that the embedded engine does not report are missing.
 */
function summary({ kind, rows, result, insertedBytes, elapsedSeconds }: QueryOutcome): string {
  const elapsed = { elapsed_ns: String(Math.round(elapsedSeconds * 1e9)) };
  return JSON.stringify(
    kind === "insert"
      ? { written_rows: String(rows), written_bytes: String(insertedBytes), ...elapsed }
      : { result_rows: String(rows), result_bytes: String(result.length), ...elapsed },
  );
}

/** JSON that is valid in a header. */
function headerJson(value: unknown): string {
  return JSON.stringify(value).replace(
    /[^ -~]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/**
 * Describes the query of a traced client. For other clients, no span is recorded, because inserts of spans would
 * otherwise create spans whose inserts create more spans.
 */
function describeSpan(kind: QueryOutcome["kind"]): void {
  const span = activeSpan();
  if (span?.hasParent === true) {
    span.describe(kind, { "db.system.name": "clickhouse", "db.operation.name": kind });
  }
}

/** ClickHouse's HTTP protocol for an engine. The server does not listen yet. */
export function createHttpFront(parts: HttpFrontParts, settings: HttpFrontSettings): Server | HttpsServer {
  const front = new HttpFront(parts, settings);
  const timeouts = { keepAliveTimeout: 30_000, requestTimeout: 300_000 };
  return httpServerFor(settings.tls, timeouts, (request, response) => {
    front.handle(request, response).catch((error: unknown) => {
      parts.log.error({ err: error }, "a request failed");
      front
        .sendError(request, response, engineError("UNKNOWN_EXCEPTION", String(error)))
        .catch(() => response.destroy());
    });
  });
}

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

class HttpFront {
  readonly #parts: HttpFrontParts;
  readonly #settings: HttpFrontSettings;
  readonly #queryParts: QueryParts;
  /** Ids of the running queries. A query is cancelled by its id, so these ids must be unique. */
  readonly #ids = new Set<string>();
  /** Text at the end of errors, from which clients read ClickHouse's version. */
  readonly #version: string;

  constructor(parts: HttpFrontParts, settings: HttpFrontSettings) {
    this.#parts = parts;
    this.#settings = settings;
    this.#queryParts = { ...parts, sessions: new Sessions(parts.engine, settings.maxSessions) };
    this.#version = `(version ${parts.engine.facts.version} (embedded))`;
  }

  /** Rejects only for a fault of the program. */
  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    response.setHeader("X-ClickHouse-Server-Display-Name", hostname());
    response.setHeader("X-ClickHouse-Timezone", this.#parts.engine.facts.timezone);
    const url = URL.parse(request.url ?? "/", "http://localhost");
    try {
      checkOrigin(request);
    } catch (error) {
      await this.sendError(request, response, toEngineError(error));
      return;
    }
    if (url === null) {
      const text = `the address ${JSON.stringify(request.url)} cannot be read`;
      await this.sendError(request, response, engineError("BAD_ARGUMENTS", text));
      return;
    }
    const { method = "GET" } = request;
    const isRead = method === "GET" || method === "HEAD";
    const isRoot = url.pathname === "/" || url.pathname === "";
    if (
      isRead &&
      (url.pathname === "/ping" || url.pathname === "/replicas_status" || (isRoot && url.search === ""))
    ) {
      response.setHeader("Content-Type", "text/html; charset=UTF-8");
      await answer(request, response, { status: 200, body: Buffer.from("Ok.\n"), packing: unpacked });
    } else if (!isRoot) {
      response.setHeader("Content-Type", "text/plain; charset=UTF-8");
      await answer(request, response, { status: 404, body: Buffer.from(pathHelp), packing: unpacked });
    } else if (isRead || method === "POST" || method === "PUT") {
      await this.#query({ request, response }, url);
    } else {
      response.setHeader("Allow", "GET, HEAD, POST, PUT");
      await answer(request, response, {
        status: 405,
        body: Buffer.from(`method ${method} is not served\n`),
        packing: unpacked,
      });
    }
  }

  /** Answers with an error. If the response has started, it is cut off, because its status is already sent. */
  async sendError(request: IncomingMessage, response: ServerResponse, error: EngineError): Promise<void> {
    this.#parts.metrics.errors.inc({ code: String(error.code) });
    const status = errorStatus(error);
    if (response.headersSent || response.destroyed) {
      response.destroy();
      return;
    }
    response.setHeader("X-ClickHouse-Exception-Code", error.code);
    response.setHeader("Content-Type", "text/plain; charset=UTF-8");
    if (status === 401) {
      response.setHeader("WWW-Authenticate", 'Basic realm="ClickHouse server HTTP API"');
    } else if (status === 503) {
      response.setHeader("Retry-After", "1");
    }
    const body = Buffer.from(`${error.message} ${this.#version}\n`);
    await (request.complete
      ? answer(request, response, { status, body, packing: unpacked })
      : answerEarly(request, response, status, body));
  }

  /** Runs a query. Its errors are sent to the client, and every query is counted with its duration. */
  async #query(exchange: Exchange, url: URL): Promise<void> {
    const { request, response } = exchange;
    const { metrics, log } = this.#parts;
    const left = new AbortController();
    response.on("close", () => {
      if (!response.writableFinished) {
        left.abort();
      }
    });
    const begin = performance.now();
    let kind: QueryOutcome["kind"] = "other";
    let id: string | undefined;
    const requestId = randomUUID();
    response.setHeader("X-ClickHouse-Query-Id", requestId);
    try {
      const user = checkCredentials(request, url, this.#settings.users);
      const parameters = readQueryParameters(request, url, requestId, user.readOnly);
      id = this.#begin(parameters.queryId, response);
      const body = new RequestBody(request, this.#settings.maxBodyBytes, parameters.decompressBlocks);
      const outcome = await runQuery(this.#queryParts, user, { parameters, body, signal: left.signal });
      kind = outcome.kind;
      await this.#sendOutcome(exchange, outcome, parameters);
    } catch (error) {
      const known = toEngineError(error);
      if (left.signal.aborted) {
        metrics.cancelled.inc();
      } else if (!(error instanceof EngineError)) {
        log.error({ err: error }, "a request failed");
      }
      await this.sendError(request, response, known);
    } finally {
      // An unread rest of the result is not needed: the request was HEAD, or its client was too slow.
      left.abort();
      if (id !== undefined) {
        this.#ids.delete(id);
      }
      metrics.queries.inc({ kind });
      metrics.seconds.observe({ kind }, (performance.now() - begin) / 1000);
    }
  }

  /**
   * Reserves an id for a query.
   * @returns the id, which must be removed from `#ids` when the query ends
   * @throws EngineError for an id of a running query
   */
  #begin(id: string, response: ServerResponse): string {
    response.setHeader("X-ClickHouse-Query-Id", id);
    if (this.#ids.has(id)) {
      throw engineError("QUERY_WITH_SAME_ID_IS_ALREADY_RUNNING", `Query with id = ${id} is already running`);
    }
    this.#ids.add(id);
    return id;
  }

  async #sendOutcome(
    exchange: Exchange,
    outcome: QueryOutcome,
    { mayCompress, compressBlocks }: QueryParameters,
  ): Promise<void> {
    const { metrics } = this.#parts;
    const { request, response } = exchange;
    describeSpan(outcome.kind);
    metrics.insertedBytes.inc(outcome.insertedBytes);
    if (outcome.kind === "insert") {
      metrics.insertedRows.inc(outcome.rows);
    }
    response.setHeader("X-ClickHouse-Format", outcome.format);
    response.setHeader("X-ClickHouse-Summary", summary(outcome));
    if (outcome.missing !== undefined) {
      response.setHeader("X-Tracing-Partial", headerJson(outcome.missing));
    }
    response.setHeader("Content-Type", contentType(outcome.format));
    metrics.resultBytes.inc(outcome.result.length);
    const packing = { mayCompress, asBlocks: compressBlocks };
    if (outcome.more === undefined) {
      await answer(request, response, { status: 200, body: outcome.result, packing });
    } else {
      await this.#sendStream(exchange, outcome.result, outcome.more.chunks, packing);
    }
  }

  /**
   * Sends a result that is longer than `head`; an error can then be reported only in the body.
   * @param head the beginning, which is counted already
   */
  async #sendStream(
    { request, response }: Exchange,
    head: Buffer,
    chunks: AsyncIterable<Buffer>,
    packing: Packing,
  ): Promise<void> {
    const { metrics, quarantine } = this.#parts;
    const tag = exceptionTag();
    response.setHeader("X-ClickHouse-Exception-Tag", tag);
    async function* counted(): AsyncGenerator<Buffer, void> {
      for await (const chunk of chunks) {
        metrics.resultBytes.inc(chunk.length);
        yield chunk;
      }
    }
    const failure = (error: unknown) => {
      const known = toEngineError(error);
      // It is too late for this result, but later reads will not use the damaged part.
      void quarantine.suspect(known);
      metrics.errors.inc({ code: String(known.code) });
      return exceptionInBody(`${known.message} ${this.#version}`, tag);
    };
    const { sendTimeoutMs } = this.#settings;
    await answerStream(request, response, { head, rest: counted() }, { packing, sendTimeoutMs, failure });
  }
}
