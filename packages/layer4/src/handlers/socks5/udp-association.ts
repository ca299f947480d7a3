import { createSocket, type RemoteInfo, type Socket } from "node:dgram";
import { once } from "node:events";
import { isIP } from "node:net";
import { nameLookups } from "server-modules/handlers/reverse-proxy/transport/name-lookups";
import { type Destination, datagramHeader, readDatagram } from "./socks5-messages.ts";

/**
 * Destinations that one client may hear from; the oldest goes for a new one. Without a bound, a client that scans
 * would fill the memory.
 */
const maxDestinations = 1_024;
/** Datagrams of one client that wait for a name. More are dropped, as a network drops them. */
const maxLookups = 16;

const bare = (address: string) => address.replace(/^::ffff:(?=\d+\.)/i, "");

/**
 * Datagrams of one client of SOCKS 5, by way of a UDP port of this server, until its TCP connection ends.
 * Only the client's address may send, and only peers that it wrote to may answer. Source: RFC 1928, section 7
 */
export class UdpAssociation {
  readonly #clientAddress: string;
  /** The port that the client sends to. */
  readonly #inner: Socket;
  /** Ports that lead to destinations, by family. */
  readonly #outer = new Map<4 | 6, Socket>();
  /** `address port` of each destination that the client wrote to, the newest last. */
  readonly #destinations = new Set<string>();
  /** UDP port of the client, from its first datagram; 0 before. */
  #clientPort = 0;
  /** Names that are being looked up for this client. */
  #lookups = 0;
  #isClosed = false;

  private constructor(inner: Socket, clientAddress: string) {
    this.#inner = inner;
    this.#clientAddress = clientAddress;
    inner.on("message", (bytes, from) => this.#fromClient(bytes, from));
    inner.on("error", () => this.close());
  }

  /** @param address IP address for the client's datagrams. @throws when no port can be had */
  static async open(address: string, clientAddress: string): Promise<UdpAssociation> {
    const inner = createSocket(isIP(address) === 6 ? "udp6" : "udp4");
    inner.bind(0, address);
    await once(inner, "listening");
    return new UdpAssociation(inner, clientAddress);
  }

  /** Where the client sends its datagrams. */
  get port(): number {
    return this.#inner.address().port;
  }

  /** Closes all ports. Datagrams that are under way are lost. */
  close(): void {
    if (!this.#isClosed) {
      this.#isClosed = true;
      for (const socket of [this.#inner, ...this.#outer.values()]) {
        socket.close();
      }
    }
  }

  /** Sends a datagram of the client on. Datagrams from elsewhere, fragments and malformed ones are dropped. */
  #fromClient(bytes: Buffer, from: RemoteInfo): void {
    const isClient =
      bare(from.address) === this.#clientAddress &&
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

  /** Looks a name up, and sends to its first address. */
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
      // A datagram to a name that is not found is lost, as one to an address that is not there.
    } finally {
      this.#lookups--;
    }
  }

  /** Sends to an address, and remembers that it may answer. */
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

  /** Opens the port that destinations of a family see. An error of the port ends the association. */
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
