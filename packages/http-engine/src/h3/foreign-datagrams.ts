import type { PeerAddress } from "http-protocols/quic";
import type { ThreadMessages } from "server-core/threads/thread-messages";

/**
 * Datagrams that are handed over in one turn. More are dropped, as a full socket drops them: anybody can send
 * forged ones.
 */
const maxWaiting = 256;

interface ForeignDatagram {
  readonly bytes: Uint8Array;
  readonly from: PeerAddress;
}

/**
 * Hands datagrams of one listener to the threads that have their connections. The system chooses the thread by the addresses of a
 * datagram, so this happens where a client moves, and where a thread ends or begins.
 */
export class ForeignDatagrams {
  readonly #topic: string;
  readonly #messages: ThreadMessages;
  readonly #take: (datagram: Buffer, from: PeerAddress) => void;
  readonly #waiting = new Map<number, ForeignDatagram[]>();
  #count = 0;

  /**
   * @param listener names it in all threads
   * @param messages of the process, which outlive configs
   * @param take gets what other threads hand over to this one
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

  /** Takes what other threads hand over. @param messages of a config, which end with it */
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
    // A copy: a view would be sent with all the memory behind it.
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
