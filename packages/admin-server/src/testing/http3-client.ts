import { randomBytes, type X509Certificate } from "node:crypto";
import { createSocket, type Socket } from "node:dgram";
import { once } from "node:events";
import {
  type FrameHandler,
  frameTypes,
  Http3FrameReader,
} from "../../../http-protocols/src/http3/frame-reader.ts";
import { decodeFieldSection } from "../../../http-protocols/src/http3/qpack-decoder.ts";
import { FieldSectionWriter } from "../../../http-protocols/src/http3/qpack-encoder.ts";
import {
  encodeControlStream,
  encodeDataHead,
  encodeFrame,
} from "../../../http-protocols/src/http3/settings.ts";
import { defaultSettings } from "../../../http-protocols/src/quic/connection/settings.ts";
import { type CloseReason, Connection } from "../../../http-protocols/src/quic/index.ts";
import type { QuicStream, StreamHandler } from "../../../http-protocols/src/quic/streams/quic-stream.ts";
import {
  ClientHandshake,
  type ClientHandshakeOptions,
  type ClientTicket,
} from "../../../http-protocols/src/testing/client-handshake.ts";

export interface Http3TestClientOptions extends Partial<Pick<ClientHandshakeOptions, "certificate">> {
  readonly serverName?: string;
  readonly address?: string;
  readonly ticket?: ClientTicket | undefined;
}

export interface Http3Ask {
  readonly method?: string;
  readonly path?: string;
  readonly authority?: string;
  readonly headers?: readonly (readonly [name: string, value: string])[];
  readonly pseudo?: readonly (readonly [name: string, value: string])[];
  readonly body?: Buffer;
}

export interface Http3Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Statuses of interim responses. */
  readonly interim: readonly number[];
  readonly trailers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  readonly text: string;
}

/** Sends immediately, even before a `close`, because peers are addresses, not names. */
function newSocket(address: string): Socket {
  const family = address.includes(":") ? 6 : 4;
  return createSocket({
    type: `udp${family}`,
    recvBufferSize: 1_048_576,
    lookup: (host, _, answer) => answer(null, host, family),
  });
}

const newId = () => ({ id: randomBytes(8), resetToken: randomBytes(16) });

/** One request of the client and its answer. */
export class Http3TestRequest implements StreamHandler, FrameHandler {
  readonly stream: QuicStream;
  readonly #reader = new Http3FrameReader(this, 1_048_576);
  readonly #answer = Promise.withResolvers<Http3Answer>();
  readonly #head = Promise.withResolvers<void>();
  readonly #sections: Record<string, string>[] = [];
  readonly chunks: Buffer[] = [];
  /** True: bytes of the answer are read immediately. */
  reads = true;

  constructor(
    stream: QuicStream,
    { method = "GET", path = "/", authority = "a.localhost", ...ask }: Http3Ask,
  ) {
    this.stream = stream;
    stream.handler = this;
    const writer = new FieldSectionWriter();
    const usual = [
      [":method", method],
      [":scheme", "https"],
      [":authority", authority],
      [":path", path],
    ] as const;
    for (const [name, value] of [...(ask.pseudo ?? usual), ...(ask.headers ?? [])]) {
      writer.add(name, value);
    }
    stream.write(encodeFrame(frameTypes.headers, writer.written));
    this.#answer.promise.catch(() => {});
    this.#head.promise.catch(() => {});
  }

  /** Resolves with the head of the final response. */
  get head(): Promise<void> {
    return this.#head.promise;
  }

  /** Rejects with the code of a stream that was reset, or of the connection that closed. */
  get answer(): Promise<Http3Answer> {
    return this.#answer.promise;
  }

  write(bytes: Buffer): void {
    this.stream.write(encodeDataHead(bytes.length));
    this.stream.write(bytes);
  }

  onData(bytes: Buffer): void {
    this.#reader.push(bytes);
  }

  onEnd(): void {
    const at = this.#sections.findIndex((section) => Number(section[":status"]) >= 200);
    const { ":status": status, ...headers } = this.#sections[at] ?? {};
    const body = Buffer.concat(this.chunks);
    this.#answer.resolve({
      status: Number(status),
      headers,
      interim: this.#sections.slice(0, at).map((section) => Number(section[":status"])),
      trailers: this.#sections[at + 1] ?? {},
      body,
      text: body.toString("latin1"),
    });
  }

  onReset(code: number): void {
    this.fail(code);
  }

  fail(code: number): void {
    const error = new Error(`0x${code.toString(16)}`);
    this.#answer.reject(error);
    this.#head.reject(error);
  }

  onStopSending(): void {}
  onWritable(): void {}
  onFrame(): void {}
  onIdleFrame(): void {}

  onBody(bytes: Buffer): void {
    this.chunks.push(Buffer.from(bytes));
    if (this.reads) {
      this.stream.consume(bytes.length);
    }
  }

  onPayload(_type: number, payload: Buffer | undefined): void {
    const fields = decodeFieldSection(payload ?? Buffer.alloc(0), 1_048_576) ?? [];
    this.#sections.push(Object.fromEntries(fields.map(({ name, value }) => [name, value])));
    if (Number(this.#sections.at(-1)?.[":status"]) >= 200) {
      this.#head.resolve();
    }
  }

  onConsumed(bytes: number): void {
    this.stream.consume(bytes);
  }
}

