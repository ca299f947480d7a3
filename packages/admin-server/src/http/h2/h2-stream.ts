import { randomBytes } from "node:crypto";
import type { Socket } from "node:net";
import type { Readable } from "node:stream";
import { errorCodes } from "wire/http2";
import { ServerError } from "../../core/errors.ts";
import { bodyTooLong, DeclaredBody, fieldsFor } from "../declared-body.ts";
import { httpDate } from "../h1/response-head.ts";
import type { HeaderList } from "../header-list.ts";
import type { DetachedConnection, HttpStream, StreamListener } from "../http-stream.ts";
import type { RateWatch } from "../rate-watch.ts";
import { H2Body } from "./h2-body.ts";
import { H2Tunnel, type TunnelStream } from "./h2-tunnel.ts";
import { type PromisedRequest, promisedRequest } from "./promised-request.ts";
import type { H2RequestHead } from "./request-fields.ts";
import { checkFields } from "./response-fields.ts";
import { SendQueue } from "./send-queue.ts";

/** Of a body that no handler reads, so much is taken and dropped before the client is told to stop. */
const maxDroppedBytes = 256 * 1024;
const ofWebSocketHandshake: ReadonlySet<string> = new Set(["sec-websocket-accept"]);

/** What a stream needs of its connection. */
export interface H2Carrier {
  readonly socket: Socket;
  /** Sends a header block. @param ownFields pseudo fields and others that are known good; all others were checked */
  sendHeaders(streamId: number, ownFields: HeaderList, fields: HeaderList, endsStream: boolean): void;
  /** There is something in the queue of this stream. */
  queued(stream: H2Stream): void;
  /** Bytes of a body are used up: the client may send as many again. */
  taken(stream: H2Stream, bytes: number): void;
  /** Breaks the stream off. */
  breakOff(stream: H2Stream, errorCode: number): void;
  /** Request and response are through. */
  finished(stream: H2Stream): void;
  /** Whether a stream may be pushed to the client now. */
  readonly takesPushes: boolean;
  /** Opens a stream for a request of the server's own. @returns whether it did */
  push(parent: H2Stream, request: PromisedRequest): boolean;
}

function withoutHandshake(headers: HeaderList): HeaderList {
  return headers.filter(
    (_, index) => !ofWebSocketHandshake.has((headers[index - (index % 2)] ?? "").toLowerCase()),
  );
}

/** One request of an HTTP/2 connection and its response. */
export class H2Stream implements HttpStream, TunnelStream {
  readonly id: number;
  readonly version = "2.0";
  readonly method: string;
  readonly target: string;
  readonly authority: string;
  readonly headers: HeaderList;
  readonly socket: Socket;
  readonly hasBody: boolean;
  readonly bodyLength: number | undefined;
  readonly upgradeProtocol: string;
  listener: StreamListener | undefined;
  requestTrailers: HeaderList = [];
  /** What is to be sent. */
  readonly sending: SendQueue;
  /** What the client may still send before it is told to go on. */
  receiveWindowBytes: number;
  /** Bytes that were used up and of which the client was not told yet. */
  untoldBytes = 0;
  /** When the stream was opened, and when bytes of the body came last; as of `Date.now()`. */
  readonly openedAt: number;
  bodyAt: number;
  /** Bytes of the body that came. */
  bodyBytes = 0;
  bodyRate: RateWatch | undefined;
  /** Whether the client has sent all. */
  requestEnded: boolean;
  readonly #carrier: H2Carrier;
  #reader: H2Body | H2Tunnel | undefined;
  /** Chunks of the body that nobody has asked for yet. */
  #early: Buffer[] = [];
  /** The reader has room. */
  #wanted = false;
  #touched = false;
  #dropping = false;
  #droppedBytes = 0;
  /** Bytes of the declared length of the request that are still to come; -1: none was declared. */
  #bodyLeft: number;
  #expectsContinue: boolean;
  #bodyFault: ServerError | undefined;
  readonly #declared = new DeclaredBody();
  #headSent = false;
  /** The head, until something goes out with it. */
  #ownFields: HeaderList | undefined;
  #fields: HeaderList = [];
  #ended = false;
  #complete = false;
  #closed = false;
  #trailers: HeaderList = [];
  #tunnelEnded: (() => void) | undefined;

