import { performServerHandshake, type ServerHttp2Session } from "node:http2";
import type { Socket } from "node:net";
import type { ConnectionLimits } from "../h1/h1-connection.ts";
import type { HttpStream } from "../http-stream.ts";
import { H2Stream } from "./h2-stream.ts";

/** What a connection needs of its listener. */
export interface H2Owner {
  readonly limits: ConnectionLimits;
  take(stream: HttpStream): void;
  h2Closed(connection: H2Connection): void;
}

/** Streams at once in a connection. Source: the model's server */
const maxStreams = 250;
/** How much of a body a client may send before it is asked for more. */
const windowBytes = 1024 * 1024;
/** Resets by the client that are taken at once, and each second: CVE-2023-44487. */
const resetBurst = 1_000;
const resetRate = 100;
const maxHeaderFields = 1_000;

/** One connection that speaks HTTP/2. */
export class H2Connection {
  readonly socket: Socket;
  readonly #owner: H2Owner;
  readonly #session: ServerHttp2Session;
  #streams = 0;
  #idleSince: number;
  #bytesWritten = 0;
  #writtenAt: number;

  /** @param socket may have bytes that were read too early, put back */
  constructor(socket: Socket, owner: H2Owner, now: number) {
    this.socket = socket;
    this.#owner = owner;
    this.#idleSince = now;
    this.#writtenAt = now;
    const { limits } = owner;
    this.#session = performServerHandshake(socket, {
      settings: {
        maxConcurrentStreams: maxStreams,
        maxHeaderListSize: limits.maxHeaderBytes,
        initialWindowSize: windowBytes,
        enablePush: false,
        enableConnectProtocol: true,
      },
      maxHeaderListPairs: maxHeaderFields,
      maxSettings: 32,
      maxOutstandingPings: 10,
      maxSessionInvalidFrames: 100,
      maxSessionRejectedStreams: 100,
      ...{ streamResetBurst: resetBurst, streamResetRate: resetRate },
    });
    this.#session.setLocalWindowSize(windowBytes * 4);
    this.#session.on("stream", (stream, _headers, _flags, raw) => {
      this.#streams++;
      stream.once("close", () => this.#streamEnded());
      owner.take(new H2Stream(stream, raw as string[], socket));
    });
    this.#session.on("error", () => socket.destroy());
    this.#session.once("close", () => socket.destroySoon());
    socket.once("close", () => {
      this.#session.destroy();
      owner.h2Closed(this);
    });
  }

  /** Takes no new streams, and closes when the last one is done. */
  closeWhenIdle(): void {
    this.#session.close();
  }

  /** Looks for what took too long. @param now as of `Date.now()` */
  checkTimeouts(now: number): void {
    const { idleTimeoutMs, writeIdleTimeoutMs } = this.#owner.limits;
    if (this.#streams === 0) {
      if (idleTimeoutMs > 0 && now - this.#idleSince >= idleTimeoutMs) {
        this.#session.close();
      }
      return;
    }
    const { bytesWritten, writableLength } = this.socket;
    if (bytesWritten !== this.#bytesWritten || writableLength === 0) {
      this.#bytesWritten = bytesWritten;
      this.#writtenAt = now;
    } else if (writeIdleTimeoutMs > 0 && now - this.#writtenAt >= writeIdleTimeoutMs) {
      this.socket.destroy();
    }
  }

  #streamEnded(): void {
    this.#streams--;
    this.#idleSince = Date.now();
  }
}
