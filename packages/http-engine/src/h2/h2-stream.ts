import { randomBytes } from "node:crypto";
import type { Socket } from "node:net";
import type { Readable } from "node:stream";
import { httpDate } from "http-protocols/http1/response-start";
import { errorCodes } from "http-protocols/http2";
import {
  type H2RequestHead,
  type HeaderList,
  type PromisedRequest,
  promisedRequest,
  SendQueue,
  type ServerStream,
  type StreamOpening,
} from "http-protocols/http2-server";
import { ServerError } from "server-core/errors";
import { keepOwner, runFor } from "server-core/threads/error-owner";
import { bodyTooLong, DeclaredBody, fieldsFor, withoutLength } from "../declared-body.ts";
import type { DetachedConnection, HttpStream, StreamListener } from "../http-stream.ts";
import type { RateWatch } from "../rate-watch.ts";
import { checkFields } from "./check-fields.ts";
import { type BodyStream, H2RequestBody } from "./h2-request-body.ts";
import { H2Tunnel, type TunnelStream } from "./h2-tunnel.ts";

const ofWebSocketHandshake: ReadonlySet<string> = new Set(["sec-websocket-accept"]);

/** The part of the connection that a stream uses. */
export interface H2Carrier {
  readonly version: "2.0" | "3.0";
  /** The connection that all streams share, for addresses and TLS. */
  readonly socket: Socket;
  /** True while the handshake is not done; absent: streams open afterwards. */
  readonly isEarly?: boolean;
  /** Sends a header block. @param ownFields fields of the server itself @param fields other fields, already checked */
  sendHeaders(streamId: number, ownFields: HeaderList, fields: HeaderList, endsStream: boolean): void;
  /** The stream left HTTP. */
  tunnelOpened(tunnel: DetachedConnection): void;
  /** The queue of this stream contains bytes to send. */
  queued(stream: H2Stream): void;
  /** Bytes of a body were consumed, so the client may send the same number again. */
  taken(stream: H2Stream, bytes: number): void;
  /** Work for the stream threw an unexpected error. */
  broken(stream: H2Stream, error: unknown): void;
  breakOff(stream: H2Stream, errorCode: number): void;
  /** Called when request and response are complete. */
  finished(stream: H2Stream): void;
  /** True when a stream may be pushed to the client now. */
  readonly takesPushes: boolean;
  /** Opens a stream for a request that the server itself creates. @returns true when it was opened */
  push(parent: H2Stream, request: PromisedRequest): boolean;
}

function withoutHandshake(headers: HeaderList): HeaderList {
  return headers.filter(
    (_, index) => !ofWebSocketHandshake.has((headers[index - (index % 2)] ?? "").toLowerCase()),
  );
}

/** One request of a connection of HTTP/2 or HTTP/3 and its response. */
export class H2Stream implements HttpStream, TunnelStream, BodyStream, ServerStream {
  readonly id: number;
  readonly version: "2.0" | "3.0";
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
  /** The data to send. */
  readonly sending: SendQueue;
  /** Bytes that the client may still send before it gets a larger window. */
  receiveWindowBytes: number;
  /** Consumed bytes of the body that no window update has reported to the client yet. */
  untoldBytes = 0;
  /** Time when the stream was opened, in milliseconds since 1970. */
  readonly openedAt: number;
  bodyRate: RateWatch | undefined;
  readonly #carrier: H2Carrier;
  /** The request body; undefined for a request without a body, until a handler reads the body. */
  #body: H2RequestBody | undefined;
  /** True when the client waits for `100 Continue` before it sends the body. */
  #expectsContinue: boolean;
  /** Counts the body against `content-length`. */
  readonly #declared = new DeclaredBody();
  /** True from the moment when the head can no longer change. */
  #headSent = false;
  /** The server's own fields of the waiting head; undefined before `#begin` and once the head is sent. */
  #ownFields: HeaderList | undefined;
  /** Fields of the waiting head that handlers set. */
  #fields: HeaderList = [];
  /** True when the handler has written the end of the response. */
  #ended = false;
  /** True when the frame with the end is being sent. */
  #complete = false;
  /** True when the stream is over: complete, reset, or lost with its connection. */
  #closed = false;
  /** Trailers of the response, sent after the response's body. */
  #trailers: HeaderList = [];
  /** The connection of the tunnel; undefined before the stream left HTTP. */
  #tunnel: DetachedConnection | undefined;
  /** Called when the last bytes of the tunnel are sent. */
  #tunnelEnded: (() => void) | undefined;

