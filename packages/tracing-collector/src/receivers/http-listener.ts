import type { RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { listenError } from "lifecycle/errors";
import { httpServerFor } from "lifecycle/http-server";
import type { Receiver, ReceiverAddress } from "./receiver.ts";

/** Time limits of an HTTP listener in milliseconds; 0: no limit. */
export interface HttpTimeouts {
  /** Limit for the wait between two requests on a connection. */
  readonly idleMs: number;
  /** Limit for receiving a whole request, including its body. */
  readonly readMs: number;
  /** Limit for receiving the headers of a request. */
  readonly readHeaderMs: number;
}

/** Interval in milliseconds at which Node checks the time limits of connections. */
const timeoutCheckMs = 1_000;
/** Interval of TCP keep-alive probes in milliseconds, as in Go. They end the connections of vanished senders. */
const tcpKeepAliveMs = 15_000;
const idleCheckMs = 20;

/**
 * Serves HTTP on an address, with TLS if it is configured.
 * @throws StartError when the address cannot be used
 */
export async function listenHttp(
  { address, what, flag, tls }: ReceiverAddress,
  { idleMs, readMs, readHeaderMs }: HttpTimeouts,
  handler: RequestListener,
): Promise<Receiver> {
  const server = httpServerFor(
    tls,
    {
      keepAlive: true,
      keepAliveInitialDelay: tcpKeepAliveMs,
      keepAliveTimeout: idleMs,
      requestTimeout: readMs,
      // Node requires that the header limit does not exceed the request limit.
      headersTimeout: readMs > 0 && (readHeaderMs === 0 || readHeaderMs > readMs) ? readMs : readHeaderMs,
      connectionsCheckingInterval: timeoutCheckMs,
    },
    (request, response) => {
      // A sender may disconnect at any time, so this is not an error.
      response.on("error", () => {});
      handler(request, response);
    },
  );
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error) => {
      tls?.close();
      reject(listenError(error, what, address.text, flag));
    });
    server.listen({ port: address.port, ...(address.host === "" ? {} : { host: address.host }) }, resolve);
  });
  return {
    what,
    port: (server.address() as AddressInfo).port,
    async stop(signal) {
      const cut = () => server.closeAllConnections();
      signal.addEventListener("abort", cut, { once: true });
      if (signal.aborted) {
        cut();
      }
      // Without this, a connection whose last call ends during the stop would wait for another request.
      const idle = setInterval(() => server.closeIdleConnections(), idleCheckMs);
      await new Promise<void>((resolve) => server.close(() => resolve()));
      clearInterval(idle);
    },
  };
}