/** A client of HTTP/3 over UDP, for tests. The client trusts every certificate. */
export class Http3TestClient {
  readonly #server: { readonly address: string; readonly port: number };
  #socket: Socket;
  #connection!: Connection;
  #handshake!: ClientHandshake;
  #timer: NodeJS.Timeout | undefined;
  readonly #requests = new Set<Http3TestRequest>();
  #control: QuicStream | undefined;
  readonly #connected = Promise.withResolvers<void>();
  /** Why the connection ended. */
  readonly closed = Promise.withResolvers<CloseReason>();
  /** True after a GOAWAY frame. */
  isLeaving = false;
  #isOver = false;

  private constructor(socket: Socket, server: { readonly address: string; readonly port: number }) {
    this.#socket = socket;
    this.#server = server;
  }

  /** @throws the error that ended the handshake */
  static async connect(
    site: string | number,
    { serverName = "a.localhost", address = "127.0.0.1", ...handshake }: Http3TestClientOptions = {},
  ): Promise<Http3TestClient> {
    const port = Number(/\d+$/.exec(String(site))?.[0]);
    const client = new Http3TestClient(newSocket(address), {
      address,
      port,
    });
    await client.#bind();
    client.#open({ serverName, ...handshake });
    await client.#connected.promise;
    return client;
  }

  /** The last ticket from the server. */
  get ticket(): ClientTicket | undefined {
    return this.#handshake.ticket;
  }

  /** Names of authorities, DER, that the server asked the client's certificate to be of. */
  get authorities(): readonly Buffer[] {
    return this.#handshake.authorities;
  }

  get certificate(): X509Certificate | undefined {
    return this.#handshake.certificate;
  }

  request(ask: Http3Ask = {}): Http3TestRequest {
    const stream = this.#connection.openStream("bidi");
    if (stream === undefined) {
      throw new Error("no stream is allowed");
    }
    const request = new Http3TestRequest(stream, ask);
    this.#requests.add(request);
    return request;
  }

  /** Sends a whole request. */
  ask(ask: Http3Ask = {}): Promise<Http3Answer> {
    const request = this.request(ask);
    if (ask.body !== undefined) {
      request.write(ask.body);
    }
    request.stream.end();
    this.flush();
    return request.answer;
  }

  /** Sends a frame of a type that means nothing, so that the server gets a packet. Source: RFC 9114, section 7.2.8 */
  ping(): void {
    this.#control?.write(encodeFrame(0x21, Buffer.alloc(0)));
    this.flush();
  }

  /** Goes on from another port, as a client whose network gives it one. */
  async rebind(): Promise<void> {
    const old = this.#socket;
    this.#socket = newSocket(this.#server.address);
    await this.#bind();
    old.close();
  }

  flush(): void {
    if (this.#isOver) {
      return;
    }
    for (const { bytes } of this.#connection.takeDatagrams(performance.now())) {
      this.#socket.send(Buffer.from(bytes), this.#server.port, this.#server.address, () => {});
    }
    clearTimeout(this.#timer);
    const deadline = this.#connection.deadline();
    if (deadline !== undefined) {
      this.#timer = setTimeout(
        () => {
          this.#connection.onTimeout(performance.now());
          this.flush();
        },
        Math.max(0, deadline - performance.now()),
      );
    }
  }

  close(): void {
    this.#connection.close(0x100, "", performance.now());
    this.flush();
    this.#isOver = true;
    clearTimeout(this.#timer);
    this.#socket.close();
  }

  async #bind(): Promise<void> {
    const socket = this.#socket;
    const listening = once(socket, "listening");
    socket.bind(0, this.#server.address.includes(":") ? "::1" : "127.0.0.1");
    await listening;
    socket.on("error", () => {});
    socket.on("message", (datagram) => {
      this.#connection.receive(datagram, this.#server, performance.now());
      this.flush();
    });
  }

  #open(handshake: Pick<ClientHandshakeOptions, "serverName" | "ticket" | "certificate">): void {
    const destinationId = randomBytes(8);
    this.#connection = new Connection({
      role: "client",
      settings: defaultSettings,
      events: {
        onConnected: () => {
          this.#control = this.#connection.openStream("uni");
          this.#control?.write(encodeControlStream(65_536));
          this.#connected.resolve();
        },
        onStream: (stream) => this.#onUni(stream),
        onStreamClosed: () => {},
        onClosed: (reason) => {
          this.#connected.reject(new Error(`0x${reason.code.toString(16)} ${reason.reason}`));
          this.closed.resolve(reason);
          for (const request of this.#requests) {
            request.fail(reason.code);
          }
        },
        onWake: () => queueMicrotask(() => this.flush()),
      },
      registry: { issue: newId, retire: () => {} },
      localId: newId(),
      remoteId: destinationId,
      initialId: destinationId,
      originalDestinationId: destinationId,
      address: this.#server,
      now: performance.now(),
      newHandshake: (events, transportParameters) => {
        const options = { ...handshake, transportParameters: transportParameters() };
        this.#handshake = new ClientHandshake(options, events);
        return this.#handshake;
      },
    });
    this.#handshake.start();
    this.flush();
  }

  #onUni(stream: QuicStream): void {
    let begun = false;
    const reader = new Http3FrameReader(
      {
        onFrame: () => {},
        onBody: () => {},
        onIdleFrame: () => {},
        onConsumed: (bytes) => stream.consume(bytes),
        onPayload: (type) => {
          this.isLeaving ||= type === frameTypes.goAway;
        },
      },
      65_536,
    );
    stream.handler = {
      onData: (bytes) => {
        reader.push(begun ? bytes : bytes.subarray(1));
        begun = true;
      },
      onEnd: () => {},
      onReset: () => {},
      onStopSending: () => {},
      onWritable: () => {},
    };
  }
}