  constructor(carrier: H2Carrier, id: number, head: H2RequestHead, opening: StreamOpening) {
    this.#carrier = carrier;
    this.id = id;
    this.version = carrier.version;
    this.socket = carrier.socket;
    this.sending = new SendQueue(id, opening.send);
    this.receiveWindowBytes = opening.receive;
    this.openedAt = Date.now();
    this.target = head.target;
    this.authority = head.authority;
    this.headers = head.headers;
    this.upgradeProtocol = head.protocol;
    if (head.protocol === "") {
      this.method = head.method;
    } else {
      // Handlers expect an upgrade of HTTP/1 with a key. RFC 8441, section 5, has no key.
      this.method = "GET";
      this.headers.push("Connection", "Upgrade", "Upgrade", head.protocol);
      if (head.protocol === "websocket") {
        this.headers.push("Sec-WebSocket-Key", randomBytes(16).toString("base64"));
      }
    }
    this.#expectsContinue = head.expectsContinue;
    this.#body = opening.endsStream
      ? undefined
      : new H2RequestBody(this, head.contentLength ?? -1, false, this.openedAt);
    this.hasBody = !opening.endsStream && head.protocol === "" && head.contentLength !== 0;
    this.bodyLength = head.contentLength;
  }

  get isEarly(): boolean {
    return this.#carrier.isEarly === true;
  }

  // The request

  get body(): Readable {
    return this.#madeBody().reader(this.#closed || (!this.hasBody && this.upgradeProtocol === ""));
  }

