import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { listenError } from "lifecycle";
import type { Receiver, ReceiverAddress } from "./receiver.ts";

/** Time that a sender has for the headers of a request; the public model's limit is 2 s, checked less often here. */
const headersTimeoutMs = 10_000;
/**
 * How long an idle connection is kept. Node's 5 s is the very interval at which SDKs send by default: every other batch
 * would meet a connection that is just being closed.
 */
const keepAliveTimeoutMs = 120_000;
const idleCheckMs = 20;
/** Time for a whole request. */
const requestTimeoutMs = 300_000;

/**
 * Listens; the server already has its handler.
 * @throws StartError when the address cannot be had
 */
export async function listenHttp(
  server: Server,
  { address, what, flag }: ReceiverAddress,
): Promise<Receiver> {
  server.keepAliveTimeout = keepAliveTimeoutMs;
  server.headersTimeout = headersTimeoutMs;
  server.requestTimeout = requestTimeoutMs;
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error) => reject(listenError(error, what, address.text, flag)));
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
