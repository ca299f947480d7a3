import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { activeSpan, type HostPort, httpServerFor, type Logger, listenError } from "lifecycle";
import { WireError } from "wire/errors";
import { legacySamplingJson, samplingJson, serviceParameter } from "wire/sampling";
import type { AgentMetrics, HttpRequestType } from "../agent-metrics.ts";
import { CollectorError, type SamplingClient } from "../reporters/sampling-client.ts";

/** Milliseconds in which the headers of a request must arrive: Jaeger's limit. */
const headersTimeoutMs = 2_000;
const requestTimeoutMs = 10_000;
/**
 * Maximum number of open connections. Further connections are closed immediately. Each client sends only one request a
 * minute.
 */
const maxConnections = 1_000;
/** Milliseconds that running requests get when the agent stops. */
const closeGraceMs = 1_000;
/** Maximum number of requests that may wait for the collector. A further request gets a 5xx status. */
const maxWaiting = 200;

/** Settings of the HTTP port for sampling strategies. */
export interface HttpServerSettings {
  /** Address to listen on; port 0 is any free port. */
  readonly address: HostPort;
  /** Passes requests on to a collector. */
  readonly sampling: SamplingClient;
  readonly metrics: AgentMetrics;
  readonly log: Logger;
}

export interface HttpServer {
  /** The port in use. For port 0 this is the port that the system chose. */
  readonly port: number;
  /** Accepts no more requests. Resolves when all running requests are answered, or after a second. */
  close(): Promise<void>;
}

/**
 * Opens the HTTP port where clients request sampling strategies. It serves `/sampling?service=`, `/?service=` in the
 * oldest form, and `/baggageRestrictions?service=`, which no collector can answer. The collectors hold the strategies,
 * so each request is passed on to a collector.
 * @throws StartError when the server cannot listen on the address
 */
export async function openHttpServer(settings: HttpServerSettings): Promise<HttpServer> {
  const { address, log } = settings;
  let waiting = 0;
  const server = httpServerFor(
    undefined,
    {
      headersTimeout: headersTimeoutMs,
      requestTimeout: requestTimeoutMs,
      connectionsCheckingInterval: 1_000,
    },
    (request, response) => {
      if (waiting >= maxWaiting) {
        settings.metrics.httpError("collector-proxy", "5xx");
        answerText(response, 503, "too many requests wait for the collector");
        return;
      }
      waiting++;
      answer(settings, request, response)
        .catch((error: unknown) => {
          log.error({ err: error }, "HTTP request failed: unexpected error");
          response.destroy();
        })
        .finally(() => waiting--);
    },
  );
  server.maxConnections = maxConnections;
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error) =>
      reject(listenError(error, "HTTP for clients", address.text, "http-server.host-port")),
    );
    server.listen({ port: address.port, ...(address.host === "" ? {} : { host: address.host }) }, resolve);
  });
  const { address: host, port } = server.address() as AddressInfo;
  log.info({ host, port }, "HTTP for clients listening");
  return {
    port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeIdleConnections();
        setTimeout(() => server.closeAllConnections(), closeGraceMs).unref();
      }),
  };
}

const requestTypes: ReadonlyMap<string, HttpRequestType> = new Map([
  ["/sampling", "sampling"],
  ["/", "sampling-legacy"],
  ["/baggageRestrictions", "baggage"],
]);

async function answer(
  { sampling, metrics }: HttpServerSettings,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const url = request.url ?? "";
  const [path = ""] = url.split("?", 1);
  const type = requestTypes.get(path);
  if (type === undefined) {
    return answerText(response, 404, "404 page not found");
  }
  if (request.method !== "GET") {
    response.writeHead(405, { "Content-Length": 0 }).end();
    return;
  }
  activeSpan()?.describe(`GET ${path}`);
  const service = serviceParameter(url);
  if (service === undefined) {
    metrics.httpError("all", "4xx");
    return answerText(response, 400, "'service' parameter must be provided once");
  }
  if (type === "baggage") {
    metrics.collectorProxied("baggage", "err");
    metrics.httpError("collector-proxy", "5xx");
    return answerText(response, 500, "collector error: baggage not implemented");
  }
  try {
    const strategy = await sampling.strategyFor(service);
    metrics.collectorProxied("sampling", "ok");
    const json = Buffer.from(type === "sampling" ? samplingJson(strategy) : legacySamplingJson(strategy));
    metrics.httpRequest(type);
    response.writeHead(200, { "Content-Type": "application/json", "Content-Length": json.length }).end(json);
  } catch (error) {
    if (error instanceof CollectorError) {
      metrics.collectorProxied("sampling", "err");
      metrics.httpError("collector-proxy", "5xx");
      answerText(response, 500, `collector error: failed to get sampling strategy: ${error.message}`);
    } else if (error instanceof WireError) {
      metrics.httpError(type === "sampling" ? "proto" : "thrift", "5xx");
      answerText(response, 500, "cannot marshall to JSON");
    } else {
      throw error;
    }
  }
}

function answerText(response: ServerResponse, status: number, text: string): void {
  const body = Buffer.from(`${text}\n`);
  response
    .writeHead(status, {
      "Content-Type": "text/plain; charset=utf-8",
      "Content-Length": body.length,
      "X-Content-Type-Options": "nosniff",
    })
    .end(body);
}
