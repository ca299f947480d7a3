import { once } from "node:events";
import type { AddressInfo, Socket } from "node:net";
import express, { type ErrorRequestHandler, type Router } from "express";
import { type HostPort, httpServerFor, listenError, type ServerTls } from "lifecycle";
import { sendFailure } from "../http/endpoint.ts";
import { guardHeaders } from "../http/guard-headers.ts";
import { shareHttp2 } from "../http/route-connections.ts";
import { shortLinkRouter } from "../http/short-link.ts";
import { tidyPath } from "../http/tidy-path.ts";
import type { UiPage } from "../http/ui-page.ts";
import { uiRouter } from "../http/ui-router.ts";
import { unknownApiRouter } from "../http/unknown-api-router.ts";
import type { QueryService } from "../service/query-service.ts";
import { tempoRouter } from "../tempo/tempo-router.ts";
import { type ApiSettings, apiRouter } from "./api-router.ts";

/** Settings of the HTTP server. `tenants` concerns the APIs and short links. The UI's page needs no tenant. */
export interface HttpServerSettings extends ApiSettings {
  /** Address to listen on. */
  readonly address: HostPort;
  /** Certificate and key. Undefined: plain HTTP. */
  readonly tls: ServerTls | undefined;
  readonly service: QueryService;
  readonly page: UiPage;
  /** Folder of the UI's files. */
  readonly uiFolder: string;
  /** True: log each request for the page and its files. */
  readonly logStaticFiles: boolean;
  /** Prefix of all paths: "" for the root, otherwise "/some/path". */
  readonly basePath: string;
  /** Headers of every answer. */
  readonly headers: ReadonlyMap<string, string>;
  /** Further endpoints below the base path, such as `/mcp`. */
  readonly routers?: readonly Router[];
  /** Handles HTTP/2 connections of gRPC clients on the same port; undefined when gRPC has its own port. */
  readonly takeHttp2?: ((socket: Socket) => void) | undefined;
}

export interface HttpServer {
  /** The listening port. */
  readonly port: number;
  /** Lets running requests end; closes their connections when `signal` is aborted. */
  stop(signal: AbortSignal): Promise<void>;
}

/**
 * Longer than most reverse proxies keep idle connections, so that a proxy does not send a request on a closed
 * connection.
 */
const keepAliveTimeoutMs = 75_000;

const sweepIntervalMs = 50;

/** @throws StartError when the server cannot listen on the address */
export async function openHttpServer(settings: HttpServerSettings): Promise<HttpServer> {
  const { address, tls, takeHttp2, service, page, uiFolder, logStaticFiles, basePath, headers, log } =
    settings;
  const stopping = new AbortController();
  const app = express();
  app.disable("x-powered-by");
  app.disable("etag");
  app.set("query parser", false);
  app.use((_request, response, next) => {
    for (const [name, value] of [...guardHeaders, ...headers]) {
      response.setHeader(name, value);
    }
    next();
  });
  app.use(tidyPath);
  app.use(
    basePath === "" ? "/" : basePath,
    apiRouter(service, { ...settings, stopping: stopping.signal }),
    tempoRouter(service, settings),
    shortLinkRouter(settings),
    ...(settings.routers ?? []),
    unknownApiRouter(),
    uiRouter(page, { folder: uiFolder, basePath, accessLog: logStaticFiles ? log : undefined }),
  );
  app.use((_request, response) => {
    response.status(404).type("text/plain").send("404 page not found\n");
  });
  // Express recognizes an error handler by its four parameters, so `_next` stays.
  const onError: ErrorRequestHandler = (error, _request, response, _next) =>
    sendFailure(response, error, log);
  app.use(onError);

  const server = httpServerFor(tls, { keepAliveTimeout: keepAliveTimeoutMs }, app);
  if (takeHttp2 !== undefined) {
    shareHttp2(server, takeHttp2);
  }
  server.listen(address.port, address.host === "" ? undefined : address.host);
  try {
    await once(server, "listening");
  } catch (error) {
    throw listenError(error, "query over HTTP", address.text, "query.http-server.host-port");
  }
  return {
    port: (server.address() as AddressInfo).port,
    async stop(signal) {
      const closed = once(server, "close");
      server.close();
      stopping.abort();
      // An idle kept-alive connection would delay the stop.
      const sweep = setInterval(() => server.closeIdleConnections(), sweepIntervalMs);
      const cut = () => server.closeAllConnections();
      signal.addEventListener("abort", cut, { once: true });
      if (signal.aborted) {
        cut();
      }
      await closed;
      clearInterval(sweep);
    },
  };
}
