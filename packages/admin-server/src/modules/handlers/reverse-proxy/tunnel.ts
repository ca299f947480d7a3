import { type ClientRequest, request as httpRequest, type IncomingMessage, STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import { ServerError } from "../../../core/errors.ts";
import type { UpgradeRequest } from "../../../http/exchange.ts";
import { isDialError, ProxyFailure } from "./proxy-error.ts";
import { copyResponseHeaders } from "./proxy-headers.ts";
import type { RoundTripOptions } from "./round-trip.ts";

const dialTimeoutMs = 3_000;

/** Bytes both ways until one side is done; then the other is closed too. */
function join(client: Duplex, upstream: Duplex, onClose: () => void): void {
  const close = () => {
    client.destroy();
    upstream.destroy();
  };
  for (const socket of [client, upstream]) {
    socket.on("error", close);
    socket.once("close", close);
  }
  client.once("close", onClose);
  client.pipe(upstream);
  upstream.pipe(client);
}

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
  const protocol = answer.headers.upgrade ?? "";
  const lines = [`HTTP/1.1 101 ${STATUS_CODES[101]}`, `Connection: Upgrade`, `Upgrade: ${protocol}`];
  for (let index = 0; index < exchange.responseHeaders.length; index += 2) {
    lines.push(`${exchange.responseHeaders[index]}: ${exchange.responseHeaders[index + 1]}`);
  }
  exchange.detach();
  exchange.response.detachSocket(exchange.socket);
  upgrade.socket.write(Buffer.from(`${lines.join("\r\n")}\r\n\r\n`, "latin1"));
  if (upstreamHead.length > 0) {
    upgrade.socket.write(upstreamHead);
  }
  if (upgrade.head.length > 0) {
    upstreamSocket.write(upgrade.head);
  }
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
      switchProtocols(options, upgrade, answer, socket, head);
      resolve();
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
      answer.once("end", () => resolve());
      answer.pipe(exchange.response);
    });
    request.once("error", (error) => {
      clearTimeout(timer);
      reject(new ProxyFailure(isDialError(error) ? "dial" : "sent", upstream, error));
    });
    request.end();
  });
}
