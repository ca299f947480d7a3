import type { Socket } from "node:net";
import { ClientConnection } from "http-protocols/http2-client";
import { runForNobody } from "server-core/threads/error-owner";
import type { ConnectionSlots, SlotUser } from "../connection-slots.ts";
import type { Dial } from "../h1/h1-pool.ts";
import type { IdleConnections } from "../idle-connections.ts";
import type { ResponseReceiver, UpstreamCall, UpstreamRequest } from "../transport.ts";
import { H2Call, type H2CallOwner } from "./h2-call.ts";

/** Options of a pool, set by its transport. */
export interface H2PoolOptions {
  /** Opens a connection that has negotiated HTTP/2. */
  readonly dial: Dial;
  /** `http` for cleartext (h2c). */
  readonly scheme: "http" | "https";
  /** Milliseconds without streams after which a connection is closed. */
  readonly idleTimeoutMs: number;
  /** Milliseconds until the response head; 0 for no limit. */
  readonly responseHeaderTimeoutMs: number;
  /** Maximum number of bytes of the response fields. Larger fields fail the request. */
  readonly maxHeaderBytes: number;
  /** Counts of idle connections that other pools and threads share. Above a maximum, an idle connection is closed. */
  readonly idle: readonly IdleConnections[];
  /** Slots for simultaneous connections; undefined: no limit. A call without a slot waits. */
  readonly slots: ConnectionSlots | undefined;
}

/** Receive window of a connection in bytes, shared by all streams. Large bodies do not wait for round trips. */
const connectionWindowBytes = 16 * 1024 * 1024;

/** Maximum number of repetitions of a call that the upstream did not process. Source: Go's net/http */
const maxRepeats = 6;
/**
 * Pause before the second repetition, in milliseconds; the pause doubles with each further repetition. The first
 * repetition has no pause.
 */
const repeatPauseMs = 1_000;

/** A connection of the pool. */
interface Session {
  readonly connection: ClientConnection;
  /** Number of running calls. */
  active: number;
  /** True when the connection accepts no more calls, and closes after its last call. */
  runsOut: boolean;
  /** Timer that closes the idle connection; undefined while calls run on the connection. */
  idleTimer: NodeJS.Timeout | undefined;
}

/**
 * HTTP/2 connections to one upstream. Each connection carries many requests; more connections are opened when the
 * stream limits require it.
 * | Life of a connection | Next |
 * |---|---|
 * | dialed, or adopted after TLS negotiated `h2` | carries waiting calls up to its stream limit |
 * | full | the next call waits, and another connection is dialed |
 * | the last call ends | idle: closed after `idleTimeoutMs`, or above the idle limit |
 * | another thread waits for its slot | accepts no new calls, and closes after its last call |
 * | GOAWAY or an error | removed; calls that the upstream did not process start again |
 */
export class H2Pool implements SlotUser, H2CallOwner {
  readonly #options: H2PoolOptions;
  /** Open connections, including connections that accept no more calls. */
  readonly #sessions: Session[] = [];
  /** Calls without a stream, the oldest first. */
  readonly #waiting: H2Call[] = [];
  /** Running dials: 0 or 1. */
  #dialing = 0;
  /** True once no config uses the transport: idle connections are closed. */
  #closed = false;

  constructor(options: H2PoolOptions) {
    this.#options = options;
    options.slots?.add(this);
  }

  get waitingCount(): number {
    return this.#isOpening ? 0 : this.#waiting.length;
  }

  get waitingSince(): number | undefined {
    return this.#isOpening ? undefined : this.#waiting[0]?.waitingSince;
  }

