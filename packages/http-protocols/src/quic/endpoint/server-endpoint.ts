import { createHmac, randomBytes, randomInt } from "node:crypto";
import { Connection } from "../connection/connection.ts";
import type { LocalId } from "../connection/connection-ids.ts";
import type { ConnectionEvents } from "../connection/connection-options.ts";
import type { OutgoingDatagram } from "../connection/connection-parts.ts";
import type { PeerAddress } from "../connection/network-path.ts";
import { type ConnectionSettings, defaultSettings } from "../connection/settings.ts";
import {
  type InitialKeys,
  initialClientKeys,
  initialServerKeys,
  retryIntegrityTag,
} from "../protection/initial-keys.ts";
import { openPacket } from "../protection/packet-keys.ts";
import { transportErrors } from "../quic-error.ts";
import type { ClientHello } from "../tls/client-hello.ts";
import type { Certificate } from "../tls/handshake-messages.ts";
import { ServerHandshake, type ServerHandshakeOptions } from "../tls/server-handshake.ts";
import type { SingleUseSerials } from "../tls/single-use-serials.ts";
import { ownCopy } from "../wire/own-copy.ts";
import {
  encodeRetryWithoutTag,
  encodeVersionNegotiation,
  isLongHeader,
  minInitialDatagramBytes,
  type PacketHeader,
  quicVersion1,
  readPacketHeader,
  readVersionlessHeader,
} from "../wire/packet-header.ts";
import { AddressTokens } from "./address-token.ts";
import { AnswerRate } from "./answer-rate.ts";
import { AnsweredNewcomers } from "./answered-newcomers.ts";
import { defaultHandshakeLimits, type HandshakeLimits, HandshakesUnderWay } from "./handshakes-under-way.ts";
import { type Newcomer, NewcomerQueue } from "./newcomer-queue.ts";
import { encodeRefusal } from "./refusal.ts";
import { idBytes, WorkerIds } from "./worker-ids.ts";

export interface ServerEndpointOptions extends Pick<ServerHandshakeOptions, "protocols" | "tickets"> {
  /** Finds the certificate for a client. It may answer at once or later; undefined ends the handshake. */
  readonly chooseCertificate: (
    hello: ClientHello,
    connection: Connection,
    answer: (certificate: Certificate | undefined) => void,
  ) => void;
  /** Requirements for early data of clients with a ticket. Default: it is not taken. */
  readonly earlyData?: {
    /** Memory of used tickets. All servers with the same ticket keys must share it. */
    readonly serials: SingleUseSerials;
    /**
     * Names the application's settings that the client remembers from its last connection. Undefined: early data is not
     * taken now.
     */
    readonly terms: (connection: Connection) => string | undefined;
  };
  readonly settings?: Partial<ConnectionSettings>;
  /** Returns the listener of a new connection. Called before the connection receives anything. */
  readonly onConnection: (connection: Connection) => Omit<ConnectionEvents, "onWake">;
  /** Maximum number of connections that may be open at once. Further clients are refused. Default: 100,000. */
  readonly maxConnections?: number;
  /** From this number of running handshakes on, a client must prove its address by a Retry. Default: 512. */
  readonly retryFrom?: number;
  /** Maximum numbers of running handshakes. Further clients are refused. */
  readonly handshakeLimits?: Partial<HandshakeLimits>;
  /**
   * Secret of 32 bytes or more for stateless resets, address tokens and the numbers of workers; absent: a random one.
   * Workers of one address share it. If it outlives a restart, clients learn immediately that their connection is gone.
   */
  readonly key?: Buffer;
  /** Returns milliseconds since 1970, for tokens that outlive a process. Default: the system's clock. */
  readonly wallClock?: () => number;
  /**
   * Number of this worker among those that receive at one address, below 256; all of them need the same `key`. Default:
   * 0.
   */
  readonly worker?: number;
  /**
   * Gets a datagram for a connection of another worker, whose endpoint must `receive` it. The callee owns the buffer.
   * Without this function, such datagrams get a stateless reset.
   * @returns false for a number that no worker has: the datagram then gets a reset too
   */
  readonly onForeign?: (worker: number, datagram: Buffer, address: PeerAddress) => boolean;
}

