import { FloodGuard } from "../http2/flood-guard.ts";
import type { H2RequestHead } from "../http2-server/request-fields.ts";
import type { Connection } from "../quic/connection/connection.ts";
import type { CloseReason, ConnectionEvents } from "../quic/connection/connection-options.ts";
import type { QuicStream } from "../quic/streams/quic-stream.ts";
import { Http3Error, http3Errors } from "./http3-error.ts";
import { DecoderStreamReader } from "./qpack-decoder-stream.ts";
import { ResponseFieldTable } from "./qpack-response-table.ts";
import { FieldSectionReader, qpackLimits } from "./qpack-sections.ts";
import { type Http3RequestHandler, Http3RequestStream, type RequestStreamOwner } from "./request-stream.ts";
import { encodeControlStream, encodeGoAway, type PeerSettings, streamTypes } from "./settings.ts";
import { Http3UniStream, type UniStreamOwner } from "./uni-stream.ts";

export interface Http3SessionOptions {
  /** Size limit of names and values of a field section, with 32 bytes extra for each field. */
  readonly maxFieldSectionBytes?: number;
  /** True: requests may contain a protocol such as WebSocket: `head.protocol`. Source: RFC 9220. Default: false. */
  readonly extendedConnect?: boolean;
  readonly onRequest: (request: Http3RequestStream, head: H2RequestHead) => Http3RequestHandler;
  readonly onClosed?: (reason: CloseReason) => void;
}

/** Maximum number of requests whose priority is stored before they arrive. Further priorities are ignored. */
const maxPriorityUpdates = 100;
/** Size limit of a stored Priority field: its members have three to five bytes. */
const maxPriorityBytes = 64;

/** Maximum number of bytes for the client's QPACK encoder that are not sent yet. Above it, the connection is closed. */
const maxDecoderBytes = 4_096;

