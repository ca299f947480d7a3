import type { Duplex } from "node:stream";
import type { Exchange } from "../../../http/exchange.ts";
import { pump } from "./tunnel-pump.ts";

/** Lets go of a socket when what was written to it is on its way. */
function closeWhenFlushed(socket: Duplex): void {
  if (socket.writableFinished) {
    socket.destroy();
  } else {
    socket.end(() => socket.destroy());
  }
}

/** Bytes both ways until one side is gone; then the other gets what is left for it and is closed too. */
function join(client: Duplex, upstream: Duplex, bufferBytes: number, onClose: () => void): void {
  client.on("error", () => client.destroy());
  upstream.on("error", () => upstream.destroy());
  client.once("close", () => closeWhenFlushed(upstream));
  upstream.once("close", () => closeWhenFlushed(client));
  client.once("close", onClose);
  if (bufferBytes > 0) {
    pump(client, upstream, bufferBytes);
    pump(upstream, client, bufferBytes);
  } else {
    client.pipe(upstream);
    upstream.pipe(client);
  }
}

/** How long the tunnels of a proxy stand, and what they hold. */
export interface TunnelOptions {
  /** How long a tunnel may stand; 0 for ever. */
  readonly timeoutMs: number;
  /** How long tunnels may stand after their config is gone; undefined for ever. */
  readonly closeDelayMs: number | undefined;
  /** Bytes that may wait for a slow side, each way; 0 for what sockets hold. */
  readonly bufferBytes: number;
}

/**
 * The tunnels of one proxy: connections that left HTTP (WebSocket). They outlive the config that opened them, for ever
 * or as long as it says.
 */
export class TunnelSet {
  readonly #options: TunnelOptions;
  readonly #open = new Set<Duplex>();

  constructor(options: TunnelOptions) {
    this.#options = options;
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
    const { timeoutMs, bufferBytes } = this.#options;
    const timer = timeoutMs > 0 ? setTimeout(() => client.socket.destroy(), timeoutMs).unref() : undefined;
    join(client.socket, upstream, bufferBytes, () => {
      clearTimeout(timer);
      this.#open.delete(client.socket);
      exchange.end();
    });
  }

  /** The config is gone. */
  close(): void {
    const { closeDelayMs: delayMs } = this.#options;
    if (delayMs !== undefined && this.#open.size > 0) {
      setTimeout(() => {
        for (const client of this.#open) {
          client.destroy();
        }
      }, delayMs).unref();
    }
  }
}