/** Sockets and clocks of an endpoint. */
export interface EndpointIo {
  send(datagram: OutgoingDatagram): void;
  /** Must call `onTimeout` with the connection at this time; undefined: never. Replaces the earlier deadline. */
  setDeadline(connection: Connection, at: number | undefined): void;
  /** Must call `flush` with the connection soon. */
  wake(connection: Connection): void;
  /** Must soon call `flush` with a connection that received packets. Absent: the endpoint flushes immediately. */
  received?(connection: Connection): void;
  /**
   * Must call `admit` soon, because a client waits for its handshake. Without this function, handshakes start
   * immediately.
   */
  newcomer?(): void;
}

/** Minimum length of a client's first ID, so that it is hard to guess. Source: RFC 9000, section 7.2 */
const minFirstIdBytes = 8;
const minResetBytes = 21;
const maxResetBytes = 43;
/** Maximum number of stateless resets per second, because forged packets make this address flood others with resets. */
const resetsPerSecond = 200;
/** Maximum number of responses per second to packets of unknown versions, whose source addresses may be forged. */
const versionAnswersPerSecond = 1_000;
/**
 * Maximum number of refusals that are sent per second. A refusal has a twentieth of the size of the refused packet, and
 * takes about 0.1 ms.
 */
const refusalsPerSecond = 1_000;
const keyBytes = 32;
/** Maximum number of consecutive Retries and refusals to waiting clients, before datagrams are read again. */
const maxAnswersPerTurn = 32;

const keyOf = (id: Buffer) => id.toString("latin1");

/** Counts of datagrams without a connection, and of returning clients. */
export interface EndpointCounts {
  /** Number of Retries: clients that had to prove their address. */
  retries: number;
  /** Packets of unknown versions that got a response with the known version. */
  versionNegotiations: number;
  /** Packets of forgotten connections that were answered with a stateless reset. */
  resets: number;
  /** Datagrams that were not answered. */
  dropped: number;
  /** Clients that were refused because there were too many, or because the endpoint drains. */
  refused: number;
  /** Clients that proved their address with a token of an earlier connection. */
  returning: number;
  /** Datagrams for another worker. */
  foreign: number;
}

/** Passes datagrams of one address to their connections and creates new ones; has no sockets and clocks. */
export class ServerEndpoint {
  readonly #options: ServerEndpointOptions;
  readonly #io: EndpointIo;
  readonly #settings: ConnectionSettings;
  readonly #tokens: AddressTokens;
  readonly #resetKey: Buffer;
  readonly #ids: WorkerIds;
  readonly #byId = new Map<string, Connection>();
  /** Connections, with the ID that the client chose. Packets with this ID belong to the connection until it is over. */
  readonly #connections = new Map<Connection, string>();
  readonly #handshakes: HandshakesUnderWay;
  readonly #newcomers = new NewcomerQueue();
  readonly #answered = new AnsweredNewcomers();
  readonly #resets = new AnswerRate(resetsPerSecond);
  readonly #versionAnswers = new AnswerRate(versionAnswersPerSecond);
  readonly #refusals = new AnswerRate(refusalsPerSecond);
  readonly #wallClock: () => number;
  /** True: new clients are refused; existing connections continue. */
  refusesNew = false;
  readonly counts: EndpointCounts = {
    retries: 0,
    versionNegotiations: 0,
    resets: 0,
    dropped: 0,
    refused: 0,
    returning: 0,
    foreign: 0,
  };

  constructor(options: ServerEndpointOptions, io: EndpointIo) {
    this.#options = options;
    this.#io = io;
    this.#settings = { ...defaultSettings, ...options.settings };
    this.#handshakes = new HandshakesUnderWay({ ...defaultHandshakeLimits, ...options.handshakeLimits });
    const key = options.key ?? randomBytes(keyBytes);
    if (key.length < keyBytes) {
      throw new RangeError(`the key of an endpoint has ${key.length} bytes, not ${keyBytes}`);
    }
    const derived = (label: string) => createHmac("sha256", key).update(label).digest();
    this.#resetKey = derived("stateless reset");
    this.#tokens = new AddressTokens(derived("address token"));
    this.#wallClock = options.wallClock ?? Date.now;
    this.#ids = new WorkerIds(derived("worker"), options.worker ?? 0);
  }