  /** @param windows bytes that each side may send at first */
  constructor(
    carrier: H2Carrier,
    id: number,
    head: H2RequestHead,
    endsStream: boolean,
    windows: { readonly send: number; readonly receive: number },
    now: number,
  ) {
    this.#carrier = carrier;
    this.id = id;
    this.socket = carrier.socket;
    this.sending = new SendQueue(id, windows.send);
    this.receiveWindowBytes = windows.receive;
    this.openedAt = now;
    this.bodyAt = now;
    this.requestEnded = endsStream;
    this.target = head.target;
    this.authority = head.authority;
    this.headers = head.headers;
    this.upgradeProtocol = head.protocol;
    if (head.protocol === "") {
      this.method = head.method;
    } else {
      // Handlers know upgrades of HTTP/1, whose clients send a key: RFC 8441, section 5.
      this.method = "GET";
      this.headers.push("Connection", "Upgrade", "Upgrade", head.protocol);
      if (head.protocol === "websocket") {
        this.headers.push("Sec-WebSocket-Key", randomBytes(16).toString("base64"));
      }
    }
    this.#expectsContinue = head.expectsContinue;
    this.#bodyLeft = head.contentLength ?? -1;
    this.hasBody = !endsStream && head.protocol === "" && head.contentLength !== 0;
    this.bodyLength = head.contentLength;
  }

  // The request

  get body(): Readable {
    if (this.#reader === undefined) {
      this.#reader = new H2Body(this);
      if (this.#bodyFault !== undefined) {
        this.#reader.destroy(this.#bodyFault);
      } else if (this.#closed || (!this.hasBody && this.upgradeProtocol === "")) {
        this.#reader.push(null);
      }
    }
    return this.#reader;
  }

  get bodyTouched(): boolean {
    return this.#touched;
  }

  get wholeBody(): Buffer | undefined {
    if (!this.requestEnded || this.#touched || this.#early.length === 0) {
      return undefined;
    }
    const [first, ...more] = this.#early;
    if (more.length > 0) {
      this.#early = [Buffer.concat(this.#early)];
    }
    return more.length > 0 ? this.#early[0] : first;
  }

