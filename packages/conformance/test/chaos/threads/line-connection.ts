import { once } from "node:events";
import { connect, type Socket } from "node:net";

/** A response of HTTP/1. */
export interface LineAnswer {
  readonly status: number;
  /** Number of the thread that answered. */
  readonly thread: string;
  readonly body: string;
}

/** A connection of HTTP/1 that sends one request after another, and can become a tunnel. */
export class LineConnection {
  readonly socket: Socket;
  #received = "";
  #ended: Error | undefined;
  #wake = () => {};

  private constructor(socket: Socket) {
    this.socket = socket;
    socket.on("data", (chunk) => {
      this.#received += chunk.toString("latin1");
      this.#wake();
    });
    const end = (error: Error) => {
      this.#ended ??= error;
      this.#wake();
    };
    socket.on("error", end);
    socket.on("close", () => end(new Error("the server closed the connection")));
  }

  /** @throws the error when the connection is refused */
  static async open(port: number): Promise<LineConnection> {
    const socket = connect(port, "127.0.0.1");
    await once(socket, "connect");
    return new LineConnection(socket);
  }

  /** Waits for a pattern in the received text. @returns the match. @throws when the connection ends earlier */
  async upTo(pattern: RegExp): Promise<RegExpExecArray> {
    for (;;) {
      const match = pattern.exec(this.#received);
      if (match !== null) {
        this.#received = this.#received.slice(match.index + match[0].length);
        return match;
      }
      if (this.#ended !== undefined) {
        throw this.#ended;
      }
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  /** Requests a target whose answer has a length, or is one chunk. */
  async ask(target: string): Promise<LineAnswer> {
    const [head] = await this.head(target);
    const length = /content-length: (\d+)/i.exec(head)?.[1];
    const pattern =
      length === undefined ? /^[0-9a-f]+\r\n([^\r]*)\r\n0\r\n\r\n/ : new RegExp(`^([\\s\\S]{${length}})`);
    const body = (await this.upTo(pattern))[1] ?? "";
    return { status: Number(head.slice(9, 12)), thread: threadOf(head), body };
  }

  /** Sends a request and reads the head of its answer. */
  async head(target: string, fields = ""): Promise<[head: string, thread: string]> {
    this.socket.write(`GET ${target} HTTP/1.1\r\nHost: site\r\n${fields}\r\n`);
    const head = (await this.upTo(/^[\s\S]*?\r\n\r\n/))[0];
    return [head, threadOf(head)];
  }

  close(): void {
    this.socket.destroy();
  }
}

function threadOf(head: string): string {
  return /x-thread: (\d+)/i.exec(head)?.[1] ?? "";
}
