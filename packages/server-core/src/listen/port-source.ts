import { createServer } from "node:net";
import type { Logger } from "lifecycle";
import { messageOf, ServerError } from "../errors.ts";
import type { ThreadLink, ThreadMessages } from "../threads/thread-messages.ts";
import type { MainMessages } from "../threads/worker-messages.ts";
import { formatListenAddress, type ListenAddress, type UdpAddress } from "./listen-address.ts";
import { openPort } from "./open-port.ts";

/** An address that threads may share. */
export type PortAddress = ListenAddress | UdpAddress;

/** The way in which a thread must open an address. */
export interface PortGrant<Address extends PortAddress = PortAddress> {
  /** True when other threads open the same address. */
  readonly reusePort: boolean;
  /** The address to open; port 0 of the config was replaced by a fixed port. */
  readonly address: Address;
  /** False when another thread listens for all threads, because unix sockets and file descriptors cannot be shared. */
  readonly listen: boolean;
}

/** Requests of the main thread to a listener, after threads died or were added. */
export interface ListenerHooks {
  /** Called when the thread that listened for all threads has ended: this thread must listen now. */
  takeOver(): Promise<void>;
  /**
   * Makes the listener also accept connections at this path; each begins with a PROXY protocol header from the main
   * thread. An empty path ends this.
   */
  relayFrom(path: string): Promise<void>;
  /**
   * Called when more threads listen than before. The listener ends some connections after their next response; their
   * clients reconnect, and the system distributes the new connections over all threads. Absent when connections cannot
   * be ended safely.
   * @param part share of the connections, 0 to 1
   */
  share?(part: number): void;
}

/** Decides which thread listens on which address, so that all threads act as one listener. */
export interface PortSource {
  /**
   * @param hooks functions of the listener; absent: the main thread sends no requests to it
   * @throws ServerError LISTEN when another process uses the address
   */
  reserve<Address extends PortAddress>(address: Address, hooks?: ListenerHooks): Promise<PortGrant<Address>>;
  /** Must be called when the thread listens. @param port the actual port */
  opened(address: PortAddress, port: number): void;
  /**
   * Must be called once for each `reserve`: when the listener no longer listens, or could not start to.
   * @param hooks the functions that `reserve` got
   */
  release(address: PortAddress, hooks?: ListenerHooks): void;
  /**
   * Every open address with its actual port, in the order of opening. UDP addresses are left out, because each UDP
   * address belongs to a TCP address.
   */
  list(): string[];
}

function boundAddress(address: PortAddress, port: number): string {
  return formatListenAddress(isNumbered(address) ? { ...address, port } : address);
}

/** True when threads can share the address; a shared address always has a port. */
function isNumbered<Address extends PortAddress>(
  address: Address,
): address is Extract<Address, { readonly port: number }> {
  return address.network === "tcp" || address.network === "udp";
}

const isUdp = (text: string) => text.startsWith("udp/");

/** Ports for a process in which only one thread listens. */
export class OwnPorts implements PortSource {
  readonly #log: Logger;
  readonly #open = new Map<string, string>();

  constructor(log: Logger) {
    this.#log = log;
  }

  async reserve<Address extends PortAddress>(address: Address): Promise<PortGrant<Address>> {
    return { reusePort: false, address, listen: true };
  }

  opened(address: PortAddress, port: number): void {
    const bound = boundAddress(address, port);
    this.#open.set(formatListenAddress(address), bound);
    this.#log.info(`serving HTTP on ${bound}`);
  }

  release(address: PortAddress): void {
    const key = formatListenAddress(address);
    const bound = this.#open.get(key);
    if (bound !== undefined) {
      this.#open.delete(key);
      this.#log.info(`no longer serving on ${bound}`);
    }
  }

  list(): string[] {
    return [...this.#open.values()].filter((text) => !isUdp(text));
  }
}

/** Value for no thread. */
const nobody = -1;

interface Entry {
  /** Address on which at least one thread listens. */
  readonly address: PortAddress;
  /** The actual port; port 0 lets the system choose. */
  readonly port: Promise<number>;
  /** The address as text, with the actual port once it is known. */
  bound: string;
  /** The actual port; 0 while it is unknown. */
  boundPort: number;
  /** True when a thread listens and this was logged. */
  announced: boolean;
  /**
   * Listeners of each thread on the address: two while a reload gives the address to another listener. When the last
   * listener of the last thread has ended, the port is closed.
   */
  readonly threads: Map<number, number>;
  /**
   * Threads that died while they listened. After its restart, a thread may listen again, or run a config without the
   * address.
   */
  readonly died: Set<number>;
}

const reserveTopic = "ports.reserve";
const openedTopic = "ports.opened";
const releaseTopic = "ports.release";
const takeOverTopic = "ports.take_over";
const relayTopic = "ports.relay";
const shareTopic = "ports.share";

interface RelayRequest {
  /** Address whose connections are relayed. */
  readonly address: PortAddress;
  /** Path of the socket to which connections are relayed. */
  readonly path: string;
}

interface PortRequest {
  /** Number of the asking thread. */
  readonly thread: number;
  /** Address on which the thread wants to listen. */
  readonly address: PortAddress;
}

/**
 * The ports of all worker threads, managed by the main thread. A shared port can be opened even if another process
 * listens on it, so each new address is first opened without sharing.
 */
export class SharedPorts implements PortSource {
  readonly #log: Logger;
  readonly #entries = new Map<string, Entry>();
  readonly #links: ReadonlyMap<number, ThreadLink>;
  /** For each inherited socket, the thread that listens on it; this thread stays the same in every config. */
  readonly #givenTo = new Map<number, number>();

