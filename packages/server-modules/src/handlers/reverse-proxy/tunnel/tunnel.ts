import { Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { DetachedConnection } from "http-engine/http-stream";
import { pump } from "./pump.ts";
import { closeFrame } from "./websocket-frames.ts";
import { WebSocketPump } from "./websocket-pump.ts";

/** Milliseconds that both sides have to answer a close frame. */
const closeWaitMs = 1000;

/** Closes a socket after its written data was flushed. */
function closeWhenFlushed(socket: Duplex): void {
  if (socket.writableFinished) {
    socket.destroy();
  } else {
    socket.end(() => socket.destroy());
  }
}

interface TunnelOptions {
  /** Protocol of the client's upgrade request. */
  readonly protocol: string;
  /** Maximum number of bytes that wait for a slow side, in each direction; 0: the socket's default. */
  readonly bufferBytes: number;
  /** Bytes that the upstream sent together with its response head. */
  readonly early: Buffer;
}

/**
 * Copies bytes in both directions until both sides have ended. When one side closes, the other side gets the last bytes
 * and is closed.
 * | Event | WebSocket | Other protocols |
 * |---|---|---|
 * | one side ends its stream | the other side's stream ends | the same |
 * | one side closed | the other side gets the last bytes and is closed | the same |
 * | the server ends the tunnel | a close frame to both sides, then a second for their answers | both sockets are destroyed |
 */
export class Tunnel {
  /** Socket of the client, or its HTTP/2 stream. */
  readonly #client: Duplex;
  readonly #upstream: Duplex;
  /** Pumps in both directions; undefined for protocols other than WebSocket. */
  #pumps: { readonly toClient: WebSocketPump; readonly toUpstream: WebSocketPump } | undefined;
  /** Settles when both sides are closed; undefined until the server ends the tunnel. */
  #leaving: PromiseWithResolvers<void> | undefined;
  /** Timer that closes both sides if they do not answer the close frame. */
  #timer: NodeJS.Timeout | undefined;
  /** Number of bytes that the client sent after the switch. */
  bytesFromClient: number;

  constructor(
    connection: DetachedConnection,
    upstream: Duplex,
    { protocol, bufferBytes, early }: TunnelOptions,
  ) {
    const client = connection.socket;
    this.#client = client;
    this.bytesFromClient = connection.head.length;
    this.#upstream = upstream;
    // A side that has ended its output may still receive data. An HTTP/2 stream always ends as a whole, as in
    // Caddy.
    upstream.allowHalfOpen = client instanceof Socket;
    client.on("error", () => client.destroy());
    upstream.on("error", () => upstream.destroy());
    client.once("close", () => this.#sideClosed(upstream));
    upstream.once("close", () => this.#sideClosed(client));
    this.#join(connection, early, { protocol, bufferBytes });
    client.on("data", (chunk: Buffer) => {
      this.bytesFromClient += chunk.length;
    });
  }

  /** Starts both directions, with the bytes that arrived together with the switch. */
  #join(
    connection: DetachedConnection,
    early: Buffer,
    { protocol, bufferBytes }: Omit<TunnelOptions, "early">,
  ): void {
    const client = this.#client;
    const upstream = this.#upstream;
    if (protocol.toLowerCase() === "websocket") {
      this.#pumps = {
        toClient: new WebSocketPump(upstream, client, bufferBytes || client.writableHighWaterMark),
        toUpstream: new WebSocketPump(client, upstream, bufferBytes || upstream.writableHighWaterMark),
      };
      this.#pumps.toClient.start(early);
      this.#pumps.toUpstream.start(connection.head);
      return;
    }
    if (early.length > 0) {
      client.write(early);
    }
    if (connection.head.length > 0) {
      upstream.write(connection.head);
    }
    if (bufferBytes > 0) {
      pump(client, upstream, bufferBytes);
      pump(upstream, client, bufferBytes);
    } else {
      client.pipe(upstream);
      upstream.pipe(client);
    }
  }

  /**
   * Ends the tunnel from the server: each WebSocket side gets a close frame after the current frame. Resolves when both
   * sides are closed, or after the time limit.
   * Source: RFC 6455, section 7; Caddy 2.11
   */
  leave(): Promise<void> {
    if (this.#pumps === undefined) {
      this.#cut();
      return Promise.resolve();
    }
    if (this.#leaving === undefined) {
      this.#leaving = Promise.withResolvers();
      this.#timer = setTimeout(() => this.#cut(), closeWaitMs);
      this.#pumps.toClient.endWith(closeFrame(false));
      this.#pumps.toUpstream.endWith(closeFrame(true));
    }
    return this.#leaving.promise;
  }

  /** Destroys both sockets. */
  #cut(): void {
    this.#client.destroy();
    this.#upstream.destroy();
  }

  /** Called when one side closed: closes the other side too. */
  #sideClosed(other: Duplex): void {
    if (other.closed) {
      clearTimeout(this.#timer);
      this.#leaving?.resolve();
    } else {
      closeWhenFlushed(other);
    }
  }
}
