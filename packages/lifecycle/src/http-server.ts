import {
  createServer as createHttpServer,
  type RequestListener,
  type Server,
  type ServerOptions,
} from "node:http";
import { createServer as createHttpsServer, type Server as HttpsServer } from "node:https";
import { answerClientError } from "./late-requests.ts";
import { endHandshakesOnClose } from "./open-handshakes.ts";
import { secureContextOptions } from "./tls/secure-context.ts";
import type { ServerTls } from "./tls/server-tls.ts";
import { traceRequests } from "./tracing/trace-requests.ts";

/**
 * Makes an HTTP server whose requests may be recorded as spans (`traceRequests`); with `tls`, it uses TLS. When
 * certificate files change, new connections use the new files; the files are watched until the server closes. A request
 * that arrives in time is served, even if this process reads it later.
 * @param tls result of `openServerTls`; undefined: plain HTTP
 */
export function httpServerFor(
  tls: ServerTls | undefined,
  options: ServerOptions,
  handler: RequestListener,
): Server | HttpsServer {
  const traced = traceRequests(handler);
  if (tls === undefined) {
    return createHttpServer(options, traced).on("clientError", answerClientError);
  }
  const server = createHttpsServer(
    {
      ...options,
      ...secureContextOptions(tls.material),
      requestCert: tls.material.clientCa !== undefined,
      rejectUnauthorized: tls.material.clientCa !== undefined,
    },
    traced,
  );
  endHandshakesOnClose(server);
  tls.onChange((material) => server.setSecureContext(secureContextOptions(material)));
  server.once("close", () => tls.close());
  return server.on("clientError", answerClientError);
}
