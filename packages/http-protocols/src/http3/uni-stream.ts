import type { QuicStream, StreamHandler } from "../quic/streams/quic-stream.ts";
import { type FrameHandler, frameTypes, Http3FrameReader, varintAt } from "./frame-reader.ts";
import { Http3Error, http3Errors } from "./http3-error.ts";
import { type PeerSettings, readSettings, streamTypes } from "./settings.ts";

/** The part of the session that the client's unidirectional streams use. */
export interface UniStreamOwner {
  /** Called when the type is known. @throws Http3Error for a second stream of a type that may exist once */
  onStreamType(type: number): void;
  /**
   * Called for a PRIORITY_UPDATE; the request may not have arrived yet. @throws Http3Error for a stream that
   * is not a request
   */
  onPriorityUpdate(streamId: number, field: string): void;
  /** Called with the client's SETTINGS, the first frame of its control stream. */
  onSettings(settings: PeerSettings): void;
  /** Called with bytes of the client's QPACK encoder. @throws Http3Error */
  onEncoderStream(bytes: Buffer): void;
  /** Called with bytes of the client's QPACK decoder. @throws Http3Error */
  onDecoderStream(bytes: Buffer): void;
  /** Ends the connection. */
  onConnectionError(error: Http3Error): void;
  /** Called for a frame without effect. Too many of them end the connection. */
  onIdleFrame(): void;
}

/** Frames that may follow SETTINGS in the control stream. Source: RFC 9114, section 7.2 */
const controlFrames: ReadonlySet<number> = new Set([
  frameTypes.goAway,
  frameTypes.maxPushId,
  frameTypes.cancelPush,
  frameTypes.priorityUpdate,
  frameTypes.priorityUpdateOfPush,
]);

/** Size limit of frames in the control stream. Valid ones are short. */
const maxControlPayloadBytes = 4_096;

/**
 * One unidirectional stream of the client. Its first bytes are its type: control, QPACK encoder, QPACK decoder,
 * or an unknown one, which is not read. Source: RFC 9114, section 6.2
 *
 * Streams of known types live as long as the connection: their end is an error of the connection.
 */
export class Http3UniStream implements StreamHandler, FrameHandler {
  readonly #stream: QuicStream;
  readonly #owner: UniStreamOwner;
  readonly #reader: Http3FrameReader;
  /** Type of the stream; -1 while the type is incomplete. */
  #type = -1;
  /** Bytes of an incomplete type. */
  #head: Buffer = Buffer.alloc(0);
  #hasSettings = false;
  /** Largest MAX_PUSH_ID so far; it must not decrease. */
  #lastPushId = 0;

  constructor(stream: QuicStream, owner: UniStreamOwner) {
    this.#stream = stream;
    this.#owner = owner;
    this.#reader = new Http3FrameReader(this, maxControlPayloadBytes);
    stream.handler = this;
  }

  onData(bytes: Buffer): void {
    try {
      this.#receive(bytes);
    } catch (error) {
      if (!(error instanceof Http3Error)) {
        throw error;
      }
      this.#owner.onConnectionError(error);
    }
  }

  onEnd(): void {
    this.#onOver();
  }

  onReset(): void {
    this.#onOver();
  }

  onStopSending(): void {}

  onWritable(): void {}

  onFrame(type: number): void {
    if (!this.#hasSettings && type !== frameTypes.settings) {
      throw new Http3Error(http3Errors.missingSettings, "a control stream without SETTINGS");
    }
    const allowed = type === frameTypes.settings ? !this.#hasSettings : controlFrames.has(type);
    if (!allowed) {
      throw new Http3Error(http3Errors.frameUnexpected, `frame ${type} in the control stream`);
    }
    this.#hasSettings = true;
  }

  onBody(): void {}

  onPayload(type: number, payload: Buffer | undefined): void {
    if (payload === undefined) {
      throw new Http3Error(http3Errors.excessiveLoad, `frame ${type} in the control stream is too long`);
    }
    if (type === frameTypes.settings) {
      this.#owner.onSettings(readSettings(payload));
      return;
    }
    const id = varintAt(payload, 0);
    if (type === frameTypes.priorityUpdate && id !== undefined) {
      this.#owner.onIdleFrame();
      this.#owner.onPriorityUpdate(id.value, payload.toString("latin1", id.bytes));
      return;
    }
    if (type === frameTypes.priorityUpdateOfPush && id !== undefined) {
      throw new Http3Error(http3Errors.idError, "PRIORITY_UPDATE of a push that was not promised");
    }
    if (id === undefined || id.bytes !== payload.length) {
      throw new Http3Error(http3Errors.frameError, `frame ${type} holds no single number`);
    }
    this.#owner.onIdleFrame();
    if (type === frameTypes.cancelPush) {
      // This server never pushes, so every push ID is invalid.
      throw new Http3Error(http3Errors.idError, "CANCEL_PUSH of a push that was not promised");
    }
    if (type === frameTypes.maxPushId) {
      if (id.value < this.#lastPushId) {
        throw new Http3Error(http3Errors.idError, "MAX_PUSH_ID became smaller");
      }
      this.#lastPushId = id.value;
    }
  }

  onConsumed(): void {}

  onIdleFrame(): void {
    if (!this.#hasSettings) {
      throw new Http3Error(http3Errors.missingSettings, "a control stream without SETTINGS");
    }
    this.#owner.onIdleFrame();
  }

  /**
   * Reads the type, then passes the rest to its reader. All bytes are consumed immediately, because none of them waits
   * for an application.
   */
  #receive(bytes: Buffer): void {
    this.#stream.consume(bytes.length);
    let rest = bytes;
    if (this.#type < 0) {
      const head = Buffer.concat([this.#head, bytes]);
      const type = varintAt(head, 0);
      if (type === undefined) {
        this.#head = head;
        return;
      }
      this.#type = type.value;
      this.#head = Buffer.alloc(0);
      this.#begin(type.value);
      rest = head.subarray(type.bytes);
    }
    switch (this.#type) {
      case streamTypes.control:
        this.#reader.push(rest);
        return;
      case streamTypes.qpackEncoder:
        this.#owner.onEncoderStream(rest);
        return;
      case streamTypes.qpackDecoder:
        this.#owner.onDecoderStream(rest);
    }
  }

  /** Starts to read a stream whose type is known. @throws Http3Error for a type that must not occur twice */
  #begin(type: number): void {
    this.#owner.onStreamType(type);
    const known =
      type === streamTypes.control || type === streamTypes.qpackEncoder || type === streamTypes.qpackDecoder;
    if (!known) {
      this.#stream.stopReading(http3Errors.streamCreationError);
    }
  }

  /** Called when the client has ended or reset the stream. Source: RFC 9114, section 6.2.1 */
  #onOver(): void {
    if (
      this.#type === streamTypes.control ||
      this.#type === streamTypes.qpackEncoder ||
      this.#type === streamTypes.qpackDecoder
    ) {
      this.#owner.onConnectionError(
        new Http3Error(http3Errors.closedCriticalStream, "a stream that must stay open ended"),
      );
    }
  }
}
