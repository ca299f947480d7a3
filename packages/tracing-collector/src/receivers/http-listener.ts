import type { RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { listenError } from "lifecycle/errors";
import { httpServerFor } from "lifecycle/http-server";
import type { Receiver, ReceiverAddress } from "./receiver.ts";

/** How long an HTTP listener waits for its senders, in milliseconds; 0: without limit. */
export interface HttpTimeouts {
  /** For the next request on a connection. */
  readonly idleMs: number;
  /** For a whole request, including its body. */
  readonly readMs: number;
  /** For the headers of a request. */
  readonly readHeaderMs: number;
}

/** Interval of Node's search for connections over a limit, in milliseconds. */
const timeoutCheckMs = 1_000;
/**
 * Interval of TCP keep-alive probes in milliseconds, as in Go. They end the connections of senders that
 * vanished.
 */
const tcpKeepAliveMs = 15_000;
const idleCheckMs = 20;

/**
 * Serves HTTP, with TLS when the address has it.
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
      // Node requires that it is the shorter one.
      headersTimeout: readMs > 0 && (readHeaderMs === 0 || readHeaderMs > readMs) ? readMs : readHeaderMs,
      connectionsCheckingInterval: timeoutCheckMs,
    },
    (request, response) => {
      // A sender that disconnects is normal.
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
      // Otherwise a connection whose last call ends during the stop would wait for its sender's next call.
      const idle = setInterval(() => server.closeIdleConnections(), idleCheckMs);
      await new Promise<void>((resolve) => server.close(() => resolve()));
      clearInterval(idle);
    },
  };
}
