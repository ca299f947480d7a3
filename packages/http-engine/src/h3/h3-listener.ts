import type { Socket } from "node:dgram";
import { readAnswer } from "certificates/tls/certificates/read-answer";
import type { ForeignClientAuth } from "certificates/tls/connection/connection-policy";
import type { TlsAcceptor } from "certificates/tls/connection/tls-acceptor";
import {
  type Certificate,
  type ClientAuthentication,
  type ClientHello,
  type Connection,
  maxWorkers,
  type PeerAddress,
  SingleUseSerials,
  schemeFor,
  singleUseBytes,
  UdpServer,
} from "http-protocols/quic";
import type { Logger } from "lifecycle";
import { messageOf } from "server-core/errors";
import { formatListenAddress, type UdpAddress } from "server-core/listen/listen-address";
import { openUdpPort } from "server-core/listen/open-udp-port";
import type { PortSource } from "server-core/listen/port-source";
import type { SharedResource } from "server-core/modules/usage-pool";
import type { SharedState } from "server-core/threads/shared-state";
import type { ThreadMessages } from "server-core/threads/thread-messages";
import type { ConnectionLimits } from "../connection-limits.ts";
import type { DetachedConnection, HttpStream } from "../http-stream.ts";
import { OpenTunnels } from "../open-tunnels.ts";
import { remoteAddress } from "../remote-address.ts";
import type { RequestSink } from "../shared-listener.ts";
import { ForeignDatagrams } from "./foreign-datagrams.ts";
import { H3Connection, type H3Owner } from "./h3-connection.ts";
import { sharedKey } from "./shared-key.ts";

/** Interval of checking connections for timeouts, in milliseconds. */
const checkIntervalMs = 500;
/** Time in milliseconds after its last request until a connection of a closed listener is cut. */
const lastBytesMs = 3_000;
/** Maximum number of requests that may wait for the first config. Further requests are refused. */
const maxHeldRequests = 1_000;

interface Http3ListenOptions {
  /** Limits of connections until {@link Http3Listener.switchTo} brings the limits of a config. */
  readonly limits: ConnectionLimits;
  /**
   * Chooses the certificates of the first handshakes. Each config passes its own acceptor to {@link
   * Http3Listener.switchTo}.
   */
  readonly tls: TlsAcceptor;
  readonly log: Logger;
  /** Opens ports for all threads, so that threads share them. */
  readonly ports: PortSource;
  /** Channel to the threads that share the port. */
  readonly messages: ThreadMessages;
  /** Shared memory with the key and the used tickets of all these threads. */
  readonly shared: SharedState;
}

/** State that the listeners of all threads share. */
interface CommonState {
  readonly key: Buffer;
  /** 1 for each thread that serves HTTP/3, by its number. A thread that dies has a successor with the same number. */
  readonly threads: Uint8Array;
  /** Tickets whose early data was taken. */
  readonly serials: SingleUseSerials;
}

/** Closed listeners with running requests, by address: their ports are not free yet. */
const leaving = new Map<string, Http3Listener>();

/**
 * The UDP port beside an HTTPS listener. Both outlive configs: a reload only changes the receiver of the next
 * request, even on open connections.
 */
export class Http3Listener implements SharedResource, H3Owner {
  readonly #address: UdpAddress;
  readonly #log: Logger;
  readonly #ports: PortSource;
  readonly #connections = new Map<Connection, H3Connection>();
  readonly #tunnels = new OpenTunnels();
  readonly #timer: NodeJS.Timeout;
  readonly #local: PeerAddress;
  readonly #udp: UdpServer;
  readonly #foreign: ForeignDatagrams;
  readonly #firstLimits: ConnectionLimits;
  /** Requests that arrived before the first config. */
  #held: HttpStream[] = [];
  #sink: RequestSink | undefined;
  #tls: TlsAcceptor;
  /** Resolves the promise of `close`; undefined while the listener is open. */
  #left: (() => void) | undefined;