  /** Connections that have not ended, including those that are closing. */
  get size(): number {
    return this.#connections.size;
  }

  get connections(): Iterable<Connection> {
    return this.#connections.keys();
  }

  receive(datagram: Buffer, address: PeerAddress, now: number): void {
    const first = datagram[0];
    if (first === undefined || address.port === 0) {
      // Nothing can be sent to port 0: Node throws. Only a forged datagram comes from there.
      this.counts.dropped++;
      return;
    }
    const id = isLongHeader(first)
      ? readVersionlessHeader(datagram)?.destinationId
      : datagram.subarray(1, 1 + idBytes);
    const connection = id && this.#byId.get(keyOf(id));
    if (connection !== undefined) {
      this.#deliver(connection, datagram, { address, now });
      return;
    }
    const { worker = 0, onForeign } = this.#options;
    const owner = onForeign && this.#ids.workerOf(datagram);
    if (owner !== undefined && owner !== worker && onForeign?.(owner, datagram, address) === true) {
      this.counts.foreign++;
    } else if (isLongHeader(first)) {
      this.#receiveUnknown(datagram, address, now);
    } else {
      this.#reset(datagram, address, now);
    }
  }

  onTimeout(connection: Connection, now: number): void {
    connection.onTimeout(now);
    this.flush(connection, now);
  }

  /** Sends the connection's pending data, and sets its next deadline. */
  flush(connection: Connection, now: number): void {
    for (const datagram of connection.takeDatagrams(now)) {
      this.#io.send(datagram);
    }
    if (connection.isOver) {
      this.#forget(connection);
    }
    this.#io.setDeadline(connection, connection.deadline());
  }

  /** Closes all connections with an application code. They are over a few round trips later. */
  close(code: number, reason: string, now: number): void {
    this.#newcomers.clear();
    for (const connection of this.#connections.keys()) {
      connection.close(code, reason, now);
      this.flush(connection, now);
    }
  }

  #receiveUnknown(datagram: Buffer, address: PeerAddress, now: number): void {
    const any = readVersionlessHeader(datagram);
    const isFull = datagram.length >= minInitialDatagramBytes;
    if (any !== undefined && any.version !== quicVersion1) {
      if (!isFull || (any.version !== 0 && !this.#versionAnswers.take(now))) {
        this.counts.dropped++;
      } else if (any.version !== 0) {
        this.counts.versionNegotiations++;
        this.#io.send({ bytes: encodeVersionNegotiation(any, [quicVersion1], randomInt(128)), address });
      }
      return;
    }
    const header = readPacketHeader(datagram, 0, idBytes);
    if (header?.type === "0rtt") {
      // Early data of a client that waits for its handshake.
      const joined = this.#newcomers.join(header.destinationId, datagram, address, now);
      this.counts.dropped += joined === "joined" ? 0 : 1;
      return;
    }
    if (!isFull || header?.type !== "initial" || header.destinationId.length < minFirstIdBytes) {
      this.counts.dropped++;
      return;
    }
    this.#receiveFirst(datagram, header, address, now);
  }

