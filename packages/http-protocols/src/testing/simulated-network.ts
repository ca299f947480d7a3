import { generateKeyPairSync, randomBytes } from "node:crypto";
import { Connection } from "../quic/connection/connection.ts";
import type { CloseReason } from "../quic/connection/connection-options.ts";
import type { OutgoingDatagram } from "../quic/connection/connection-parts.ts";
import type { PeerAddress } from "../quic/connection/network-path.ts";
import { type ConnectionSettings, defaultSettings } from "../quic/connection/settings.ts";
import { ServerEndpoint, type ServerEndpointOptions } from "../quic/endpoint/server-endpoint.ts";
import type { QuicStream } from "../quic/streams/quic-stream.ts";
import { ClientHandshake, type ClientHandshakeOptions } from "./client-handshake.ts";

const pair = generateKeyPairSync("ed25519");

/** A certificate whose chain nobody checks. */
export const testCertificate = { chain: [Buffer.from("a certificate")], key: pair.privateKey };

export interface NetworkOptions {
  readonly delayMs?: number;
  /** True when a datagram is lost. */
  readonly loses?: (datagram: Buffer, fromServer: boolean) => boolean;
  /** Additional delay of a datagram in milliseconds. */
  readonly delays?: (fromServer: boolean) => number;
  readonly server?: Partial<ServerEndpointOptions>;
  readonly client?: Partial<ClientHandshakeOptions>;
  readonly clientSettings?: Partial<ConnectionSettings>;
  /** True: datagrams that arrive at one time are all read before anything is sent, as `UdpServer` does. */
  readonly readsAllFirst?: boolean;
}

interface Delivery {
  readonly at: number;
  readonly fromServer: boolean;
  readonly datagram: Buffer;
  /** Address of the client at the time of sending. */
  readonly client: PeerAddress;
}

/** Events of a client connection. */
export interface ClientRecord {
  readonly connection: Connection;
  protocol: string;
  closed: CloseReason | undefined;
  readonly streams: QuicStream[];
  onToken(token: Buffer): void;
}

/** A server endpoint and one client with a simulated network and clock: nothing waits for real time. */
export class SimulatedNetwork {
  now = 1_000;
  readonly endpoint: ServerEndpoint;
  readonly serverConnections: Connection[] = [];
  readonly serverClosed: CloseReason[] = [];
  client: ClientRecord;
  /** Source address of the client's datagrams. */
  clientAddress: PeerAddress = { address: "192.0.2.1", port: 5_000 };
  onServerStream: (stream: QuicStream) => void = () => {};
  readonly sent = { client: 0, server: 0, clientBytes: 0, serverBytes: 0 };
  readonly #options: NetworkOptions;
  #deliveries: Delivery[] = [];
  #turnsWithoutTime = 0;
  readonly #deadlines = new Map<Connection, number>();

  constructor(options: NetworkOptions = {}) {
    this.#options = options;
    this.endpoint = new ServerEndpoint(
      {
        protocols: ["h3"],
        chooseCertificate: (_, __, answer) => answer(testCertificate),
        onConnection: (connection) => {
          this.serverConnections.push(connection);
          return {
            onConnected: () => {},
            onStream: (stream) => this.onServerStream(stream),
            onStreamClosed: () => {},
            onClosed: (reason) => this.serverClosed.push(reason),
          };
        },
        ...options.server,
      },
      {
        send: (datagram) => this.#send(datagram, true),
        setDeadline: (connection, at) => {
          if (at === undefined) {
            this.#deadlines.delete(connection);
          } else {
            this.#deadlines.set(connection, at);
          }
        },
        wake: () => {},
        ...(options.readsAllFirst === true && { received: () => {} }),
      },
    );
    this.client = this.#connect();
  }

  get server(): Connection {
    return this.serverConnections[0]!;
  }

  /** Lets datagrams and time pass until `done`; @throws when the network is still or the time is over */
  run(done: () => boolean, maxMs = 60_000): void {
    const end = this.now + maxMs;
    while (!done()) {
      this.#flush();
      if (done()) {
        return;
      }
      const client = this.client.connection.deadline() ?? Number.POSITIVE_INFINITY;
      const delivery = this.#deliveries[0];
      const at = Math.min(client, delivery?.at ?? Number.POSITIVE_INFINITY, ...this.#deadlines.values());
      if (at === Number.POSITIVE_INFINITY || at > end) {
        throw new Error(
          `nothing more happens: ${JSON.stringify({ at, end, ...this.client, connection: 0, streams: 0 })}`,
        );
      }
      this.#turnsWithoutTime = at > this.now ? 0 : this.#turnsWithoutTime + 1;
      if (this.#turnsWithoutTime > 10_000) {
        throw new Error(
          `the clock stands still at ${this.now}: ${JSON.stringify({ client, delivery: delivery?.at })}`,
        );
      }
      this.now = Math.max(this.now, at);
      this.#deliverDue();
      if (client <= this.now) {
        this.client.connection.onTimeout(this.now);
      }
      for (const [connection, deadline] of [...this.#deadlines]) {
        if (deadline <= this.now) {
          this.endpoint.onTimeout(connection, this.now);
        }
      }
    }
  }

  /** Waits for nothing in particular. */
  pass(ms: number): void {
    const end = this.now + ms;
    this.#deliveries.push({
      at: end,
      fromServer: false,
      datagram: Buffer.alloc(0),
      client: this.clientAddress,
    });
    this.#deliveries.sort((one, other) => one.at - other.at);
    this.run(() => this.now >= end, ms);
  }

