import { type ClientHttp2Session, connect } from "node:http2";
import type { Socket } from "node:net";
import type { Dial } from "../h1/h1-pool.ts";
import type { ResponseReceiver, UpstreamCall, UpstreamRequest } from "../transport.ts";
import { H2Call } from "./h2-call.ts";

export interface H2PoolOptions {
  readonly dial: Dial;
  /** `http` for cleartext (h2c). */
  readonly scheme: "http" | "https";
  readonly idleTimeoutMs: number;
  readonly responseHeaderTimeoutMs: number;
  readonly maxHeaderBytes: number;
  /** Connections at a time; 0 for any number. */
  readonly maxConnections: number;
}

/** Bytes in flight of one stream, and of all streams of a connection: large bodies are not held up by round trips. */
const streamWindowBytes = 1024 * 1024;
const connectionWindowBytes = 16 * 1024 * 1024;

interface Session {
  readonly session: ClientHttp2Session;
  active: number;
  idleTimer: NodeJS.Timeout | undefined;
}

/** HTTP/2 connections to one upstream: many requests on each, as many connections as its stream limits ask for. */
export class H2Pool {
  readonly #options: H2PoolOptions;
  readonly #sessions: Session[] = [];
  readonly #waiting: H2Call[] = [];
  #dialing = 0;
  #closed = false;

  constructor(options: H2PoolOptions) {
    this.#options = options;
  }

  call(request: UpstreamRequest, receiver: ResponseReceiver): UpstreamCall {
    const call = new H2Call(request, receiver);
    this.start(call);
    return call;
  }

  start(call: H2Call): void {
    const session = this.#free();
    if (session !== undefined) {
      this.#run(session, call);
      return;
    }
    this.#waiting.push(call);
    const { maxConnections } = this.#options;
    if (this.#dialing === 0 && (maxConnections === 0 || this.#sessions.length < maxConnections)) {
      this.#dial(call);
    }
  }

  /** Takes a connection that somebody else opened. */
  adopt(socket: Socket): void {
    const { scheme, maxHeaderBytes } = this.#options;
    const session = connect(`${scheme}://upstream`, {
      createConnection: () => socket,
      settings: {
        initialWindowSize: streamWindowBytes,
        enablePush: false,
        maxHeaderListSize: maxHeaderBytes,
      },
    });
    const entry: Session = { session, active: 0, idleTimer: undefined };
    this.#sessions.push(entry);
    session.once("connect", () => session.setLocalWindowSize(connectionWindowBytes));
    session.on("error", () => session.destroy()); // its streams tell
    session.on("goaway", () => this.#forget(entry));
    session.once("close", () => this.#forget(entry));
    this.#flush();
    this.#rest(entry);
  }

  close(): void {
    this.#closed = true;
    for (const { session } of [...this.#sessions]) {
      session.close();
    }
  }

  #dial(call: H2Call): void {
    this.#dialing++;
    this.#options.dial(call.request, (error, socket) => {
      this.#dialing--;
      if (socket === undefined) {
        for (const each of this.#waiting.splice(0)) {
          each.fail(error ?? new Error("no connection"));
        }
        return;
      }
      this.adopt(socket);
    });
  }

  #free(): Session | undefined {
    return this.#sessions.find(({ session, active }) => {
      const limit = session.remoteSettings?.maxConcurrentStreams ?? Number.POSITIVE_INFINITY;
      return !session.closed && !session.destroyed && active < limit;
    });
  }

  #run(entry: Session, call: H2Call): void {
    if (call.aborted) {
      return;
    }
    clearTimeout(entry.idleTimer);
    entry.active++;
    call.onOver = () => {
      entry.active--;
      this.#flush();
      this.#rest(entry);
    };
    const { scheme, responseHeaderTimeoutMs } = this.#options;
    call.run(entry.session, scheme, responseHeaderTimeoutMs);
  }

  /** Starts what waits, as far as there is room. */
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
    const [next] = this.#waiting;
    if (next !== undefined && this.#dialing === 0) {
      const { maxConnections } = this.#options;
      if (maxConnections === 0 || this.#sessions.length < maxConnections) {
        this.#dial(next);
      }
    }
  }

  #rest(entry: Session): void {
    if (entry.active > 0) {
      return;
    }
    if (this.#closed) {
      entry.session.close();
      return;
    }
    clearTimeout(entry.idleTimer);
    entry.idleTimer = setTimeout(() => entry.session.close(), this.#options.idleTimeoutMs).unref();
  }

  #forget(entry: Session): void {
    const at = this.#sessions.indexOf(entry);
    if (at !== -1) {
      this.#sessions.splice(at, 1);
      clearTimeout(entry.idleTimer);
      entry.session.close();
      this.#flush();
    }
  }
}
