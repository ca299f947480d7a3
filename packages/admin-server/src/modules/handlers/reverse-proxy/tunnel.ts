import { type ClientRequest, request as httpRequest, type IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { ServerError } from "../../../core/errors.ts";
import { isDialError, ProxyFailure } from "./proxy-error.ts";
import { copyResponseHeaders } from "./proxy-headers.ts";
import type { RoundTripOptions } from "./round-trip.ts";

const dialTimeoutMs = 3_000;

/** Lets go of a socket when what was written to it is on its way. */
function closeWhenFlushed(socket: Duplex): void {
  if (socket.writableFinished) {
    socket.destroy();
  } else {
    socket.end(() => socket.destroy());
  }
}

/** Bytes both ways until one side is gone; then the other gets what is left for it and is closed too. */
function join(client: Duplex, upstream: Duplex, onClose: () => void): void {
  client.on("error", () => client.destroy());
  upstream.on("error", () => upstream.destroy());
  client.once("close", () => closeWhenFlushed(upstream));
  upstream.once("close", () => closeWhenFlushed(client));
  client.once("close", onClose);
  client.pipe(upstream);
  upstream.pipe(client);
}

/** @throws ServerError HTTP_RESPONSE */
function switchProtocols(
  options: RoundTripOptions,
  answer: IncomingMessage,
  upstreamSocket: Duplex,
  upstreamHead: Buffer,
): void {
  const { exchange, onStatus } = options;
  onStatus(101);
  copyResponseHeaders(answer.rawHeaders, exchange);
  exchange.responseHeaders.unshift("Connection", "Upgrade", "Upgrade", answer.headers.upgrade ?? "");
  const client = exchange.switchProtocols();
  client.socket.write(upstreamHead);
  upstreamSocket.write(client.head);
  join(client.socket, upstreamSocket, () => exchange.end());
}

/**
 * Asks an upstream to switch protocols. When it does, a tunnel stands and this returns; else its answer goes to the
 * client as any other. Not through undici, which fails the request when the upstream declines.
 * @throws ProxyFailure; ServerError CLIENT_GONE
 */
export function openTunnel(options: RoundTripOptions): Promise<void> {
  const { exchange, upstream, headers } = options;
  return new Promise((resolve, reject) => {
    let answered = false;
    const request: ClientRequest = httpRequest({
      host: upstream.dial.host,
      port: upstream.dial.port,
      method: exchange.method,
      path: exchange.target,
      headers,
      agent: false,
    });
    const timer = setTimeout(
      () => request.destroy(new Error(`no connection in ${dialTimeoutMs} ms`)),
      dialTimeoutMs,
    );
    request.once("socket", (socket) => socket.once("connect", () => clearTimeout(timer)));
    exchange.onEnd(() => {
      if (!answered) {
        request.destroy();
        reject(new ServerError("CLIENT_GONE", "the client closed the connection"));
      }
    });
    request.once("upgrade", (answer, socket, head) => {
      answered = true;
      try {
        switchProtocols(options, answer, socket, head);
        options.onComplete();
        resolve();
      } catch (error) {
        socket.destroy();
        reject(error as Error);
      }
    });
    request.once("response", (answer) => {
      answered = true;
      options.onStatus(answer.statusCode ?? 502);
      copyResponseHeaders(answer.rawHeaders, exchange);
      try {
        exchange.writeHead(answer.statusCode ?? 502);
      } catch (error) {
        request.destroy();
        reject(error as Error);
        return;
      }
      exchange.sendStream(answer).then(
        () => {
          options.onComplete();
          resolve();
        },
        (error) => reject(new ProxyFailure("response", upstream, error)),
      );
    });
    request.once("error", (error) => {
      clearTimeout(timer);
      reject(new ProxyFailure(isDialError(error) ? "dial" : "sent", upstream, error));
    });
    request.end();
  });
}