/** The server's side of one HTTP/3 connection, without push. Source: RFC 9114 */
export class Http3ServerSession
  implements Omit<ConnectionEvents, "onWake">, RequestStreamOwner, UniStreamOwner
{
  readonly #connection: Connection;
  readonly #options: Http3SessionOptions;
  readonly maxFieldSectionBytes: number;
  readonly #guard = new FloodGuard();
  /** Requests without a complete response. Their `onConnectionClosed` is called when the connection ends. */
  readonly #requests = new Set<Http3RequestStream>();
  /** Request streams whose end the client has not acknowledged, by stream ID. */
  readonly #openStreams = new Map<number, Http3RequestStream>();
  /** Types of the client's unidirectional streams that may exist only once, and already exist. */
  readonly #uniTypes = new Set<number>();
  /** Priority fields for requests that have not arrived yet, by stream ID. */
  readonly #priorityUpdates = new Map<number, string>();
  /** The server's control stream; undefined before {@link onConnected}. */
  #control: QuicStream | undefined;
  readonly fieldSections = new FieldSectionReader((instruction) => this.#sendToEncoder(instruction));
  readonly responseFields = new ResponseFieldTable((instruction) => this.#sendToDecoder(instruction));
  readonly #acknowledgments = new DecoderStreamReader(this.responseFields);
  /** The server's QPACK encoder stream, opened for a client that allows a dynamic table. */
  #encoderStream: QuicStream | undefined;
  /** The server's QPACK decoder stream, opened for the first instruction. */
  #decoderStream: QuicStream | undefined;
  /** ID of the next new request stream. */
  #nextRequestId = 0;
  /** Requests from this stream ID on are refused. */
  #goAwayId = Number.POSITIVE_INFINITY;
  #peerMaxFieldSectionBytes = Number.MAX_SAFE_INTEGER;

  constructor(connection: Connection, options: Http3SessionOptions) {
    this.#connection = connection;
    this.#options = options;
    this.maxFieldSectionBytes = options.maxFieldSectionBytes ?? 65_536;
  }

  /** Number of requests without a complete response. */
  get size(): number {
    return this.#requests.size;
  }

  /** Size limit of field sections that the client accepts; 2^53 - 1 means no limit. */
  get peerMaxFieldSectionBytes(): number {
    return this.#peerMaxFieldSectionBytes;
  }

  /** Lets present requests continue, refuses later ones, and ends the connection after the last one. */
  goAway(): void {
    if (this.#goAwayId === Number.POSITIVE_INFINITY) {
      this.#goAwayId = this.#nextRequestId;
      this.#control?.write(encodeGoAway(this.#goAwayId));
      this.#closeIfIdle();
    }
  }

  /**
   * Called when streams may be opened: after the handshake, or with early data. Sends SETTINGS first. Source: RFC 9114,
   * section 6.2.1
   */
  onConnected(): void {
    this.#control = this.#connection.openStream("uni");
    if (this.#control === undefined) {
      this.#connection.close(http3Errors.streamCreationError, "the client allows no control stream");
      return;
    }
    this.#control.handler = criticalStream(this);
    this.#control.write(
      encodeControlStream(this.maxFieldSectionBytes, {
        extendedConnect: this.#options.extendedConnect === true,
        qpack: qpackLimits,
      }),
    );
    if (this.#goAwayId !== Number.POSITIVE_INFINITY) {
      this.#control.write(encodeGoAway(this.#goAwayId));
    }
  }

  /**
   * Called for a stream of the client. Requests after GOAWAY are refused, so that the client sends them again on another
   * connection.
   */
  onStream(stream: QuicStream): void {
    if ((stream.id & 2) !== 0) {
      new Http3UniStream(stream, this);
      return;
    }
    if (stream.id >= this.#goAwayId) {
      stream.stopReading(http3Errors.requestRejected);
      stream.reset(http3Errors.requestRejected);
      return;
    }
    this.#nextRequestId = stream.id + 4;
    const request = new Http3RequestStream(stream, this);
    this.#openStreams.set(stream.id, request);
    this.#requests.add(request);
  }

  onStreamClosed(stream: QuicStream): void {
    if ((stream.id & 2) === 0 && stream.id < this.#goAwayId) {
      this.#openStreams.delete(stream.id);
      this.#closeIfIdle();
    }
  }

  onClosed(reason: CloseReason): void {
    for (const request of this.#requests) {
      request.onConnectionClosed(reason.code);
    }
    this.#requests.clear();
    this.#options.onClosed?.(reason);
  }

  onRequest(request: Http3RequestStream, head: H2RequestHead): Http3RequestHandler {
    if (head.protocol !== "" && this.#options.extendedConnect !== true) {
      throw new Http3Error(
        http3Errors.messageError,
        "a protocol in a CONNECT that SETTINGS did not allow",
        false,
      );
    }
    return this.#options.onRequest(request, head);
  }

  onFinished(request: Http3RequestStream, well: boolean): void {
    if (well) {
      this.#guard.streamEnded();
    }
    this.#requests.delete(request);
  }

  /** Counts requests that the client has reset, since they cost work. Too many of them end the connection. */
  onAborted(): void {
    this.#guarded(() => this.#guard.reset());
  }

  onIdleFrame(): void {
    this.#guarded(() => this.#guard.idleFrame());
  }

  onStreamType(type: number): void {
    if (type === streamTypes.push) {
      throw new Http3Error(http3Errors.streamCreationError, "a client pushes");
    }
    if (type > streamTypes.qpackDecoder) {
      return;
    }
    if (this.#uniTypes.has(type)) {
      throw new Http3Error(http3Errors.streamCreationError, `a second stream of type ${type}`);
    }
    this.#uniTypes.add(type);
  }

  onEncoderStream(bytes: Buffer): void {
    this.fieldSections.receiveInstructions(bytes);
  }

  onDecoderStream(bytes: Buffer): void {
    this.#acknowledgments.push(bytes);
  }

  /** Sends instructions to the client's decoder. The table limits their number. @returns false without a stream */
  #sendToDecoder(instruction: Buffer): boolean {
    if (this.#encoderStream === undefined) {
      this.#encoderStream = this.#connection.openStream("uni");
      if (this.#encoderStream === undefined) {
        return false;
      }
      this.#encoderStream.handler = criticalStream(this);
      this.#encoderStream.write(Buffer.of(streamTypes.qpackEncoder));
    }
    this.#encoderStream.write(instruction);
    return true;
  }

  /**
   * Sends instructions to the client's encoder. Their size is limited, because a client may accept no stream or no
   * bytes.
   */
  #sendToEncoder(instruction: Buffer): void {
    if (this.#decoderStream === undefined) {
      this.#decoderStream = this.#connection.openStream("uni");
      if (this.#decoderStream === undefined) {
        this.#connection.close(http3Errors.streamCreationError, "the client allows no decoder stream");
        return;
      }
      this.#decoderStream.handler = criticalStream(this);
      this.#decoderStream.write(Buffer.of(streamTypes.qpackDecoder));
    }
    this.#decoderStream.write(instruction);
    if (this.#decoderStream.unsentBytes > maxDecoderBytes) {
      this.#connection.close(http3Errors.excessiveLoad, "the client does not read the decoder stream");
    }
  }

  onPriorityUpdate(streamId: number, field: string): void {
    if ((streamId & 3) !== 0) {
      throw new Http3Error(http3Errors.idError, "PRIORITY_UPDATE of a stream that is no request");
    }
    this.#openStreams.get(streamId)?.prioritize(field);
    if (streamId >= this.#nextRequestId && this.#priorityUpdates.size < maxPriorityUpdates) {
      this.#priorityUpdates.set(streamId, field.slice(0, maxPriorityBytes));
    }
  }

  takePriorityUpdate(streamId: number): string | undefined {
    const field = this.#priorityUpdates.get(streamId);
    this.#priorityUpdates.delete(streamId);
    return field;
  }

  onSettings(settings: PeerSettings): void {
    this.#peerMaxFieldSectionBytes = settings.maxFieldSectionSize;
    this.responseFields.allow(settings.qpackMaxTableCapacity, settings.qpackBlockedStreams);
  }

  onConnectionError({ code, message }: Http3Error): void {
    this.#connection.close(code, message);
  }

  /** Ends the connection with EXCESSIVE_LOAD when the guard throws. */
  #guarded(count: () => void): void {
    try {
      count();
    } catch (error) {
      this.#connection.close(http3Errors.excessiveLoad, (error as Error).message);
    }
  }

  /** After GOAWAY: closes when the client knows the end of every request. */
  #closeIfIdle(): void {
    if (this.#goAwayId !== Number.POSITIVE_INFINITY && this.#openStreams.size === 0) {
      this.#connection.close(http3Errors.noError, "");
    }
  }
}

/** Handler of the control and QPACK streams, which the client must not refuse. Source: RFC 9114, section 6.2.1 */
function criticalStream(session: Http3ServerSession): NonNullable<QuicStream["handler"]> {
  return {
    onData: () => {},
    onEnd: () => {},
    onReset: () => {},
    onStopSending: () =>
      session.onConnectionError(
        new Http3Error(http3Errors.closedCriticalStream, "the client stops our control stream"),
      ),
    onWritable: () => {},
  };
}
