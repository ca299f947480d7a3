import type { PeerAddress } from "http-protocols/quic";
import type { ThreadMessages } from "server-core/threads/thread-messages";

/**
 * Maximum number of datagrams handed over in one turn of the event loop. Further ones are dropped, as by a full socket.
 * Without the limit, forged datagrams would fill the memory.
 */
const maxWaiting = 256;

interface ForeignDatagram {
  readonly bytes: Uint8Array;
  readonly from: PeerAddress;
}

/**
 * Hands datagrams of one listener to the threads that own the connections. The system chooses the thread by the
 * addresses of a datagram. A wrong thread gets it after a client has moved, or after a thread has ended or begun.
 */
export class ForeignDatagrams {
  readonly #topic: string;
  readonly #messages: ThreadMessages;
  readonly #take: (datagram: Buffer, from: PeerAddress) => void;
  readonly #waiting = new Map<number, ForeignDatagram[]>();
  #count = 0;

  /**
   * @param listener name of the listener, the same in all threads
   * @param messages channel to the other threads, which outlives configs
   * @param take called with each datagram that another thread hands over
   */
  constructor(
    listener: string,
    messages: ThreadMessages,
    take: (datagram: Buffer, from: PeerAddress) => void,
  ) {
    this.#topic = `http3.datagrams/${listener}`;
    this.#messages = messages;
    this.#take = take;
  }

  /** Listens for datagrams of other threads. @param messages channel of a config, which ends with this config */
  listen(messages: ThreadMessages): void {
    messages.on(this.#topic, (datagrams) => {
      for (const { bytes, from } of datagrams as readonly ForeignDatagram[]) {
        this.#take(Buffer.from(bytes.buffer as ArrayBuffer, bytes.byteOffset, bytes.length), from);
      }
    });
  }

  handOver(thread: number, datagram: Uint8Array, from: PeerAddress): void {
    if (this.#count === maxWaiting) {
      return;
    }
    if (this.#count === 0) {
      setImmediate(() => this.#flush());
    }
    this.#count++;
    const waiting = this.#waiting.get(thread) ?? [];
    // Makes a copy, because a view would be sent with its whole buffer.
    waiting.push({ bytes: new Uint8Array(datagram), from });
    this.#waiting.set(thread, waiting);
  }

  #flush(): void {
    for (const [thread, datagrams] of this.#waiting) {
      this.#messages.tell(thread, this.#topic, datagrams);
    }
    this.#waiting.clear();
    this.#count = 0;
  }
}
