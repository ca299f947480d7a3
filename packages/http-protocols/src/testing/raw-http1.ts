import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { onTestFinished } from "vitest";
import type { ServerLimits } from "../http1-server/connection-owner.ts";
import { type Http1Handler, Http1Server } from "../http1-server/http1-server.ts";

const usualLimits: ServerLimits = {
  idleTimeoutMs: 0,
  firstByteTimeoutMs: 0,
  readHeaderTimeoutMs: 0,
  readTimeoutMs: 0,
  maxHeaderBytes: 16 * 1024,
  maxDroppedBytes: 1024 * 1024,
};

/** A server under test, with what its handler threw. */
export interface TestServer {
  readonly server: Http1Server;
  readonly listener: Server;
  readonly port: number;
  readonly faults: unknown[];
}

/** Opens a server, which the test's end cuts. */
export async function openHttp1(
  handler: Http1Handler,
  limits: Partial<ServerLimits> = {},
): Promise<TestServer> {
  const listener = createServer({ allowHalfOpen: true, noDelay: true });
  const faults: unknown[] = [];
  const server = new Http1Server(listener, {
    limits: { ...usualLimits, ...limits },
    handler,
    onFault: (error) => faults.push(error),
  });
  listener.listen(0, "127.0.0.1");
  await once(listener, "listening");
  onTestFinished(() => server.stop(AbortSignal.abort()));
  return { server, listener, port: (listener.address() as AddressInfo).port, faults };
}

/** A client that writes bytes and keeps what it reads. */
export class RawClient {
  readonly socket: Socket;
  /** All bytes that were read, one character each. */
  seen = "";

  constructor(port: number, allowHalfOpen = true) {
    this.socket = connect({ port, host: "127.0.0.1", noDelay: true, allowHalfOpen });
    this.socket.on("data", (chunk: Buffer) => {
      this.seen += chunk.toString("latin1");
    });
    this.socket.on("error", () => {});
    onTestFinished(() => void this.socket.destroy());
  }

  write(text: string | Buffer): void {
    this.socket.write(text, "latin1");
  }

  /** Waits until the text read so far matches. Fails when the connection closes before. */
  async until(pattern: RegExp): Promise<string> {
    while (!pattern.test(this.seen)) {
      if (this.socket.readableEnded || this.socket.destroyed) {
        throw new Error(`the connection ended after ${JSON.stringify(this.seen.slice(-500))}`);
      }
      await Promise.race([once(this.socket, "data"), once(this.socket, "close"), once(this.socket, "end")]);
    }
    return this.seen;
  }

  /** @returns all that was read when the server has ended its side */
  async end(): Promise<string> {
    if (!this.socket.readableEnded && !this.socket.destroyed) {
      await Promise.race([once(this.socket, "end"), once(this.socket, "close")]);
    }
    this.socket.end();
    return this.seen;
  }
}

/** Sends bytes, and returns all that comes back until the server closes. */
export async function rawAnswer(port: number, bytes: string): Promise<string> {
  const client = new RawClient(port);
  client.write(bytes);
  return await client.end();
}

/** The statuses of responses in a text. */
export function statusesOf(answer: string): number[] {
  return [...answer.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map((match) => Number(match[1]));
}

/** The whole body of a request as text. @throws Http1Error */
export function bodyOf(request: Parameters<Http1Handler>[0]): Promise<string> {
  let text = "";
  return new Promise((resolve, reject) => {
    request.readBody({
      data(chunk) {
        text += chunk.toString("latin1");
      },
      end: () => resolve(text),
      fail: reject,
    });
  });
}
