import type { Socket } from "node:net";
import { ServerError } from "server-core/errors";
import type { ConnectionSlots, SlotUser } from "../connection-slots.ts";
import type { IdleConnections } from "../idle-connections.ts";
import type { ResponseReceiver, UpstreamCall, UpstreamRequest } from "../transport.ts";
import { H1Call } from "./h1-call.ts";
import { H1ClientConnection, type H1ConnectionOwner } from "./h1-client-connection.ts";
import type { H1Limits } from "./h1-limits.ts";
import { RequestHeadWriter } from "./request-head-writer.ts";
import { ResponseHeadReader } from "./response-head.ts";

/** Opens a connection. Calls back once, with a connected socket or an error. @returns a function that cancels the dial */
export type Dial = (
  request: UpstreamRequest,
  done: (error: Error | undefined, socket: Socket | undefined) => void,
) => () => void;

export interface H1PoolOptions {
  /** Time limits and sizes of each connection. */
  readonly limits: H1Limits;
  readonly dial: Dial;
  /** False: each request opens and closes its own connection. */
  readonly keepAlive: boolean;
  /** Milliseconds after which an idle connection is closed. */
  readonly idleTimeoutMs: number;
  /** Maximum number of idle connections that the pool keeps; further idle connections are closed. */
  readonly maxIdle: number;
  /** Counts of idle connections that other pools and threads share. Above a maximum, an idle connection is closed. */
  readonly idle: readonly IdleConnections[];
  /** Slots for simultaneous connections; undefined: no limit. A call without a slot waits. */
  readonly slots: ConnectionSlots | undefined;
}

/** Maximum number of requests that wait for a connection; further requests are refused. */
const maxWaiting = 10_000;
/** Milliseconds between checks for expired idle connections. */
const sweepMs = 5_000;
/**
 * Milliseconds for which connections above `maxIdle` stay idle. Requests arrive in bursts: connections that are closed
 * immediately would be dialed again in the same turn.
 */
const trimMs = 1_000;

/**
 * Connections to one upstream, kept alive between requests. The most recently used connection is used first.
 * | Life of a connection | Next |
 * |---|---|
 * | dialed for a call | carries the call |
 * | carries a call, and the response is complete | `connectionFree`, if both sides keep the connection alive |
 * | free, a call waits | carries the waiting call |
 * | free, and its slot is owed to another thread | closed |
 * | free, and no call waits | idle, at the end of the list |
 * | idle, a call arrives | carries the call, the most recently used first |
 * | idle for `idleTimeoutMs`, or above the limit | closed |
 * | the upstream closes | `connectionClosed`; a call that was just sent is repeated on another connection |
 */
export class H1Pool implements H1ConnectionOwner, SlotUser {
  /** Parses heads for all connections, and caches the latest head. */
  readonly heads = new ResponseHeadReader();
  readonly #options: H1PoolOptions;
  /** Idle connections, the most recently used last. */
  readonly #idle: H1ClientConnection[] = [];
  /** Calls without a slot, the oldest first. Some of them may be aborted. */
  #waiting: H1Call[] = [];
  /** Timer that closes expired idle connections; runs while a connection is idle. */
  #sweeper: NodeJS.Timeout | undefined;
  /** Timer that closes connections above `maxIdle`, one second after the limit was exceeded. */
  #trimmer: NodeJS.Timeout | undefined;
  readonly #heads = new RequestHeadWriter();
  /** True once no config uses the transport: free connections are closed. */
  #closed = false;

  constructor(options: H1PoolOptions) {
    this.#options = options;
    options.slots?.add(this);
  }

  /** Number of waiting calls, for the connection limit. */
  get waitingCount(): number {
    return this.#waiting.length;
  }

  get waitingSince(): number | undefined {
    return this.#waiting[0]?.waitingSince;
  }

  get limits(): H1Limits {
    return this.#options.limits;
  }

  /** @throws ServerError HTTP_BAD_REQUEST */
  call(request: UpstreamRequest, receiver: ResponseReceiver): UpstreamCall {
    const call = this.makeCall(request, receiver);
    this.#start(call);
    return call;
  }

