import { once } from "node:events";
import type { AddressInfo } from "node:net";
import express, { type ErrorRequestHandler } from "express";
import {
  type HostPort,
  httpServerFor,
  type Logger,
  listenError,
  type ServerTls,
  type TenantCheck,
} from "lifecycle";
import type { AdjustOptions } from "../service/adjusters/adjust-trace.ts";
import type { QueryService } from "../service/query-service.ts";
import { apiRouter } from "./api-router.ts";
import { sendFailure } from "./endpoint.ts";
import type { UiPage } from "./ui-page.ts";
import { uiRouter } from "./ui-router.ts";

export interface HttpServerSettings {
  readonly address: HostPort;
  /** Undefined: plain HTTP. */
  readonly tls: ServerTls | undefined;
  readonly service: QueryService;
  /** For the JSON endpoints; the UI needs no tenant. */
  readonly tenants: TenantCheck;
  readonly adjust: AdjustOptions;
  readonly page: UiPage;
  readonly uiFolder: string;
  /** "" for the root, otherwise "/some/path", under which everything is. */
  readonly basePath: string;
  readonly log: Logger;
}

export interface HttpServer {
  readonly port: number;
  /** Lets requests under way end; closes their connections when `signal` is aborted. */
  stop(signal: AbortSignal): Promise<void>;
}

/** Longer than a reverse proxy in front keeps idle connections, so that it is never the one to meet a closed one. */
const keepAliveTimeoutMs = 75_000;

const sweepIntervalMs = 50;

/** @throws StartError when the address cannot be listened on */
export async function openHttpServer(settings: HttpServerSettings): Promise<HttpServer> {
  const { address, tls, service, tenants, adjust, page, uiFolder, basePath, log } = settings;
  const app = express();
  app.disable("x-powered-by");
  app.disable("etag");
  app.set("query parser", false);
  app.use(
    basePath === "" ? "/" : basePath,
    apiRouter(service, adjust, tenants, log),
    uiRouter(page, uiFolder),
  );
  app.use((_request, response) => {
    response.status(404).type("text/plain").send("404 page not found\n");
  });
  // Express knows an error handler by its four parameters.
  const onError: ErrorRequestHandler = (error, _request, response, _next) =>
    sendFailure(response, error, log);
  app.use(onError);

  const server = httpServerFor(tls, { keepAliveTimeout: keepAliveTimeoutMs }, app);
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
      // A connection that is kept alive after its last answer would hold up the stop.
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
