import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";

/**
 * Ways in which the upstream misbehaves, by a name in the request's target. Without such a name, it answers normally.
 */
const answers: Readonly<Record<string, (socket: Socket) => void>> = {
  "reset-at-once": (socket) => socket.resetAndDestroy(),
  "close-at-once": (socket) => socket.destroy(),
  garbage: (socket) => socket.end("\0\x01\x02 this is no protocol\r\n\r\n"),
  "half-head": (socket) => socket.end("HTTP/1.1 200 OK\r\nContent-Len"),
  "reset-after-head": (socket) => {
    socket.write("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 100\r\n\r\n");
    setTimeout(() => socket.resetAndDestroy(), 5);
  },
  "short-body": (socket) =>
    socket.end("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 100\r\n\r\nhalf"),
  "bad-chunk": (socket) =>
    socket.end(
      "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\nZZ\r\n",
    ),
  "bad-gzip": (socket) =>
    socket.end(
      "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Encoding: gzip\r\nContent-Length: 7\r\n\r\nno gzip",
    ),
  "odd-interim": (socket) =>
    socket.end(
      "HTTP/1.1 103 X\r\nConnection: x\r\nA\xff: \x80\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
    ),
  "too-much": (socket) => socket.end("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nmore than two"),
  "late-reset": (socket) => {
    socket.write(
      "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n",
    );
    setTimeout(() => socket.resetAndDestroy(), 20);
  },
};

export const misbehaviours = Object.keys(answers);

const good =
  "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 4\r\nConnection: close\r\n\r\ngood";

/** True when a request and its body are complete, as far as this upstream reads bodies. */
function isWhole(text: string): boolean {
  const head = text.indexOf("\r\n\r\n") + 4;
  const length = /\r\nContent-Length: (\d+)\r\n/i.exec(text)?.[1];
  const isChunked = /\r\nTransfer-Encoding: chunked\r\n/i.test(text);
  return head > 3 && (isChunked ? text.endsWith("\r\n0\r\n\r\n") : text.length - head >= Number(length ?? 0));
}

/** True for FastCGI, which the upstream answers with invalid bytes. */
function isFastcgi(text: string): boolean {
  return text.startsWith("\x01");
}

/** For tests: an upstream that breaks the protocol as the target of each request asks for. */
export async function startBadUpstream(): Promise<{ readonly address: string; close(): void }> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
    socket.on("error", () => {});
    let text = "";
    let isAnswered = false;
    socket.on("data", (bytes: Buffer) => {
      text += bytes.toString("latin1");
      const name = misbehaviours.find((each) => text.includes(`upstream=${each}`));
      if (!isAnswered && (name !== undefined || isFastcgi(text) || isWhole(text))) {
        isAnswered = true;
        if (name === undefined) {
          socket.end(good);
        } else {
          answers[name]?.(socket);
        }
      }
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    close() {
      server.close();
      for (const socket of sockets) {
        socket.destroy();
      }
    },
  };
}