  /** Creates a call without a connection. @throws ServerError HTTP_BAD_REQUEST */
  makeCall(request: UpstreamRequest, receiver: ResponseReceiver): H1Call {
    return new H1Call(request, receiver, this.#heads.write(request, !this.#options.keepAlive));
  }

  /** Closes idle connections now, and busy connections after their call. */
  close(): void {
    this.#closed = true;
    clearTimeout(this.#sweeper);
    clearTimeout(this.#trimmer);
    for (const connection of this.#idle.splice(0)) {
      connection.close();
    }
  }

  /** Sends a call on a connection that the caller opened. The socket already has a slot, which the caller has taken. */
  adopt(socket: Socket, call: H1Call): void {
    this.#runOn(socket, call);
  }

  /** Dials for waiting calls while slots are free. */
  retry(): void {
    const { slots } = this.#options;
    while (this.#waiting[0]?.aborted === true) {
      this.#waiting.shift();
    }
    while (this.#waiting.length > 0 && slots?.take() === true) {
      const call = this.#nextWaiting();
      if (call === undefined) {
        slots.free();
        return;
      }
      this.#dial(call);
    }
  }

  /** Closes the connections that are idle longest. Their slots become free when the sockets are closed. */
  giveIdle(count: number): number {
    const given = this.#idle.splice(0, count);
    for (const connection of given) {
      connection.close();
    }
    return given.length;
  }

  /**
   * Gives the connection its next call, keeps it idle, or closes it. A waiting upgrade needs a new connection, so this
   * one is closed to free its slot.
   */
  connectionFree(connection: H1ClientConnection): void {
    if (this.#options.slots?.owes === true) {
      connection.close();
      return;
    }
    const waiting = this.#nextWaiting();
    if (waiting !== undefined && waiting.request.upgrade !== "") {
      this.#waiting.unshift(waiting);
      connection.close();
      return;
    }
    if (waiting !== undefined) {
      connection.run(waiting);
      return;
    }
    const { keepAlive, maxIdle, idleTimeoutMs } = this.#options;
    if (!keepAlive || this.#closed || maxIdle === 0) {
      connection.close();
      return;
    }
    connection.idleUntil = performance.now() + idleTimeoutMs;
    this.#idle.push(connection);
    for (const limit of this.#options.idle) {
      limit.add(connection, () => connection.close());
    }
    if (this.#idle.length > maxIdle) {
      this.#trimmer ??= setTimeout(() => this.#trim(), trimMs).unref();
    }
    this.#sweeper ??= setTimeout(() => this.#sweep(), Math.min(idleTimeoutMs, sweepMs)).unref();
  }

  /** Removes the connection from the idle list and frees its slot. */
  connectionClosed(connection: H1ClientConnection): void {
    this.#leaveIdle(connection);
    const at = this.#idle.lastIndexOf(connection);
    if (at !== -1) {
      this.#idle.splice(at, 1);
    }
    this.#options.slots?.free();
  }

  /**
   * Repeats the call on the next idle connection, or on a new connection. The repetition ends at the latest with a new
   * connection. Source: Go's net/http, `shouldRetryRequest`
   */
  sendAgain(call: H1Call): void {
    this.#start(call);
  }

  /** Uses an open idle connection; without one, dials; without a free slot, queues the call. */
  #start(call: H1Call): void {
    // An upgrade always gets a new connection, because its socket must be readable as a stream.
    const leaves = call.request.upgrade !== "";
    for (
      let connection = leaves ? undefined : this.#idle.pop();
      connection !== undefined;
      connection = this.#idle.pop()
    ) {
      this.#leaveIdle(connection);
      if (connection.usable) {
        connection.run(call);
        return;
      }
      connection.close();
    }
    const { slots } = this.#options;
    if (slots === undefined) {
      this.#dial(call);
      return;
    }
    if (this.#waiting.length >= maxWaiting) {
      const error = new ServerError(
        "PROXY_NO_UPSTREAM",
        `more than ${maxWaiting} requests wait for a connection`,
      );
      queueMicrotask(() => call.receiver.failed(error, "dial", false));
      return;
    }
    call.waitingSince = performance.now();
    this.#waiting.push(call);
    this.retry();
    if (this.#waiting.length > 0) {
      slots.wait(this);
    }
  }

  /** Removes the connection from the idle counts of this pool and of all threads. */
  #leaveIdle(connection: H1ClientConnection): void {
    for (const limit of this.#options.idle) {
      limit.remove(connection);
    }
  }

  /** Opens a connection for this call. A failed dial fails only this call. */
  #dial(call: H1Call): void {
    this.#options.dial(call.request, (error, socket) => {
      if (socket === undefined) {
        this.#options.slots?.free();
        if (!call.aborted) {
          call.receiver.failed(error ?? new Error("no connection"), "dial", false);
        }
        return;
      }
      this.#runOn(socket, call);
    });
  }

  /** If the call was aborted during the dial, the new connection serves other calls. */
  #runOn(socket: Socket, call: H1Call): void {
    const connection = new H1ClientConnection(socket, this);
    if (call.aborted) {
      this.connectionFree(connection);
    } else {
      connection.run(call);
    }
  }

  /** The oldest waiting call that is not aborted. */
  #nextWaiting(): H1Call | undefined {
    for (let call = this.#waiting.shift(); call !== undefined; call = this.#waiting.shift()) {
      if (!call.aborted) {
        return call;
      }
    }
    return undefined;
  }

  /** Closes the oldest idle connections above `maxIdle`. */
  #trim(): void {
    this.#trimmer = undefined;
    for (const connection of this.#idle.splice(0, Math.max(0, this.#idle.length - this.#options.maxIdle))) {
      connection.close();
    }
  }

  /** Closes expired idle connections. The connections that have been idle longest come first. */
  #sweep(): void {
    this.#sweeper = undefined;
    const now = performance.now();
    const stale = this.#idle.findIndex((connection) => connection.idleUntil > now);
    for (const connection of this.#idle.splice(0, stale === -1 ? this.#idle.length : stale)) {
      connection.close();
    }
    if (this.#idle.length > 0) {
      this.#sweeper = setTimeout(() => this.#sweep(), sweepMs).unref();
    }
  }
}