  /** The request body, created on first access; empty for a request without a body. */
  #madeBody(): H2RequestBody {
    this.#body ??= new H2RequestBody(this, -1, true, this.openedAt);
    return this.#body;
  }

  get bodyTouched(): boolean {
    return this.#body?.touched === true;
  }

  get bodyBytesRead(): number {
    return this.#body?.givenBytes ?? 0;
  }

  get wholeBody(): Buffer | undefined {
    return this.#body?.whole;
  }

  /** True when the client has sent the whole request. */
  get requestEnded(): boolean {
    return this.#body === undefined || this.#body.ended;
  }

  /** Time when bytes of the body last arrived, in milliseconds since 1970. */
  get bodyAt(): number {
    return this.#body?.at ?? this.openedAt;
  }

  /** Number of bytes of the body that arrived. */
  get bodyBytes(): number {
    return this.#body?.bytes ?? 0;
  }

  /** True when more of the body is awaited: by a reader, or to be dropped. */
  get awaitsBody(): boolean {
    const body = this.#body;
    return (
      body !== undefined && !body.ended && (body.dropping || (body.wanted && this.upgradeProtocol === ""))
    );
  }

  bodyTaken(bytes: number): void {
    this.#carrier.taken(this, bytes);
  }

  bodyWanted(): void {
    if (this.#expectsContinue) {
      this.#expectsContinue = false;
      this.writeInterim(100, []);
    }
    this.#body?.read();
  }

  /** Takes bytes of the body. @param piece valid only during the call. @returns false for more bytes than declared */
  receive(piece: Buffer): boolean {
    const body = this.#madeBody();
    try {
      const reader = this.listener;
      const isGood = reader === undefined ? body.receive(piece) : runFor(reader, () => body.receive(piece));
      if (!isGood) {
        return false;
      }
    } catch (error) {
      this.#carrier.broken(this, error); // an error of the reader: other streams of the connection continue
      return true;
    }
    if (this.#complete && body.isOverDropped) {
      this.#carrier.breakOff(this, errorCodes.noError);
    }
    return true;
  }

  /** Takes the end of the request. @returns false when the body is shorter than declared */
  receiveEnd(trailers: HeaderList): boolean {
    const body = this.#madeBody();
    if (!body.end()) {
      return false;
    }
    this.requestTrailers = trailers;
    if (this.#complete) {
      this.#carrier.finished(this);
    } else {
      try {
        const reader = this.listener;
        if (reader === undefined) {
          body.handOn();
        } else {
          runFor(reader, () => body.handOn());
        }
      } catch (error) {
        this.#carrier.broken(this, error);
      }
    }
    return true;
  }

  /** Fails a body that missed its deadline: its reader gets the error. */
  failBody(error: ServerError): void {
    this.#madeBody().fail(error);
  }

  /** Ends the stream after the client has disconnected or the stream was reset. @param why message of the error */
  streamLost(why: string): void {
    if (this.#closed) {
      return;
    }
    this.#closed = true;
    const isCut = !this.#ended || !this.requestEnded;
    this.#body?.drop();
    this.sending.drop();
    this.#madeBody().lost(new ServerError("CLIENT_GONE", why), isCut);
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

  /** True when the stream has left HTTP. */
  get isTunnel(): boolean {
    return this.#body?.isTunnel === true;
  }

  /** True when the tunnel's owner ends the tunnel on request. */
  get leavesByItself(): boolean {
    return this.#tunnel?.leave !== undefined;
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
      // No trailers wait, so the head ends the stream. gRPC clients expect this form for a failure without a message.
      this.#sendHead(true);
      this.sending.endSent();
      this.allSent();
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
    // A response without a body (to HEAD, 204, 304) ends with its head, so it has no trailers.
    if (!this.#declared.isLeftOut) {
      this.#trailers = [...this.#trailers, ...trailers];
    }
  }

  onceDrain(callback: () => void): void {
    this.sending.onceDrain(keepOwner(callback));
  }

  closeAfterwards(): void {} // other streams of the connection continue

  switchProtocols(headers: HeaderList): DetachedConnection {
    if (this.upgradeProtocol === "") {
      throw new ServerError("HTTP_RESPONSE", "the request asks for no upgrade");
    }
    const fields = withoutHandshake(headers);
    checkFields(fields);
    this.#headSent = true;
    this.#carrier.sendHeaders(this.id, [":status", "200"], fields, false);
    const tunnel = new H2Tunnel(this);
    this.#madeBody().leaveTo(tunnel);
    this.#tunnel = { socket: tunnel, head: Buffer.alloc(0) };
    if (this.#closed) {
      tunnel.destroy();
    } else {
      this.#carrier.tunnelOpened(this.#tunnel);
    }
    return this.#tunnel;
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
    const request = promisedRequest({ scheme, authority: this.authority, method, target, headers });
    return request !== undefined && this.#carrier.push(this, request);
  }

  destroy(): void {
    if (!this.#closed) {
      this.#carrier.breakOff(this, errorCodes.internalError);
    }
  }

  cut(): void {
    if (!this.#closed) {
      this.#sendHead(false);
      this.destroy();
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

  /** The frame with the end of the response is being sent. */
  allSent(): void {
    this.#complete = true;
    this.#tunnelEnded?.();
    if (this.requestEnded) {
      this.#carrier.finished(this);
    } else if (!this.isTunnel) {
      this.#body?.drop();
      if (this.#body?.isDroppable === false) {
        this.#carrier.breakOff(this, errorCodes.noError);
      }
    }
    this.#tellListener();
  }

  /** Called when request and response are complete. */
  streamOver(): void {
    this.#closed = true;
    this.#body?.drop();
  }

  /** Prepares the head. @param length bytes of the body, when the whole body is known */
  #begin(status: number, headers: HeaderList, length: number | undefined): void {
    let fields = fieldsFor(status, headers);
    let framing = checkFields(fields);
    if (Number.isNaN(framing.contentLength)) {
      fields = withoutLength(fields);
      framing = checkFields(fields);
    }
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

  /** Sends the head, unless it was sent already. @param endsStream true when no body and no trailers follow */
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
      this.cut();
      throw bodyTooLong();
    }
    this.sending.push(bytes);
  }

  /** Calls `streamClosed` of the listener, at most once. */
  #tellListener(): void {
    const { listener } = this;
    this.listener = undefined;
    listener?.streamClosed();
  }
}