  /** Whether somebody waits for a body that does not come. */
  get awaitsBody(): boolean {
    return !this.requestEnded && (this.#dropping || (this.#wanted && this.upgradeProtocol === ""));
  }

  bodyWanted(): void {
    this.#touched = true;
    this.#wanted = true;
    if (this.#expectsContinue) {
      this.#expectsContinue = false;
      this.writeInterim(100, []);
    }
    this.#handOn();
  }

  /** Bytes of the body came. @param piece good during the call only. @returns false when they are more than was declared */
  receive(piece: Buffer): boolean {
    this.bodyAt = Date.now();
    this.bodyBytes += piece.length;
    if (this.#bodyLeft >= 0) {
      this.#bodyLeft -= piece.length;
      if (this.#bodyLeft < 0) {
        return false;
      }
    }
    if (this.#dropping) {
      this.#carrier.taken(this, piece.length);
      this.#droppedBytes += piece.length;
      if (this.#droppedBytes > maxDroppedBytes && this.#complete) {
        this.#carrier.breakOff(this, errorCodes.noError);
      }
    } else if (piece.length > 0) {
      this.#early.push(Buffer.from(piece));
      this.#handOn();
    }
    return true;
  }

  /** The client has sent all. @returns false when it was less than declared */
  receiveEnd(trailers: HeaderList): boolean {
    if (this.#bodyLeft > 0) {
      return false;
    }
    this.requestEnded = true;
    this.requestTrailers = trailers;
    if (this.#complete) {
      this.#carrier.finished(this);
    } else {
      this.#handOn();
    }
    return true;
  }

  /** The body does not come in time: who reads it is told. */
  failBody(error: ServerError): void {
    this.#bodyFault = error;
    this.#dropRest();
    this.#reader?.destroy(error);
  }

  /** The client is gone, or the stream was broken off. */
  streamLost(error: ServerError): void {
    if (this.#closed) {
      return;
    }
    this.#closed = true;
    this.#dropRest();
    this.sending.drop();
    const reader = this.#reader;
    if (reader instanceof H2Tunnel) {
      reader.destroy();
    } else if (reader !== undefined && !reader.readableEnded && !reader.destroyed) {
      this.#bodyFault = error;
      if (!this.#ended || !this.requestEnded) {
        reader.destroy(error);
      }
    } else {
      this.#bodyFault = error;
    }
    this.#tellListener();
  }

  // The response

  get headSent(): boolean {
    return this.#headSent;
  }

  get complete(): boolean {
    return this.#complete;
  }

  get closed(): boolean {
    return this.#closed || this.#ended;
  }

  /** Whether it left HTTP. */
  get isTunnel(): boolean {
    return this.#reader instanceof H2Tunnel;
  }

  get trailers(): HeaderList {
    return this.#trailers;
  }

  respond(status: number, headers: HeaderList, body: Uint8Array | string): void {
    const length = typeof body === "string" ? Buffer.byteLength(body) : body.length;
    this.#begin(status, headers, length);
    this.end(body);
  }

  writeHead(status: number, headers: HeaderList): void {
    this.#begin(status, headers, undefined);
  }

  write(chunk: Uint8Array | string): boolean {
    if (this.#closed || this.#ended || this.#declared.isLeftOut || chunk.length === 0) {
      return true;
    }
    this.#sendHead(false);
    this.#push(chunk);
    this.#carrier.queued(this);
    return !this.sending.isFull;
  }

  end(chunk: Uint8Array | string = ""): void {
    if (this.#ended || this.#closed) {
      return;
    }
    const isEmpty = this.#declared.isLeftOut || chunk.length === 0;
    if (!isEmpty) {
      this.#sendHead(false);
      this.#push(chunk);
    }
    this.#ended = true;
    if (this.#declared.isShort) {
      this.destroy();
      return;
    }
    this.sending.end();
    if (this.#ownFields !== undefined && this.#trailers.length === 0) {
      // One frame for all: gRPC knows a failure without a message by it.
      this.#sendHead(true);
      this.sending.endSent();
      this.responseSent();
      return;
    }
    this.#sendHead(false);
    this.#carrier.queued(this);
  }

  flush(): void {
    if (!this.#closed) {
      this.#sendHead(false);
    }
  }

  addTrailers(trailers: HeaderList): void {
    checkFields(trailers);
    this.#trailers = [...this.#trailers, ...trailers];
  }

  onceDrain(callback: () => void): void {
    this.sending.onceDrain(callback);
  }

  closeAfterwards(): void {} // other streams of the connection have nothing to do with it

  switchProtocols(headers: HeaderList): DetachedConnection {
    if (this.upgradeProtocol === "") {
      throw new ServerError("HTTP_RESPONSE", "the request asks for no upgrade");
    }
    const fields = withoutHandshake(headers);
    checkFields(fields);
    this.#headSent = true;
    this.#carrier.sendHeaders(this.id, [":status", "200"], fields, false);
    const tunnel = new H2Tunnel(this);
    this.#reader = tunnel;
    if (this.#closed) {
      tunnel.destroy();
    }
    return { socket: tunnel, head: Buffer.alloc(0) };
  }

  writeInterim(status: number, headers: HeaderList): void {
    if (!this.#headSent && !this.#closed && status >= 100 && status < 200 && status !== 101) {
      checkFields(headers);
      this.#carrier.sendHeaders(this.id, [":status", String(status)], headers, false);
    }
  }

  get takesPushes(): boolean {
    return this.id % 2 === 1 && !this.closed && !this.isTunnel && this.#carrier.takesPushes;
  }

  push(method: string, target: string, headers: HeaderList): boolean {
    if (!this.takesPushes) {
      return false;
    }
    const scheme = "encrypted" in this.socket ? "https" : "http";
    const request = promisedRequest(scheme, this.authority, method, target, headers);
    return request !== undefined && this.#carrier.push(this, request);
  }

  destroy(): void {
    if (!this.#closed) {
      this.#carrier.breakOff(this, errorCodes.internalError);
    }
  }

  // The tunnel

  sendRaw(chunk: Buffer): boolean {
    if (!this.#closed) {
      this.sending.push(chunk);
      this.#carrier.queued(this);
    }
    return !this.sending.isFull;
  }

  endRaw(sent: () => void): void {
    if (this.#closed) {
      sent();
      return;
    }
    this.#tunnelEnded = sent;
    this.#ended = true;
    this.sending.end();
    this.#carrier.queued(this);
  }

  cancel(): void {
    if (!this.#closed) {
      this.#carrier.breakOff(this, this.#complete ? errorCodes.noError : errorCodes.cancel);
    }
  }

  /** The frame with the end of the response is on its way. */
  responseSent(): void {
    this.#complete = true;
    this.#tunnelEnded?.();
    if (this.requestEnded) {
      this.#carrier.finished(this);
    } else if (!this.isTunnel) {
      this.#dropRest();
      if (this.#bodyLeft > maxDroppedBytes) {
        this.#carrier.breakOff(this, errorCodes.noError);
      }
    }
    this.#tellListener();
  }

  /** Request and response are through. */
  streamOver(): void {
    this.#closed = true;
    this.#dropRest();
  }

  /** @param length of a body that is known whole */
  #begin(status: number, headers: HeaderList, length: number | undefined): void {
    const fields = fieldsFor(status, headers);
    const framing = checkFields(fields);
    const declared = framing.contentLength ?? length;
    const mayDeclare = this.#declared.begin(this.method, status, declared);
    const ownFields: HeaderList = [":status", String(status)];
    if (framing.contentLength === undefined && declared !== undefined && mayDeclare) {
      ownFields.push("content-length", String(declared));
    }
    if (!framing.hasDate) {
      ownFields.push("date", httpDate());
    }
    this.#headSent = true;
    if (this.#closed) {
      return;
    }
    this.#ownFields = ownFields;
    this.#fields = fields;
  }

