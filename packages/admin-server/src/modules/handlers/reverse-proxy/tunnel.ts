import type { Duplex } from "node:stream";
import type { Exchange } from "../../../http/exchange.ts";

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

/**
 * The tunnels of one proxy: connections that left HTTP (WebSocket). They outlive the config that opened them, for ever
 * or as long as it says.
 */
export class TunnelSet {
  readonly #timeoutMs: number;
  readonly #closeDelayMs: number | undefined;
  readonly #open = new Set<Duplex>();

  /**
   * @param timeoutMs how long a tunnel may stand; 0 for ever
   * @param closeDelayMs how long tunnels may stand after their config is gone; undefined for ever
   */
  constructor(timeoutMs: number, closeDelayMs: number | undefined) {
    this.#timeoutMs = timeoutMs;
    this.#closeDelayMs = closeDelayMs;
  }

  /** Answers the upgrade and joins both sides. @throws ServerError HTTP_RESPONSE; the socket is the caller's then */
  open(exchange: Exchange, upstream: Duplex, head: Buffer): void {
    const client = exchange.switchProtocols();
    if (head.length > 0) {
      client.socket.write(head);
    }
    if (client.head.length > 0) {
      upstream.write(client.head);
    }
    this.#open.add(client.socket);
    const timer =
      this.#timeoutMs > 0 ? setTimeout(() => client.socket.destroy(), this.#timeoutMs).unref() : undefined;
    join(client.socket, upstream, () => {
      clearTimeout(timer);
      this.#open.delete(client.socket);
      exchange.end();
    });
  }

  /** The config is gone. */
  close(): void {
    const delayMs = this.#closeDelayMs;
    if (delayMs !== undefined && this.#open.size > 0) {
      setTimeout(() => {
        for (const client of this.#open) {
          client.destroy();
        }
      }, delayMs).unref();
    }
  }
}
