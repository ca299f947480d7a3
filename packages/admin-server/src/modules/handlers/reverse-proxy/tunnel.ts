import {
  type ClientRequest,
  request as httpRequest,
  type IncomingMessage,
  STATUS_CODES,
  validateHeaderName,
  validateHeaderValue,
} from "node:http";
import type { Duplex } from "node:stream";
import { ServerError } from "../../../core/errors.ts";
import type { Exchange, UpgradeRequest } from "../../../http/exchange.ts";
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

/** The head of a 101, checked as node checks that of other responses. @throws ServerError HTTP_RESPONSE */
function switchingHead(exchange: Exchange, protocol: string): Buffer {
  const lines = [`HTTP/1.1 101 ${STATUS_CODES[101]}`];
  const headers = ["Connection", "Upgrade", "Upgrade", protocol, ...exchange.finalHeaders(101)];
  for (let index = 0; index < headers.length; index += 2) {
    const [name = "", value = ""] = headers.slice(index, index + 2);
    try {
      validateHeaderName(name);
      validateHeaderValue(name, value);
    } catch (error) {
      throw new ServerError("HTTP_RESPONSE", (error as Error).message, { cause: error });
    }
    lines.push(`${name}: ${value}`);
  }
  return Buffer.from(`${lines.join("\r\n")}\r\n\r\n`, "latin1");
}

/** @throws ServerError HTTP_RESPONSE */
function switchProtocols(
  options: RoundTripOptions,
  upgrade: UpgradeRequest,
  answer: IncomingMessage,
  upstreamSocket: Duplex,
  upstreamHead: Buffer,
): void {
  const { exchange, onStatus } = options;
  onStatus(101);
  copyResponseHeaders(answer.rawHeaders, exchange);
  const head = switchingHead(exchange, answer.headers.upgrade ?? "");
  exchange.detach();
  exchange.response.detachSocket(exchange.socket);
  upgrade.socket.write(head);
  upgrade.socket.write(upstreamHead);
  upstreamSocket.write(upgrade.head);
  join(upgrade.socket, upstreamSocket, () => exchange.end());
}

/**
 * Asks an upstream to switch protocols. When it does, a tunnel stands and this returns; else its answer goes to the
 * client as any other. Not through undici, which fails the request when the upstream declines.
 * @throws ProxyFailure; ServerError CLIENT_GONE
 */
export function openTunnel(options: RoundTripOptions, upgrade: UpgradeRequest): Promise<void> {
  const { exchange, upstream, headers } = options;
  return new Promise((resolve, reject) => {
    let answered = false;
    const request: ClientRequest = httpRequest({
      host: upstream.dial.host,
      port: upstream.dial.port,
      method: exchange.method,
      path: exchange.rawPath + exchange.query,
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
        switchProtocols(options, upgrade, answer, socket, head);
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
      answer.once("error", (error) => reject(new ProxyFailure("response", upstream, error)));
      answer.once("end", () => {
        options.onComplete();
        resolve();
      });
      answer.pipe(exchange.response);
    });
    request.once("error", (error) => {
      clearTimeout(timer);
      reject(new ProxyFailure(isDialError(error) ? "dial" : "sent", upstream, error));
    });
    request.end();
  });
}
