import { type ClientHttp2Session, connect as connectHttp2, constants } from "node:http2";
import { connect, type Socket } from "node:net";

/** A client's view of a request: the status (0 for none), and if the response was complete. */
export interface Outcome {
  readonly status: number;
  readonly whole: boolean;
}

/** Behaviour of a client of HTTP/1. */
export const clientWays = ["whole", "reset", "bad-chunk", "stalls", "gone", "half-closed"] as const;
export type ClientWay = (typeof clientWays)[number];

/** No request may hang: a request without an answer for this many milliseconds is suspected. */
const suspectMs = 15_000;
/**
 * A request hangs when this many later requests, one after another, were answered before it; a busy machine answers
 * none of them.
 */
const laterAnswers = 20;

/** Calls back once a request that was not answered for long hangs. @returns ends the watch */
function watchForHang(port: number, hangs: () => void): () => void {
  let isOver = false;
  const timer = setTimeout(async () => {
    for (let count = 0; count < laterAnswers && !isOver; count++) {
      const later = new Sibling(port);
      await later.ask();
      later.close();
    }
    if (!isOver) {
      hangs();
    }
  }, suspectMs);
  return () => {
    isOver = true;
    clearTimeout(timer);
  };
}

/**
 * A target with `plain` is requested without content codings: proxies then ask for gzip themselves and decompress it.
 */
function head(target: string, more: string): string {
  const codings = target.includes("plain") ? "" : "Accept-Encoding: saboteur, gzip\r\n";
  return `POST ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${codings}${more}\r\n`;
}
const chunked = "Transfer-Encoding: chunked\r\n";

const sent: Readonly<Record<ClientWay, (socket: Socket, target: string) => void>> = {
  whole(socket, target) {
    socket.write(head(target, chunked));
    setTimeout(() => socket.write("3\r\nabc\r\n3\r\ndef\r\n0\r\n\r\n"), 2);
  },
  reset(socket, target) {
    socket.write(`${head(target, "Content-Length: 100\r\n")}abc`);
    setTimeout(() => socket.resetAndDestroy(), 10);
  },
  "bad-chunk": (socket, target) => socket.write(`${head(target, chunked)}3\r\nabc\r\nZZ\r\n`),
  stalls: (socket, target) => {
    socket.write(`${head(target, "Content-Length: 6\r\n")}abc`);
    setTimeout(() => socket.end(), 400);
  },
  gone(socket, target) {
    socket.write(`${head(target, "Content-Length: 6\r\n")}abcdef`);
    socket.once("data", () => socket.resetAndDestroy());
    setTimeout(() => socket.destroy(), 50);
  },
  "half-closed": (socket, target) => socket.end(`${head(target, "Content-Length: 6\r\n")}abcdef`),
};

/** Sends one request on a new connection. Rejects when the request hangs. */
export function attack(port: number, target: string, way: ClientWay): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
    let text = "";
    const isOver = watchForHang(port, () => {
      reject(new Error(`${target} hangs for a client that ${way}: ${JSON.stringify(text.slice(0, 200))}`));
      socket.destroy();
    });
    socket.on("connect", () => sent[way](socket, target));
    socket.on("data", (chunk: Buffer) => {
      text += chunk.toString("latin1");
    });
    socket.on("error", () => {});
    socket.on("end", () => socket.end());
    socket.on("close", () => {
      isOver();
      const status = Number(/^HTTP\/1\.1 (\d+)/.exec(text)?.[1] ?? 0);
      const length = /\r\nContent-Length: (\d+)\r\n/i.exec(text)?.[1];
      const body = text.length - text.indexOf("\r\n\r\n") - 4;
      const whole = length === undefined ? text.endsWith("\r\n0\r\n\r\n") : body >= Number(length);
      resolve({ status, whole });
    });
  });
}

/** A connection of HTTP/2 for many requests. */
export class H2Client {
  readonly session: ClientHttp2Session;
  readonly #port: number;

  constructor(port: number) {
    this.#port = port;
    this.session = connectHttp2(`http://127.0.0.1:${port}`);
    this.session.on("error", () => {});
  }

  /** @param resets true: the upload is reset in the middle. Rejects when the request hangs */
  attack(target: string, resets: boolean): Promise<Outcome> {
    return new Promise((resolve, reject) => {
      const stream = this.session.request(
        { ":method": "POST", ":path": target, "accept-encoding": "saboteur, gzip" },
        { endStream: false },
      );
      let status = 0;
      let ended = false;
      const isOver = watchForHang(this.#port, () => reject(new Error(`${target} hangs over HTTP/2`)));
      stream.on("response", (headers) => {
        status = Number(headers[":status"]);
      });
      stream.on("end", () => {
        ended = true;
      });
      stream.on("error", () => {});
      stream.on("close", () => {
        isOver();
        resolve({ status, whole: ended && stream.rstCode === constants.NGHTTP2_NO_ERROR });
      });
      stream.resume();
      stream.write("abc");
      if (resets) {
        setTimeout(() => stream.close(constants.NGHTTP2_CANCEL), 5);
      } else {
        setTimeout(() => stream.end("def"), 2);
      }
    });
  }

  close(): void {
    this.session.destroy();
  }
}

/** A connection that sends requests repeatedly, and must not notice any fault. */
export class Sibling {
  readonly #socket: Socket;
  #text = "";
  #wake = () => {};
  #isLost = false;

  constructor(port: number) {
    this.#socket = connect(port, "127.0.0.1");
    this.#socket.on("data", (chunk: Buffer) => {
      this.#text += chunk.toString("latin1");
      this.#wake();
    });
    this.#socket.on("error", () => {});
    this.#socket.on("close", () => {
      this.#isLost = true;
      this.#wake();
    });
  }

  /** @returns the body of the answer; "lost" when the connection is gone */
  async ask(): Promise<string> {
    this.#text = "";
    this.#socket.write("GET /ka HTTP/1.1\r\nHost: x\r\n\r\n");
    while (!this.#isLost && !this.#text.endsWith("\r\n\r\nka")) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    return this.#isLost ? "lost" : "ka";
  }

  close(): void {
    this.#socket.destroy();
  }
}