  #receiveFirst(datagram: Buffer, header: PacketHeader, address: PeerAddress, now: number): void {
    const joined = this.#newcomers.join(header.destinationId, datagram, address, now);
    if (joined === "joined") {
      return;
    }
    if (joined === "dropped" || this.#answered.has(header.destinationId, now)) {
      this.counts.dropped++;
      return;
    }
    // The client's next packet uses the ID that a Retry gives it.
    const retried = this.#tokens.open(header.token, address, now);
    const newcomer = {
      header,
      address,
      originalId: retried?.originalId,
      isKnown: retried !== undefined || this.#tokens.isReturning(header.token, address, this.#wallClock()),
      datagrams: [datagram],
      firstAt: retried?.sealedAt ?? now,
      lastAt: now,
    };
    if (this.#io.newcomer === undefined) {
      this.#admit(newcomer, now);
      return;
    }
    const verdict = this.#mustRetry(newcomer) ? "retry" : this.#newcomers.judge(newcomer, now);
    if (verdict === "wait") {
      this.#newcomers.add(newcomer);
      this.#io.newcomer();
    } else if (verdict === "retry") {
      this.#retry(newcomer, now);
    } else {
      this.#refuse(header, address, now);
    }
  }

  /** True when too many handshakes are running and the client has not proved its address. */
  #mustRetry({ isKnown }: Newcomer): boolean {
    return !isKnown && this.#handshakes.total >= (this.#options.retryFrom ?? 512);
  }

  /**
   * Starts the handshake of one waiting client. Clients that get a short response instead do not count.
   * @returns true when more clients wait
   */
  admit(now: number): boolean {
    for (let answers = 0; answers < maxAnswersPerTurn; answers++) {
      const newcomer = this.#newcomers.next(now);
      if (newcomer === undefined) {
        break;
      }
      if (this.#newcomers.isLate(newcomer, now)) {
        this.#refuse(newcomer.header, newcomer.address, now);
      } else if (this.#admit(newcomer, now)) {
        this.#newcomers.handshakeBegan(now);
        break;
      }
    }
    return this.#newcomers.size > 0;
  }

  /** @returns true when a handshake started */
  #admit(newcomer: Newcomer, now: number): boolean {
    const { maxConnections = 100_000 } = this.#options;
    const { header, address, datagrams, originalId, isKnown } = newcomer;
    if (this.#mustRetry(newcomer)) {
      this.#retry(newcomer, now);
      return false;
    }
    const isFull = this.#connections.size >= maxConnections || this.#handshakes.isFull(address.address);
    if (this.refusesNew || isFull) {
      this.#refuse(header, address, now);
      return false;
    }
    // Damaged packets create no connection. Reading removes header protection, so it needs a copy.
    const client = initialClientKeys(header.destinationId);
    if (openPacket(client, Buffer.from(datagrams[0] as Buffer), header, -1) === undefined) {
      this.counts.dropped += datagrams.length;
      return false;
    }
    this.counts.returning += isKnown && originalId === undefined ? 1 : 0;
    const server = initialServerKeys(header.destinationId);
    const connection = this.#accept(newcomer, { client, server }, now);
    for (const datagram of datagrams) {
      this.#deliver(connection, datagram, { address, now });
    }
    return true;
  }

  #deliver(
    connection: Connection,
    datagram: Buffer,
    { address, now }: { readonly address: PeerAddress; readonly now: number },
  ): void {
    connection.receive(datagram, address, now);
    if (this.#io.received === undefined) {
      this.flush(connection, now);
    } else {
      this.#io.received(connection);
    }
  }

  #accept(newcomer: Newcomer, keys: InitialKeys, now: number): Connection {
    const { header, originalId, isKnown, address } = newcomer;
    const firstId = ownCopy(header.destinationId);
    const localId = this.#newId();
    let events: Omit<ConnectionEvents, "onWake"> | undefined;
    const settle = this.#handshakes.begin(address.address);
    const connection: Connection = new Connection({
      role: "server",
      settings: this.#settings,
      events: {
        onConnected: (protocol) => {
          settle();
          events?.onConnected(protocol);
        },
        onEarlyData: () => events?.onEarlyData?.(),
        onStream: (stream) => events?.onStream(stream),
        onStreamClosed: (stream) => events?.onStreamClosed(stream),
        onClosed: (reason) => {
          settle();
          events?.onClosed(reason);
        },
        onWake: () => this.#io.wake(connection),
      },
      registry: {
        issue: () => {
          const id = this.#newId();
          this.#byId.set(keyOf(id.id), connection);
          return id;
        },
        retire: (id) => this.#byId.delete(keyOf(id)),
      },
      localId,
      remoteId: ownCopy(header.sourceId),
      initialId: firstId,
      initialKeys: keys,
      originalDestinationId: originalId ?? firstId,
      ...(originalId && { retrySourceId: firstId }),
      addressValidated: isKnown,
      newToken: (at) => this.#tokens.sealReturning(at, this.#wallClock()),
      address,
      now,
      newHandshake: (handshakeEvents, transportParameters) =>
        new ServerHandshake(
          { ...this.#handshakeOptions(() => connection), transportParameters },
          handshakeEvents,
        ),
    });
    this.#byId.set(keyOf(localId.id), connection);
    this.#byId.set(keyOf(firstId), connection);
    this.#connections.set(connection, keyOf(firstId));
    events = this.#options.onConnection(connection);
    return connection;
  }

  /** @param connection does not exist yet when its handshake is created */
  #handshakeOptions(connection: () => Connection): Omit<ServerHandshakeOptions, "transportParameters"> {
    const { protocols, tickets, chooseCertificate, earlyData } = this.#options;
    return {
      ...(earlyData && {
        earlyData: {
          serials: earlyData.serials,
          terms: () => this.#earlyDataTerms(earlyData.terms(connection())),
        },
      }),
      protocols,
      tickets,
      chooseCertificate: (hello, answer) => chooseCertificate(hello, connection(), answer),
    };
  }

  /** Adds the limits of QUIC that the client remembers. Source: RFC 9000, section 7.4.1 */
  #earlyDataTerms(ofApplication: string | undefined): string | undefined {
    const { maxData, maxStreamData, maxStreamsBidi, maxStreamsUni } = this.#settings;
    const limits = [maxData, maxStreamData, maxStreamsBidi, maxStreamsUni].join();
    return ofApplication === undefined ? undefined : `${limits}\n${ofApplication}`;
  }

  #forget(connection: Connection): void {
    const firstId = this.#connections.get(connection);
    if (firstId !== undefined) {
      this.#byId.delete(firstId);
      this.#connections.delete(connection);
    }
  }

  #newId(): LocalId {
    const id = this.#ids.issue();
    return { id, resetToken: this.#resetToken(id) };
  }

  #resetToken(id: Buffer): Buffer {
    return ownCopy(createHmac("sha256", this.#resetKey).update(id).digest().subarray(0, 16));
  }

  #retry({ header, address, firstAt }: Newcomer, now: number): void {
    if (this.#tokens.isOfRetry(header.token)) {
      // A second Retry is not allowed, so a client with an old token must start again: RFC 9000, section 8.1.3.
      this.#refuse(header, address, now, transportErrors.invalidToken);
      return;
    }
    this.#answered.add(header.destinationId, now);
    this.counts.retries++;
    const token = this.#tokens.seal(address, header.destinationId, firstAt);
    const packet = encodeRetryWithoutTag(header.sourceId, this.#ids.issue(), token);
    const bytes = Buffer.concat([packet, retryIntegrityTag(header.destinationId, packet)]);
    this.#io.send({ bytes, address });
  }

  /** Refuses a client, which then need not wait for its timeout. No state is stored. Source: RFC 9000, section 5.2.2 */
  #refuse(
    header: PacketHeader,
    address: PeerAddress,
    now: number,
    code: number = transportErrors.connectionRefused,
  ): void {
    if (code === transportErrors.connectionRefused) {
      this.#answered.add(header.destinationId, now);
    }
    this.counts.refused++;
    if (this.#refusals.take(now)) {
      this.#io.send({ bytes: encodeRefusal(header, code), address });
    }
  }

  /** Sends a stateless reset, because the connection of the packet is unknown. Source: RFC 9000, section 10.3 */
  #reset(datagram: Buffer, address: PeerAddress, now: number): void {
    // The reset is shorter than the datagram; otherwise two such servers would send resets to each other forever.
    const bytes = Math.min(datagram.length - 1, maxResetBytes);
    if (bytes < minResetBytes || !this.#resets.take(now)) {
      this.counts.dropped++;
      return;
    }
    this.counts.resets++;
    const token = this.#resetToken(datagram.subarray(1, 1 + idBytes));
    const packet = Buffer.concat([randomBytes(bytes - token.length), token]);
    packet[0] = ((packet[0] as number) & 0x3f) | 0x40;
    this.#io.send({ bytes: packet, address });
  }
}
