import type { RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { httpServerFor, listenError } from "lifecycle";
import type { Receiver, ReceiverAddress } from "./receiver.ts";

/** How long an HTTP listener waits for its senders; 0: without limit. */
export interface HttpTimeouts {
  /** For the next request on a connection. */
  readonly idleMs: number;
  /** For a whole request, its body included. */
  readonly readMs: number;
  /** For the headers of a request. */
  readonly readHeaderMs: number;
}

/** How often Node looks for connections that are over a limit. */
const timeoutCheckMs = 1_000;
/** The system asks after idle connections, so that those of senders that are gone without a word end. Go's interval. */
const tcpKeepAliveMs = 15_000;
const idleCheckMs = 20;

/**
 * Serves HTTP, over TLS where the address has it.
 * @throws StartError when the address cannot be had
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
      // Node wants it to be the shorter of the two.
      headersTimeout: readMs > 0 && (readHeaderMs === 0 || readHeaderMs > readMs) ? readMs : readHeaderMs,
      connectionsCheckingInterval: timeoutCheckMs,
    },
    (request, response) => {
      // A sender that goes away is no news.
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
      if (signal.aborted) cut();
      // A connection whose last call ends during the stop would otherwise wait for its sender's next one.
      const idle = setInterval(() => server.closeIdleConnections(), idleCheckMs);
      await new Promise<void>((resolve) => server.close(() => resolve()));
      clearInterval(idle);
    },
  };
}
