import type { AddressInfo } from "node:net";
import { type Http1Handler, Http1Server } from "http-protocols/http1-server";
import type { Logger } from "lifecycle";
import { listenError } from "lifecycle/errors";
import { traceRequests } from "lifecycle/trace-requests";
import type { Receiver, ReceiverAddress } from "./receiver.ts";
import { socketServerFor } from "./socket-server.ts";

/** Time limits of an HTTP listener in milliseconds; 0: no limit. */
export interface HttpTimeouts {
  /** Milliseconds that a connection may wait for its next request before it is closed. */
  readonly idleMs: number;
  /** Milliseconds for receiving a whole request, including its body. */
  readonly readMs: number;
  /** Milliseconds for receiving the headers of a request. */
  readonly readHeaderMs: number;
}

/** Size limit of a request's head in bytes. */
const maxHeaderBytes = 16 * 1024;
/**
 * Maximum number of bytes of a refused body that are read and dropped, so that the sender finishes and reads the
 * answer.
 */
const maxDroppedBytes = 64 * 1024 * 1024;
/**
 * A new connection waits this long for its first byte, in milliseconds, where the limit for headers is shorter.
 * Balancers and busy clients open connections before they have a request to send; closing such a connection would lose
 * its request.
 */
const firstByteMs = 30_000;
/** Interval of TCP keep-alive probes in milliseconds, as in Go. They end the connections of vanished senders. */
const tcpKeepAliveMs = 15_000;

/** The parts of an HTTP listener that differ between receivers. */
export interface HttpService {
  readonly timeouts: HttpTimeouts;
  readonly log: Logger;
  /** Answers requests. When this process traces itself, each request is a span (`traceRequests`). */
  readonly handler: Http1Handler;
}

/**
 * Serves HTTP/1 on an address, with TLS if it is configured.
 * @throws StartError when the address cannot be used
 */
export async function listenHttp(
  { address, what, flag, tls }: ReceiverAddress,
  { timeouts, log, handler }: HttpService,
): Promise<Receiver> {
  const { idleMs, readMs, readHeaderMs } = timeouts;
  const listener = socketServerFor(tls, "http/1.1");
  listener.on("connection", (socket) => socket.setKeepAlive(true, tcpKeepAliveMs));
  const server = new Http1Server(listener, {
    limits: {
      idleTimeoutMs: idleMs,
      firstByteTimeoutMs: readHeaderMs === 0 ? 0 : Math.max(readHeaderMs, firstByteMs),
      readTimeoutMs: readMs,
      // The limit for a whole request is one for its head too.
      readHeaderTimeoutMs:
        readMs > 0 && (readHeaderMs === 0 || readHeaderMs > readMs) ? readMs : readHeaderMs,
      maxHeaderBytes,
      maxDroppedBytes,
    },
    handler: traceRequests(handler),
    onFault: (err) => log.error({ err }, `error in a request of ${what}`),
  });
  await new Promise<void>((resolve, reject) => {
    listener.once("error", (error) => {
      tls?.close();
      void server.stop(AbortSignal.abort());
      reject(listenError(error, what, address.text, flag));
    });
    listener.listen({ port: address.port, ...(address.host === "" ? {} : { host: address.host }) }, resolve);
  });
  return {
    what,
    port: (listener.address() as AddressInfo).port,
    stop: (signal) => server.stop(signal),
  };
}
