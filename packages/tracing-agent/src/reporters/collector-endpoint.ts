import { type GrpcAnswer, grpcAnswerOf, grpcError } from "http-protocols/grpc-client";
import { encodeHeaders } from "http-protocols/http2";
import type { ClientTlsMaterial } from "lifecycle";
import { CollectorLink } from "./collector-link.ts";

const callTimeoutMs = 10_000;
const firstPauseMs = 100;
const maxPauseMs = 500;
/** Time in milliseconds. If a connection was ready for a shorter time, it counts as a failed attempt. */
const shortLifeMs = 1_000;

export interface CollectorEndpointSettings {
  /** IP address of the collector. */
  readonly address: string;
  readonly port: number;
  /** Configured name or address, for `:authority` and the certificate. */
  readonly host: string;
  /** Returns the TLS files for new connections; undefined: no TLS. */
  readonly tls: () => ClientTlsMaterial | undefined;
  /** Called after each change of `state`. */
  onChange(endpoint: CollectorEndpoint): void;
}

/**
 * `connecting`: the first attempt since the start, or since the state `ready`. `away`: attempts have failed, and
 * another attempt will follow.
 */
export type EndpointState = "connecting" | "ready" | "away" | "closed";

/**
 * One address of a collector. It connects immediately. After the loss of a connection, the first attempt follows
 * immediately, and further attempts after pauses of 0.1 to 0.5 seconds.
 */
export class CollectorEndpoint {
  readonly address: string;
  /** The error of the last connection or attempt. */
  lastError = "";
  /** Time of `performance.now()` until which the collector requested a pause. */
  pausedUntil = 0;
  readonly #settings: CollectorEndpointSettings;
  readonly #headerBlocks = new Map<string, Buffer>();
  /** The newest connection, and older connections with running calls. */
  readonly #links = new Set<CollectorLink>();
  #newest: CollectorLink | undefined;
  #state: EndpointState = "connecting";
  #timer: NodeJS.Timeout | undefined;
  #failures = 0;

  constructor(settings: CollectorEndpointSettings) {
    this.#settings = settings;
    this.address = settings.address;
    this.#connect();
  }

  get state(): EndpointState {
    return this.#state;
  }

  /** @param path "/package.Service/Method" @param message with gRPC's prefix */
  call(path: string, message: Buffer): Promise<GrpcAnswer> {
    const connection = this.#newest?.ready;
    if (connection === undefined) {
      return Promise.resolve(grpcError("UNAVAILABLE", this.lastError, true));
    }
    return new Promise((resolve) => {
      const startedAt = performance.now();
      const stream = connection.request(this.#headerBlock(path), message, (outcome) => {
        clearTimeout(timer);
        resolve(grpcAnswerOf(outcome));
      });
      const timer = setTimeout(() => {
        connection.cancel(stream);
        if (connection.receivedAt < startedAt) {
          connection.destroy("the collector does not answer"); // the next call then fails immediately
        }
        resolve(grpcError("DEADLINE_EXCEEDED", `no answer within ${callTimeoutMs} ms`));
      }, callTimeoutMs);
    });
  }

  /** Accepts no more calls; running calls continue. */
  close(): void {
    this.#state = "closed";
    clearTimeout(this.#timer);
    for (const link of [...this.#links]) {
      link.close();
    }
  }

  /** Like `close`, but running calls also fail. */
  destroy(): void {
    this.close();
    for (const link of [...this.#links]) {
      link.destroy("the agent stops");
    }
  }

  #connect(): void {
    const { address, port, host, tls } = this.#settings;
    const link = new CollectorLink(
      { address, port, host, tls: tls() },
      {
        onReady: () => this.#change("ready"),
        onLeave: (reason, livedMs) => this.#left(reason, livedMs),
        onGone: () => this.#links.delete(link),
      },
    );
    this.#links.add(link);
    this.#newest = link;
  }

  #left(reason: string, livedMs: number): void {
    if (this.#state === "closed") {
      return;
    }
    this.lastError = reason;
    if (livedMs >= shortLifeMs) {
      this.#failures = 0;
      this.#change("connecting");
      this.#timer = setTimeout(() => this.#connect(), 0);
      return;
    }
    const pauseMs = Math.min(firstPauseMs * 2 ** this.#failures, maxPauseMs);
    this.#failures++;
    this.#timer = setTimeout(() => this.#connect(), pauseMs * (1 + Math.random() / 4));
    this.#change("away");
  }

  #change(state: EndpointState): void {
    this.#state = state;
    this.#settings.onChange(this);
  }

  #headerBlock(path: string): Buffer {
    let block = this.#headerBlocks.get(path);
    if (block === undefined) {
      const { host, port, tls } = this.#settings;
      const name = tls()?.serverName ?? host;
      block = encodeHeaders([
        { name: ":method", value: "POST" },
        { name: ":scheme", value: tls() === undefined ? "http" : "https" },
        { name: ":path", value: path },
        { name: ":authority", value: `${name.includes(":") ? `[${name}]` : name}:${port}` },
        { name: "te", value: "trailers" },
        { name: "content-type", value: "application/grpc" },
        { name: "user-agent", value: "tracing-agent" },
        { name: "grpc-timeout", value: `${callTimeoutMs}m` },
      ]);
      this.#headerBlocks.set(path, block);
    }
    return block;
  }
}