  /** Passes a datagram to the server as if it came from this address. */
  inject(datagram: Buffer, address: PeerAddress = this.clientAddress): void {
    this.endpoint.receive(datagram, address, this.now);
  }

  /** Delivers the first datagram that is due, or all of them. */
  #deliverDue(): void {
    for (let first = this.#deliveries[0]; first !== undefined && first.at <= this.now; ) {
      this.#deliveries.shift();
      this.#deliver(first);
      first = this.#options.readsAllFirst === true ? this.#deliveries[0] : undefined;
    }
  }

  #deliver({ fromServer, datagram, client }: Delivery): void {
    if (fromServer) {
      this.client.connection.receive(datagram, { address: "192.0.2.99", port: 443 }, this.now);
    } else {
      this.endpoint.receive(datagram, client, this.now);
    }
  }

  #flush(): void {
    for (const datagram of this.client.connection.takeDatagrams(this.now)) {
      this.#send(datagram, false);
    }
    for (const connection of this.serverConnections) {
      if (!connection.isOver) {
        this.endpoint.flush(connection, this.now);
      }
    }
  }

  #send({ bytes, address }: OutgoingDatagram, fromServer: boolean): void {
    this.sent[fromServer ? "server" : "client"]++;
    this.sent[fromServer ? "serverBytes" : "clientBytes"] += bytes.length;
    const { delayMs = 20, loses, delays } = this.#options;
    const reaches = !fromServer || address.port === this.clientAddress.port;
    if (!reaches || loses?.(bytes, fromServer) === true) {
      return;
    }
    const at = this.now + delayMs + (delays?.(fromServer) ?? 0);
    // The sender may send the same bytes again, and the receiver changes them.
    this.#deliveries.push({ at, fromServer, datagram: Buffer.from(bytes), client: this.clientAddress });
    this.#deliveries.sort((one, other) => one.at - other.at);
  }

  #connect(): ClientRecord {
    const destinationId = randomBytes(8);
    const newId = () => ({ id: randomBytes(8), resetToken: randomBytes(16) });
    let handshake: ClientHandshake | undefined;
    const connection = new Connection({
      role: "client",
      settings: { ...defaultSettings, ...this.#options.clientSettings },
      events: {
        onConnected: (protocol) => {
          this.client.protocol = protocol;
        },
        onStream: (stream) => this.client.streams.push(stream),
        onStreamClosed: () => {},
        onToken: (token) => this.client.onToken(Buffer.from(token)),
        onClosed: (reason) => {
          this.client.closed = reason;
        },
        onWake: () => {},
      },
      registry: { issue: newId, retire: () => {} },
      localId: newId(),
      remoteId: destinationId,
      initialId: destinationId,
      originalDestinationId: destinationId,
      address: { address: "192.0.2.99", port: 443 },
      now: this.now,
      newHandshake: (events, transportParameters) => {
        handshake = new ClientHandshake(
          {
            serverKey: pair.publicKey,
            transportParameters: transportParameters(),
            serverName: "shop.example",
            ...this.#options.client,
          },
          events,
        );
        return handshake;
      },
    });
    handshake?.start();
    return { connection, protocol: "", closed: undefined, streams: [], onToken: () => {} };
  }
}

/** A handler that records its calls; other methods do nothing unless given. */
export function collect(stream: QuicStream): {
  bytes: Buffer[];
  ended: boolean;
  reset: number | undefined;
  stopped: number | undefined;
} {
  const record = {
    bytes: [] as Buffer[],
    ended: false,
    reset: undefined as number | undefined,
    stopped: undefined as number | undefined,
  };
  stream.handler = {
    onData: (bytes) => {
      record.bytes.push(bytes);
      stream.consume(bytes.length);
    },
    onEnd: () => {
      record.ended = true;
    },
    onReset: (code) => {
      record.reset = code;
    },
    onStopSending: (code) => {
      record.stopped = code;
    },
    onWritable: () => {},
  };
  return record;
}
