import { createSocket, type RemoteInfo, type Socket } from "node:dgram";
import { once } from "node:events";
import { isIP } from "node:net";
import { nameLookups } from "server-modules/handlers/reverse-proxy/transport/name-lookups";
import { type Destination, datagramHeader, readDatagram } from "./socks5-messages.ts";

/**
 * Maximum number of destinations that may answer one client; the oldest is replaced. Without a limit, a scanning client
 * would fill the memory.
 */
const maxDestinations = 1_024;
/**
 * Maximum number of datagrams of one client that may wait for a name lookup at once. Further ones are dropped, as a
 * network does.
 */
const maxLookups = 16;

const bare = (address: string) => address.replace(/^::ffff:(?=\d+\.)/i, "");

/**
 * Relays the datagrams of one SOCKS 5 client through a UDP port of this server, until its TCP connection ends.
 * Only the client's address may send, and only destinations of the client may answer. Source: RFC 1928, section 7
 */
export class UdpAssociation {
  readonly #clientAddress: string;
  /** The port that the client sends to. */
  readonly #inner: Socket;
  /** Ports for destinations, by address family. */
  readonly #outer = new Map<4 | 6, Socket>();
  /** `address port` of each destination, the newest last. */
  readonly #destinations = new Set<string>();
  /** UDP port of the client, from its first datagram; 0 before. */
  #clientPort = 0;
  /** Name lookups that run now. */
  #lookups = 0;
  #isClosed = false;

  private constructor(inner: Socket, clientAddress: string) {
    this.#inner = inner;
    this.#clientAddress = clientAddress;
    inner.on("message", (bytes, from) => this.#fromClient(bytes, from));
    inner.on("error", () => this.close());
  }

  /** @param address IP address for the client's datagrams. @throws when no port is available */
  static async open(address: string, clientAddress: string): Promise<UdpAssociation> {
    const inner = createSocket(isIP(address) === 6 ? "udp6" : "udp4");
    inner.bind(0, address);
    await once(inner, "listening");
    return new UdpAssociation(inner, clientAddress);
  }

  /** Local port to which the client sends its datagrams. */
  get port(): number {
    return this.#inner.address().port;
  }

  /** Closes all ports. Datagrams in transit are lost. */
  close(): void {
    if (!this.#isClosed) {
      this.#isClosed = true;
      for (const socket of [this.#inner, ...this.#outer.values()]) {
        socket.close();
      }
    }
  }

  /** Forwards a client's datagram. Datagrams from other addresses, fragments and malformed ones are dropped. */
  #fromClient(bytes: Buffer, from: RemoteInfo): void {
    const isClient =
      bare(from.address) === this.#clientAddress &&
      from.port !== 0 && // Node throws for an answer to port 0
      (this.#clientPort === 0 || from.port === this.#clientPort);
    const datagram = isClient ? readDatagram(bytes) : undefined;
    if (datagram === undefined) {
      return;
    }
    this.#clientPort = from.port;
    const { destination, data } = datagram;
    const family = isIP(destination.host);
    if (family === 4 || family === 6) {
      this.#send(data, destination, family);
    } else {
      void this.#lookUpAndSend(data, destination);
    }
  }

  /** Resolves a name, and sends to its first address. */
  async #lookUpAndSend(data: Buffer, { host, port }: Destination): Promise<void> {
    if (this.#lookups >= maxLookups) {
      return;
    }
    this.#lookups++;
    try {
      const [found] = await nameLookups.find(host, 0);
      if (found !== undefined) {
        this.#send(data, { host: found.address, port }, found.family === 6 ? 6 : 4);
      }
    } catch {
      // A datagram to an unknown name is lost, like one to an unreachable address.
    } finally {
      this.#lookups--;
    }
  }

  /** Sends to an address, and allows the address to answer. */
  #send(data: Buffer, { host, port }: Destination, family: 4 | 6): void {
    if (this.#isClosed || port === 0) {
      return;
    }
    const socket = this.#outer.get(family) ?? this.#openOuter(family);
    const key = `${new URL(`http://${family === 6 ? `[${host}]` : host}/`).hostname} ${port}`;
    this.#destinations.delete(key);
    this.#destinations.add(key);
    if (this.#destinations.size > maxDestinations) {
      const [oldest] = this.#destinations;
      this.#destinations.delete(oldest as string);
    }
    socket.send(data, port, host, () => {}); // datagrams may be lost
  }

  /** Opens the port for destinations of a family. An error of the port ends the association. */
  #openOuter(family: 4 | 6): Socket {
    const socket = createSocket({ type: `udp${family}` });
    this.#outer.set(family, socket);
    socket.on("error", () => this.close());
    socket.on("message", (data, from) => {
      const host = family === 6 ? `[${from.address.replace(/%.*$/, "")}]` : from.address;
      if (this.#destinations.has(`${host} ${from.port}`) && !this.#isClosed) {
        const bytes = Buffer.concat([datagramHeader(from.address, from.port), data]);
        this.#inner.send(bytes, this.#clientPort, this.#clientAddress, () => {});
      }
    });
    return socket;
  }
}
