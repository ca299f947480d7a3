import type { Duplex } from "node:stream";
import type { Exchange } from "http-engine/exchange";
import { Tunnel } from "./tunnel.ts";

/** Lifetimes and buffer sizes of a proxy's tunnels. */
export interface TunnelOptions {
  /** How long a tunnel may stand, in milliseconds; 0 for ever. */
  readonly timeoutMs: number;
  /** How long tunnels may stay open after their config was replaced, in milliseconds; undefined: forever. */
  readonly closeDelayMs: number | undefined;
  /** Bytes that may wait for a slow side, each way; 0: as many as sockets hold. */
  readonly bufferBytes: number;
}

/**
 * The tunnels of one proxy: connections that left HTTP (WebSocket). They outlive the config that opened them, for ever
 * or as long as it says.
 */
export class TunnelSet {
  readonly #options: TunnelOptions;
  /** Open tunnels, including those of earlier configs. */
  readonly #open = new Set<Tunnel>();

  constructor(options: TunnelOptions) {
    this.#options = options;
  }

  /** Answers the upgrade and joins both sides. @throws ServerError HTTP_RESPONSE; the socket is the caller's then */
  open(exchange: Exchange, upstream: Duplex, head: Buffer): void {
    const { timeoutMs, bufferBytes } = this.#options;
    const protocol = exchange.stream.upgradeProtocol;
    const client = exchange.switchProtocols();
    const headBytes = client.socket.bytesWritten;
    const tunnel = new Tunnel(client, upstream, { protocol, bufferBytes, early: head });
    client.leave = () => tunnel.leave();
    this.#open.add(tunnel);
    const timer = timeoutMs > 0 ? setTimeout(() => tunnel.leave(), timeoutMs).unref() : undefined;
    client.socket.once("close", () => {
      clearTimeout(timer);
      this.#open.delete(tunnel);
      exchange.bytesWritten = client.socket.bytesWritten - headBytes;
      exchange.tunnelBytesRead = tunnel.bytesFromClient;
      exchange.end();
    });
  }

  /** The config was replaced. */
  close(): void {
    const { closeDelayMs: delayMs } = this.#options;
    if (delayMs !== undefined && this.#open.size > 0) {
      setTimeout(() => {
        for (const tunnel of this.#open) {
          tunnel.leave();
        }
      }, delayMs).unref();
    }
  }
}