  constructor({ topics, links }: Pick<MainMessages, "topics" | "links">, log: Logger) {
    this.#log = log;
    this.#links = links;
    topics.on(reserveTopic, (value) => {
      const { thread, address } = value as PortRequest;
      return this.#reserve(thread, address);
    });
    topics.on(openedTopic, (value) => this.#opened((value as PortRequest).address));
    topics.on(releaseTopic, (value) => {
      const { thread, address } = value as PortRequest;
      this.#release(thread, address);
    });
  }

  reserve<Address extends PortAddress>(address: Address): Promise<PortGrant<Address>> {
    return this.#reserve(0, address);
  }

  opened(address: PortAddress): void {
    this.#opened(address);
  }

  release(address: PortAddress): void {
    this.#release(0, address);
  }

  list(): string[] {
    return [...this.#entries.values()].map(({ bound }) => bound).filter((text) => !isUdp(text));
  }

  /**
   * Must be called when a thread died. If the dead thread listened for all threads, another thread takes over.
   * @returns addresses that are lost permanently: inherited sockets
   */
  threadDied(thread: number): string[] {
    for (const entry of this.#entries.values()) {
      const { address, threads, died } = entry;
      if (!threads.has(thread)) {
        continue;
      }
      const listened = address.network === "unix" && this.#owner(entry) === thread;
      died.add(thread);
      if (threads.size === 1) {
        continue; // no other thread listens: the successor finds the entry unchanged
      }
      threads.delete(thread);
      if (listened) {
        this.#handOver(entry);
      }
    }
    const lost = [...this.#givenTo].filter(([, owner]) => owner === thread).map(([fd]) => fd);
    for (const fd of lost) {
      this.#givenTo.set(fd, nobody);
    }
    return lost.map((fd) => formatListenAddress({ network: "fd", fd }));
  }

  /**
   * The TCP addresses that are open, or were open until their last thread died: as configured, and with the actual
   * port.
   */
  tcpAddresses(): { readonly configured: ListenAddress; readonly bound: ListenAddress }[] {
    return [...this.#entries.values()].flatMap(({ address, boundPort }) =>
      address.network === "tcp" && boundPort !== 0
        ? [{ configured: address, bound: { ...address, port: boundPort } }]
        : [],
    );
  }

  /**
   * Makes a thread also accept connections over a private socket. @param path path of the private socket; "" ends this.
   * @throws ServerError LISTEN, THREAD
   */
  async relay(thread: number, address: PortAddress, path: string): Promise<void> {
    await this.#links.get(thread)?.ask(relayTopic, { address, path } satisfies RelayRequest);
  }

  /**
   * Makes threads end a share of their connections, because more threads listen now.
   * @param part share of the connections, 0 to 1
   */
  async share(threads: readonly number[], part: number): Promise<void> {
    await Promise.allSettled(threads.map((thread) => this.#links.get(thread)?.ask(shareTopic, part)));
  }

  /** Must be called when a restarted thread runs its config: the thread loses addresses that it did not open again. */
  threadServes(thread: number): void {
    for (const { address, died } of [...this.#entries.values()]) {
      if (died.delete(thread)) {
        this.#drop(thread, address);
      }
    }
  }

  #handOver(entry: Entry): void {
    const next = this.#owner(entry);
    this.#links
      .get(next)
      ?.ask(takeOverTopic, entry.address)
      .catch((error: unknown) => {
        if (error instanceof ServerError && error.code === "THREAD_DIED") {
          return; // the address has a new owner, or the thread's successor listens
        }
        this.#log.error(`worker ${next} cannot take over ${entry.bound}: ${messageOf(error)}`);
      });
  }

  /** The thread that listens for all on an address that cannot be shared. */
  #owner({ address, threads }: Entry): number {
    const [first = 0] = threads.keys();
    if (address.network !== "fd") {
      return first;
    }
    const owner = this.#givenTo.get(address.fd) ?? first;
    this.#givenTo.set(address.fd, owner);
    return owner;
  }

  async #reserve<Address extends PortAddress>(thread: number, address: Address): Promise<PortGrant<Address>> {
    const key = formatListenAddress(address);
    let entry = this.#entries.get(key);
    if (entry === undefined) {
      entry = {
        address,
        port: this.#findPort(address),
        bound: key,
        boundPort: 0,
        announced: false,
        threads: new Map(),
        died: new Set(),
      };
      this.#entries.set(key, entry);
    }
    // Listeners of a thread that died ended with it.
    const before = entry.died.delete(thread) ? 0 : (entry.threads.get(thread) ?? 0);
    entry.threads.set(thread, before + 1);
    const owner = this.#owner(entry);
    try {
      const port = await entry.port;
      entry.bound = boundAddress(address, port);
      entry.boundPort = port;
      const granted = isNumbered(address) ? { ...address, port } : address;
      return {
        reusePort: isNumbered(address),
        address: granted,
        listen: isNumbered(address) || owner === thread,
      };
    } catch (error) {
      this.#entries.delete(key);
      throw error;
    }
  }

  #opened(address: PortAddress): void {
    const entry = this.#entries.get(formatListenAddress(address));
    if (entry?.announced === false) {
      entry.announced = true;
      this.#log.info(`serving HTTP on ${entry.bound}`);
    }
  }

  #release(thread: number, address: PortAddress): void {
    const threads = this.#entries.get(formatListenAddress(address))?.threads;
    const listeners = threads?.get(thread) ?? 0;
    if (listeners > 1) {
      threads?.set(thread, listeners - 1);
    } else {
      this.#drop(thread, address);
    }
  }

  /** Takes the address from all listeners of a thread. */
  #drop(thread: number, address: PortAddress): void {
    const key = formatListenAddress(address);
    const entry = this.#entries.get(key);
    entry?.threads.delete(thread);
    if (entry?.threads.size === 0) {
      this.#entries.delete(key);
      if (entry.announced) {
        this.#log.info(`no longer serving on ${entry.bound}`);
      }
    }
  }