  private constructor(address: UdpAddress, socket: Socket, common: CommonState, options: Http3ListenOptions) {
    const { messages } = options;
    this.#address = address;
    this.#firstLimits = options.limits;
    this.#tls = options.tls;
    this.#log = options.log;
    this.#ports = options.ports;
    const { address: host, port } = socket.address();
    this.#local = { address: host, port };
    this.#foreign = new ForeignDatagrams(formatListenAddress(address), messages, (datagram, from) =>
      this.#udp.receive(datagram, from),
    );
    this.#udp = UdpServer.on(socket, {
      key: common.key,
      worker: messages.thread,
      ...(messages.thread > 0 && {
        onForeign: (thread, datagram, from) => {
          const exists = Atomics.load(common.threads, thread) > 0;
          if (exists) {
            this.#foreign.handOver(thread, datagram, from);
          }
          return exists;
        },
      }),
      protocols: ["h3"],
      // All policies share these keys. This is safe, because each handshake looks up the policy, even with a ticket.
      tickets: { keys: () => this.#tls.quicTicketKeys },
      earlyData: { serials: common.serials, terms: (connection) => this.#earlyDataTerms(connection) },
      chooseCertificate: (hello, connection, answer) => this.#choose(hello, connection, answer),
      onConnection: (connection) => this.#connect(connection),
    });
    this.#timer = setInterval(() => this.#checkTimeouts(), checkIntervalMs);
    this.#timer.unref();
  }

  /**
   * Opens the port, or takes back a closed listener that still has it. Handshakes begin immediately; their requests
   * wait for {@link switchTo}.
   * @throws ServerError LISTEN
   */
  static async open(address: UdpAddress, options: Http3ListenOptions): Promise<Http3Listener> {
    const left = leaving.get(formatListenAddress(address));
    if (left !== undefined) {
      left.#comeBack();
      return left;
    }
    const { ports, shared } = options;
    try {
      const grant = await ports.reserve(address);
      const key = await sharedKey(shared);
      const serials = new SingleUseSerials(await shared.memory("http3.tickets", singleUseBytes));
      const threads = new Uint8Array(await shared.memory("http3.threads", maxWorkers));
      Atomics.store(threads, options.messages.thread, 1);
      const socket = await openUdpPort(grant.address, grant);
      const listener = new Http3Listener(address, socket, { key, threads, serials }, options);
      ports.opened(address, listener.#local.port);
      return listener;
    } catch (error) {
      ports.release(address);
      throw error;
    }
  }

  /** Number of open connections, including running handshakes. */
  get connectionCount(): number {
    return this.#connections.size;
  }

  get limits(): ConnectionLimits {
    return this.#sink?.limits ?? this.#firstLimits;
  }

  get port(): number {
    return this.#local.port;
  }

  /**
   * From now on requests go to `sink`, and `tls` chooses the certificates of handshakes.
   * @param messages channel of the same config
   */
  switchTo(sink: RequestSink, tls: TlsAcceptor, messages: ThreadMessages): void {
    this.#sink = sink;
    this.#tls = tls;
    this.#foreign.listen(messages);
    for (const stream of this.#held.splice(0)) {
      sink.take(stream);
    }
  }

  /** Takes no new requests. Resolves when all connections have ended and the port is free, or a config reopens it. */
  close(): Promise<void> {
    return new Promise((resolve) => {
      this.#left = resolve;
      this.#udp.endpoint.refusesNew = true;
      leaving.set(formatListenAddress(this.#address), this);
      for (const connection of this.#connections.values()) {
        if (this.#sink === undefined) {
          connection.cut(); // the config never ran, so waiting requests get no answer
        } else {
          connection.closeWhenIdle();
        }
      }
      void this.#tunnels.close();
      this.#leaveIfEmpty();
    });
  }

  // Called by connections

  take(stream: HttpStream): void {
    if (this.#sink !== undefined) {
      this.#sink.take(stream);
    } else if (this.#held.length < maxHeldRequests) {
      this.#held.push(stream);
    } else {
      stream.destroy();
    }
  }

  fault(error: unknown): void {
    this.#log.error(
      { err: error },
      `${formatListenAddress(this.#address)}: a request was cut for a fault of the server`,
    );
  }

  tunnelOpened(tunnel: DetachedConnection): void {
    this.#tunnels.add(tunnel);
  }

  h3Closed(connection: Connection): void {
    this.#connections.delete(connection);
    this.#leaveIfEmpty();
  }

  #connect(connection: Connection): H3Connection {
    const made = new H3Connection(connection, this, this.#local);
    this.#connections.set(connection, made);
    return made;
  }

  /** @returns undefined when the config takes no early data */
  #earlyDataTerms(connection: Connection): string | undefined {
    return this.#sink?.allowsEarlyData === true
      ? this.#connections.get(connection)?.rememberedSettings
      : undefined;
  }

  #choose(hello: ClientHello, connection: Connection, answer: (certificate?: Certificate) => void): void {
    const known = this.#connections.get(connection);
    if (known === undefined) {
      answer(undefined);
      return;
    }
    const { serverName = "", protocols, signatureSchemes } = hello;
    known.serverName = serverName;
    const handshake = {
      hello: { serverName, protocols, ticketKey: "" },
      remoteAddress: remoteAddress(known.socket),
      localAddress: this.#local.address,
    };
    this.#tls.certificatesFor(handshake).then(
      (found) => {
        const shown =
          found && readAnswer(found.answer).find(({ key }) => schemeFor(key, signatureSchemes) !== undefined);
        const asked = found?.clientAuth;
        answer(
          shown && asked ? { ...shown, clientAuthentication: this.#authentication(asked, known) } : shown,
        );
      },
      (error: unknown) => {
        this.#log.error(`handshake for ${JSON.stringify(serverName)}: ${messageOf(error)}`);
        answer(undefined);
      },
    );
  }

  #authentication(demands: ForeignClientAuth, { socket }: H3Connection): ClientAuthentication {
    const { required, authorities } = demands;
    const refuse = (problem: string) => {
      this.#log.debug(`client ${remoteAddress(socket)}: ${problem}`);
      return problem;
    };
    return {
      required,
      authorities,
      verify: (chain, answer) => {
        if (chain.length === 0) {
          answer(undefined); // if `required`, the handshake has refused the client already
          return;
        }
        demands.fault(chain).then(
          (problem) => answer(problem && refuse(problem)),
          (error: unknown) => {
            this.#log.error(`the certificate of client ${remoteAddress(socket)}: ${messageOf(error)}`);
            answer("it could not be judged");
          },
        );
      },
    };
  }

  /** A new config opens the address of this closed listener: the listener stays. */
  #comeBack(): void {
    leaving.delete(formatListenAddress(this.#address));
    this.#left?.();
    this.#left = undefined;
    this.#udp.endpoint.refusesNew = false;
  }

  #leaveIfEmpty(): void {
    if (this.#left !== undefined && this.#connections.size === 0) {
      // Waits one turn, so that the last connection can send its closing packet.
      setImmediate(() => {
        if (this.#left !== undefined && this.#connections.size === 0) {
          void this.#leave(this.#left);
        }
      });
    }
  }

  async #leave(left: () => void): Promise<void> {
    this.#left = undefined;
    leaving.delete(formatListenAddress(this.#address));
    clearInterval(this.#timer);
    await this.#udp.close();
    this.#ports.release(this.#address);
    left();
  }

  #checkTimeouts(): void {
    const now = Date.now();
    for (const connection of this.#connections.values()) {
      try {
        if (this.#left !== undefined && connection.idleFor(now) >= lastBytesMs) {
          connection.cut();
        } else {
          connection.checkTimeouts(now);
        }
      } catch (error) {
        connection.cut();
        this.fault(error);
      }
    }
  }
}
