import { sleep } from "../client/http1-exchange.ts";
import { reset } from "./reset.ts";
import type { UpstreamExchange } from "./upstream-exchange.ts";

type Behaviour = (exchange: UpstreamExchange) => Promise<void> | void;

/** Sends bytes after the whole request, and then ends the connection. */
const endsWith =
  (bytes: string): Behaviour =>
  async ({ socket, wholeRequest }) => {
    if (await wholeRequest()) {
      socket.end(bytes, "latin1");
    }
  };

/** Sends bytes after the whole request, and then waits. */
const sends =
  (bytes: string): Behaviour =>
  async ({ socket, wholeRequest }) => {
    if (await wholeRequest()) {
      socket.write(bytes, "latin1");
    }
  };

const field = (line: string) => endsWith(`HTTP/1.1 200 OK\r\n${line}\r\nContent-Length: 2\r\n\r\nok`);

/** Invalid first lines, by the behaviour's argument. */
const startLines: Readonly<Record<string, string>> = {
  word: "HTTP/1.1 abc OK",
  small: "HTTP/1.1 99 Small",
  large: "HTTP/1.1 1000 Large",
  six: "HTTP/1.1 600 Six",
  nine: "HTTP/1.1 999 Nine",
  version: "HTTP/2.0 200 OK",
  old: "HTTP/0.9 200 OK",
  garbage: "what is this",
  blank: " HTTP/1.1 200 OK",
  signed: "HTTP/1.1 +20 OK",
};

/** Invalid fields, by the behaviour's argument. */
const fieldLines: Readonly<Record<string, string>> = {
  space: "X Bad: v",
  colon: "X-Bad : v",
  none: "NoColon",
  nul: "X-Nul: a\0b",
  fold: "X-Fold: a\r\n b",
  latin: "X-Latin: caf\xe9",
  utf8: "X-Utf: caf\xc3\xa9",
  empty: ": v",
  control: "X-Control: a\x01b",
  lengths: "Content-Length: 3",
  negative: "Content-Length: -1",
  both: "Transfer-Encoding: chunked",
  coding: "Transfer-Encoding: gzip, chunked",
  unknown: "Transfer-Encoding: odd",
};

/** Behaviours of broken upstreams. */
export const brokenBehaviours: Readonly<Record<string, Behaviour>> = {
  nothing: async ({ socket, wholeRequest }) => {
    if (await wholeRequest()) {
      socket.end();
    }
  },
  reset: async ({ socket, wholeRequest }) => {
    if (await wholeRequest()) {
      reset(socket);
    }
  },
  "reset-early": ({ socket }) => {
    reset(socket);
  },
  "half-head": endsWith("HTTP/1.1 200 OK\r\nContent-Ty"),
  cut: endsWith("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 100\r\n\r\nonly this"),
  "cut-chunked": endsWith(
    "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nTransfer-Encoding: chunked\r\n\r\n9\r\nonly this\r\n",
  ),
  "cut-reset": async ({ socket, wholeRequest }) => {
    if (!(await wholeRequest())) {
      return;
    }
    socket.write("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 100\r\n\r\nonly this");
    await sleep(15);
    reset(socket);
  },
  "bad-chunk": endsWith(
    "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nonly this\r\n",
  ),
  more: endsWith(
    "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 4\r\n\r\nonly this and more",
  ),
  "body-of-204": endsWith("HTTP/1.1 204 No Content\r\nContent-Length: 4\r\n\r\nbody"),
  "body-of-304": endsWith('HTTP/1.1 304 Not Modified\r\nContent-Length: 4\r\nEtag: "e"\r\n\r\nbody'),
  "tunnel-unasked": endsWith(
    "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: odd\r\n\r\nbytes",
  ),
  start: (exchange) =>
    endsWith(`${startLines[exchange.argument] ?? "HTTP/1.1"}\r\nContent-Length: 2\r\n\r\nok`)(exchange),
  field: (exchange) => field(fieldLines[exchange.argument] ?? "X: y")(exchange),
  gzipped: sends(
    "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Encoding: gzip\r\nContent-Length: 8\r\n\r\nnot gzip",
  ),
  interims: async ({ socket, wholeRequest }) => {
    if (!(await wholeRequest())) {
      return;
    }
    for (let count = 0; count < 3; count++) {
      socket.write("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n");
    }
    socket.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
  },
};

export const oddStartLines: readonly string[] = Object.keys(startLines);
export const oddFieldLines: readonly string[] = Object.keys(fieldLines);