  /**
   * Opens the address without sharing to find its port. If a thread already uses the port for another address, this
   * test is skipped.
   */
  async #findPort(address: PortAddress): Promise<number> {
    if (!isNumbered(address)) {
      return 0;
    }
    const held = [...this.#entries.values()].some(
      (entry) => entry.address.network === address.network && entry.bound.endsWith(`:${address.port}`),
    );
    if (held && address.port !== 0) {
      return address.port;
    }
    if (address.network === "udp") {
      const { openUdpPort } = await import("./open-udp-port.ts"); // few servers speak HTTP/3
      const socket = await openUdpPort(address);
      const { port } = socket.address();
      await new Promise<void>((resolve) => socket.close(resolve));
      return port;
    }
    const probe = createServer();
    const port = await openPort(probe, address);
    await new Promise((resolve) => probe.close(resolve));
    return port;
  }
}

/** Ports in a worker thread, which asks the main thread. */
export class WorkerPorts implements PortSource {
  readonly #messages: ThreadMessages;
  readonly #log: Logger;
  /** The functions of each address's listeners, newest last. */
  readonly #hooks = new Map<string, ListenerHooks[]>();

  constructor(messages: ThreadMessages, log: Logger) {
    this.#messages = messages;
    this.#log = log;
    messages.on(takeOverTopic, (value) =>
      this.#hooks
        .get(formatListenAddress(value as PortAddress))
        ?.at(-1)
        ?.takeOver(),
    );
    messages.on(relayTopic, (value) => {
      const { address, path } = value as RelayRequest;
      const hooks = this.#hooks.get(formatListenAddress(address))?.at(-1);
      if (hooks === undefined) {
        throw new ServerError("LISTEN", "no listener has this address any more");
      }
      return hooks.relayFrom(path);
    });
    messages.on(shareTopic, (value) => {
      for (const hooks of [...this.#hooks.values()].flat()) {
        hooks.share?.(value as number);
      }
    });
  }

  async reserve<Address extends PortAddress>(
    address: Address,
    hooks?: ListenerHooks,
  ): Promise<PortGrant<Address>> {
    if (hooks !== undefined) {
      const key = formatListenAddress(address);
      this.#hooks.set(key, [...(this.#hooks.get(key) ?? []), hooks]);
    }
    const request: PortRequest = { thread: this.#messages.thread, address };
    return (await this.#messages.askMain(reserveTopic, request)) as PortGrant<Address>;
  }

  opened(address: PortAddress): void {
    this.#tell(openedTopic, address);
  }

  release(address: PortAddress, hooks?: ListenerHooks): void {
    const key = formatListenAddress(address);
    const others = (this.#hooks.get(key) ?? []).filter((other) => other !== hooks);
    if (others.length === 0) {
      this.#hooks.delete(key);
    } else {
      this.#hooks.set(key, others);
    }
    this.#tell(releaseTopic, address);
  }

  list(): string[] {
    throw new ServerError("THREAD", "only the main thread knows all ports");
  }

  #tell(topic: string, address: PortAddress): void {
    const request: PortRequest = { thread: this.#messages.thread, address };
    this.#messages.askMain(topic, request).catch((error: unknown) => {
      this.#log.warn(`${topic} ${formatListenAddress(address)}: ${messageOf(error)}`);
    });
  }
}
