import type { Duplex } from "node:stream";
import type { Exchange } from "http-engine/exchange";
import { Tunnel } from "./tunnel.ts";

/** Lifetimes and buffer sizes of a proxy's tunnels. */
export interface TunnelOptions {
  /** Milliseconds after which a tunnel is closed; 0: no limit. */
  readonly timeoutMs: number;
  /** Milliseconds for which tunnels stay open after their config was replaced; undefined: no limit. */
  readonly closeDelayMs: number | undefined;
  /** Maximum number of bytes that wait for a slow side, in each direction; 0: the socket's default. */
  readonly bufferBytes: number;
}

/**
 * The tunnels of one proxy: connections that left HTTP, such as WebSockets. They outlive their config, without limit or
 * for the configured time.
 */
export class TunnelSet {
  readonly #options: TunnelOptions;
  /** Open tunnels, including tunnels of earlier configs. */
  readonly #open = new Set<Tunnel>();

  constructor(options: TunnelOptions) {
    this.#options = options;
  }

  /**
   * Answers the upgrade and connects both sides. @throws ServerError HTTP_RESPONSE; then the caller still owns the
   * socket
   */
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

  /** Called when the config was replaced. */
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