  /** True while a connection opens: it is being dialed, or its settings (stream limit) have not arrived. */
  get #isOpening(): boolean {
    return (
      this.#dialing > 0 ||
      this.#sessions.some(
        ({ connection, runsOut }) => !runsOut && !connection.hasBegun && connection.takesRequests,
      )
    );
  }

  /** Starts a call, on a connection with room or after a dial. */
  call(request: UpstreamRequest, receiver: ResponseReceiver): UpstreamCall {
    const call = this.take(request, receiver);
    this.start(call);
    return call;
  }

  /** Creates a call that is not started yet. */
  take(request: UpstreamRequest, receiver: ResponseReceiver): H2Call {
    return new H2Call(request, receiver, this);
  }

  /**
   * Repeats a call immediately, on the same or another connection. Further repetitions follow after growing pauses, if
   * no other upstream can serve the call.
   */
  sendAgain(call: H2Call): boolean {
    const { repeats, request } = call;
    if (repeats >= maxRepeats || (repeats > 0 && request.othersLeft === true)) {
      return false;
    }
    call.repeats++;
    // The pause varies at random, so that calls that failed together are not repeated together.
    const pauseMs = repeats === 0 ? 0 : repeatPauseMs * 2 ** (repeats - 1) * (1 + Math.random() / 10);
    call.after(pauseMs, () => this.start(call));
    return true;
  }

  /** Runs a call, or queues it. The pool also calls this method for repetitions. */
  start(call: H2Call): void {
    const session = this.#free();
    if (session !== undefined) {
      this.#run(session, call);
      return;
    }
    call.waitingSince = performance.now();
    this.#waiting.push(call);
    this.retry();
    if (this.waitingCount > 0) {
      this.#options.slots?.wait(this);
    }
  }

  /** Dials one more connection, unless a connection is being opened. */
  retry(): void {
    while (this.#waiting[0]?.aborted === true) {
      this.#waiting.shift();
    }
    const [next] = this.#waiting;
    const { slots } = this.#options;
    if (next !== undefined && !this.#isOpening && (slots === undefined || slots.take())) {
      this.#dial(next);
    }
  }

  /** Closes connections without calls. */
  giveIdle(count: number): number {
    const given = this.#sessions.filter(({ active }) => active === 0).slice(0, count);
    for (const { connection } of given) {
      connection.close();
    }
    return given.length;
  }

  /** Stops new calls on one connection, so that its slot goes to another thread. */
  giveBusy(): void {
    const busy = this.#sessions.find(({ runsOut }) => !runsOut);
    if (busy !== undefined) {
      busy.runsOut = true;
    }
  }

  /** Takes over a connection that the caller opened, with its slot. */
  adopt(socket: Socket): void {
    const limits = { maxHeaderBytes: this.#options.maxHeaderBytes, windowBytes: connectionWindowBytes };
    const owner = {
      roomChanged: () => this.#flush(),
      leaving: () => this.#forget(entry),
      closed: () => this.#options.slots?.free(),
    };
    const connection = runForNobody(() => new ClientConnection(socket, owner, limits));
    const entry: Session = { connection, active: 0, runsOut: false, idleTimer: undefined };
    this.#sessions.push(entry);
    this.#flush();
    this.#rest(entry);
  }

  /** Each connection closes when all its calls have ended. */
  close(): void {
    this.#closed = true;
    for (const { connection } of [...this.#sessions]) {
      connection.close();
    }
  }

  /** Opens a connection. A failed dial fails all waiting calls, because they would dial the same address. */
  #dial(call: H2Call): void {
    this.#dialing++;
    this.#options.dial(call.request, (error, socket) => {
      this.#dialing--;
      if (socket === undefined) {
        this.#options.slots?.free();
        for (const each of this.#waiting.splice(0)) {
          each.fail(error ?? new Error("no connection"));
        }
        return;
      }
      this.adopt(socket);
    });
  }

  /** Finds a connection that can open one more stream. */
  #free(): Session | undefined {
    return this.#sessions.find(({ connection, runsOut }) => !runsOut && connection.hasRoom);
  }

  /** Starts a call on a connection, which is then no longer idle. */
  #run(entry: Session, call: H2Call): void {
    if (call.aborted) {
      return;
    }
    clearTimeout(entry.idleTimer);
    for (const limit of this.#options.idle) {
      limit.remove(entry);
    }
    entry.active++;
    call.onOver = () => {
      entry.active--;
      this.#flush();
      this.#rest(entry);
    };
    const { scheme, responseHeaderTimeoutMs } = this.#options;
    call.run(entry.connection, scheme, responseHeaderTimeoutMs);
  }

  /** Starts waiting calls while connections can open streams. */
  #flush(): void {
    for (
      let session = this.#free();
      session !== undefined && this.#waiting.length > 0;
      session = this.#free()
    ) {
      const call = this.#waiting.shift();
      if (call !== undefined) {
        this.#run(session, call);
      }
    }
    this.retry();
    if (this.waitingCount > 0) {
      this.#options.slots?.wait(this);
    }
  }

  /** Handles a connection without calls: closes it, or starts the idle timer. */
  #rest(entry: Session): void {
    if (entry.active > 0) {
      return;
    }
    if (this.#closed || entry.runsOut) {
      entry.connection.close();
      return;
    }
    clearTimeout(entry.idleTimer);
    entry.idleTimer = setTimeout(() => entry.connection.close(), this.#options.idleTimeoutMs).unref();
    for (const limit of this.#options.idle) {
      limit.add(entry, () => entry.connection.close());
    }
  }

  /** Removes a connection that takes no more calls. Waiting calls are started on other connections. */
  #forget(entry: Session): void {
    const at = this.#sessions.indexOf(entry);
    if (at !== -1) {
      this.#sessions.splice(at, 1);
      for (const limit of this.#options.idle) {
        limit.remove(entry);
      }
      clearTimeout(entry.idleTimer);
      entry.connection.close();
      this.#flush();
    }
  }
}