  /** Sends the head, if it waits. @param endsStream nothing follows */
  #sendHead(endsStream: boolean): void {
    const ownFields = this.#ownFields;
    if (ownFields !== undefined) {
      this.#ownFields = undefined;
      this.#carrier.sendHeaders(this.id, ownFields, this.#fields, endsStream);
    }
  }

  #push(chunk: Uint8Array | string): void {
    const bytes = typeof chunk === "string" ? Buffer.from(chunk) : chunk;
    if (!this.#declared.take(bytes.length)) {
      this.destroy();
      throw bodyTooLong();
    }
    this.sending.push(bytes);
  }

  /** Gives the reader what there is room for. */
  #handOn(): void {
    const reader = this.#reader;
    if (reader === undefined || !this.#wanted) {
      return;
    }
    while (this.#wanted) {
      const chunk = this.#early.shift();
      if (chunk === undefined) {
        break;
      }
      this.#carrier.taken(this, chunk.length);
      this.#wanted = reader.push(chunk);
    }
    if (this.requestEnded && this.#early.length === 0) {
      this.#wanted = false;
      reader.push(null);
    }
  }

  /** Nobody will read the rest of the body. */
  #dropRest(): void {
    this.#dropping = true;
    for (const chunk of this.#early) {
      this.#carrier.taken(this, chunk.length);
    }
    this.#early = [];
  }

  #tellListener(): void {
    const { listener } = this;
    this.listener = undefined;
    listener?.streamClosed();
  }
}
