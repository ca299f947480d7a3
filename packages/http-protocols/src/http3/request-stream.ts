import type { HeaderList } from "../header-list.ts";
import { readTrailerFields } from "../http2/received-fields.ts";
import { type H2RequestHead, readRequestFields } from "../http2-server/request-fields.ts";
import type { QuicStream, StreamHandler } from "../quic/streams/quic-stream.ts";
import { ownCopy } from "../quic/wire/own-copy.ts";
import { type FrameHandler, frameTypes, Http3FrameReader } from "./frame-reader.ts";
import { Http3Error, http3Errors } from "./http3-error.ts";
import { mergedPriority, priorityField, readPriority } from "./priority.ts";
import { FieldSectionWriter } from "./qpack-encoder.ts";
import type { ResponseFieldTable } from "./qpack-response-table.ts";
import type { FieldSectionReader } from "./qpack-sections.ts";
import { encodeDataHead, encodeFrame } from "./settings.ts";

/** Handles a request whose head has arrived. */
export interface Http3RequestHandler {
  /** Called with the next bytes of the body. `consume` allows the client to send more. */
  onData(bytes: Buffer): void;
  /** Called when the whole request has arrived. */
  onEnd(trailers: HeaderList): void;
  /** Called when the request was cancelled or is malformed. No response can be sent any more. */
  onAbort(code: number): void;
  /** Called after `write` returned false, when there is space again. */
  onWritable(): void;
}

/** The part of the session that request streams use. */
export interface RequestStreamOwner {
  readonly maxFieldSectionBytes: number;
  readonly fieldSections: FieldSectionReader;
  /** Fields that the client remembers. */
  readonly responseFields: ResponseFieldTable;
  /** @returns the Priority field of an earlier PRIORITY_UPDATE; it replaces the field of the request */
  takePriorityUpdate(streamId: number): string | undefined;
  /** @returns the handler of the request */
  onRequest(stream: Http3RequestStream, head: H2RequestHead): Http3RequestHandler;
  onConnectionError(error: Http3Error): void;
  /** Called for a frame without effect. */
  onIdleFrame(): void;
  /** Called when the client cancels a request before its response is complete. */
  onAborted(): void;
  /** Called at the end of a request. @param well true when the whole response was sent */
  onFinished(stream: Http3RequestStream, well: boolean): void;
}

/** One request and its response. Source: RFC 9114, section 4 */
export class Http3RequestStream implements StreamHandler, FrameHandler {
  readonly #stream: QuicStream;
  readonly #owner: RequestStreamOwner;
  readonly #reader: Http3FrameReader;
  #handler: Http3RequestHandler | undefined;
  /** `head`: nothing has arrived yet. `body`: the head has arrived. `trailers`: no more frames may arrive. */
  #phase: "head" | "body" | "trailers" = "head";
  /** Value of `content-length`; undefined without the field. */
  #contentLength: number | undefined;
  /** Number of received bytes of DATA. At the end it must equal `content-length`. */
  #bodyBytes = 0;
  /** Trailers of the request; empty without any. */
  #trailers: HeaderList = [];
  /** True when a head with a final status was sent. */
  #answered = false;
  /** True when the whole request has arrived, or the rest is not needed. */
  #requestOver = false;
  /** True when the response was written to its end, or cancelled. */
  #answerOver = false;
  /** A field section that waits for entries of the dynamic table. Later bytes wait too. */
  #blockedSection: Buffer | undefined;
  /** True when the stream ended while a field section waits. */
  #endIsHeld = false;
  /** The client's Priority field; undefined without one. */
  #priorityField: string | undefined;

  constructor(stream: QuicStream, owner: RequestStreamOwner) {
    this.#stream = stream;
    this.#owner = owner;
    // The limit of decoded fields also limits their encoded form.
    this.#reader = new Http3FrameReader(this, owner.maxFieldSectionBytes);
    stream.handler = this;
  }

  get id(): number {
    return this.#stream.id;
  }

  /** Number of bytes of the response that were not sent yet. */
  get unsentBytes(): number {
    return this.#stream.unsentBytes;
  }

  // The application calls these.

  /**
   * Sends the head of the response; after a status below 200 another head may follow. @param headers names in lower
   * case
   */
  respond(status: number, headers: HeaderList): void {
    this.#answered ||= status >= 200;
    const priority = status < 200 ? undefined : priorityField(headers);
    if (priority !== undefined) {
      this.#stream.priority = mergedPriority(this.#priorityField ?? "", priority);
    }
    const section = new FieldSectionWriter(this.#owner.responseFields).add(":status", String(status));
    this.#writeFields(section, headers);
  }

  /** Applies a Priority field of the client, from PRIORITY_UPDATE. */
  prioritize(field: string): void {
    this.#priorityField = field;
    this.#stream.priority = readPriority(field);
  }

  /** Sends a part of the body. @returns false when more should wait for `onWritable` */
  write(bytes: Buffer): boolean {
    if (bytes.length === 0) {
      return true;
    }
    this.#stream.write(encodeDataHead(bytes.length));
    return this.#stream.write(bytes);
  }

  /** Ends the response. Trailers are sent before the end. */
  end(trailers: HeaderList = []): void {
    if (trailers.length > 0) {
      this.#writeFields(new FieldSectionWriter(this.#owner.responseFields), trailers);
    }
    this.#stream.end();
    if (!this.#requestOver) {
      // The response is complete, so the rest of the request is not needed: RFC 9114, section 4.1.
      this.#stream.stopReading(http3Errors.noError);
      this.#abandonRequest();
    }
    this.#finishAnswer(true);
  }

  /** Cancels the response and the rest of the request. */
  reset(code: number): void {
    this.#stream.stopReading(code);
    this.#stream.reset(code);
    this.#abandonRequest();
    this.#finishAnswer(false);
  }

  /** Reports that the application has processed this many bytes of the body. */
  consume(bytes: number): void {
    this.#stream.consume(bytes);
  }

  // The QUIC stream calls these.

  onData(bytes: Buffer): void {
    this.#guard(() => this.#reader.push(bytes));
  }

  onEnd(): void {
    if (this.#blockedSection !== undefined) {
      this.#endIsHeld = true;
      return;
    }
    this.#guard(() => {
      this.#reader.end();
      if (this.#phase === "head") {
        throw new Http3Error(http3Errors.requestIncomplete, "the stream ends before the request", false);
      }
      if (this.#contentLength !== undefined && this.#contentLength !== this.#bodyBytes) {
        throw new Http3Error(http3Errors.messageError, "the body is shorter than content-length", false);
      }
      this.#requestOver = true;
      this.#handler?.onEnd(this.#trailers);
    });
  }

  /** Called when the client has reset the request. */
  onReset(code: number): void {
    this.#abandonRequest();
    this.#abort(code);
  }

  /** Called when the client wants no response. */
  onStopSending(code: number): void {
    this.#abort(code);
  }

  onWritable(): void {
    this.#handler?.onWritable();
  }

  // The reader of frames calls these.

  onFrame(type: number): void {
    if (
      type === frameTypes.headers
        ? this.#phase !== "trailers"
        : type === frameTypes.data && this.#phase === "body"
    ) {
      return;
    }
    throw new Http3Error(http3Errors.frameUnexpected, `frame ${type} has no place in a request now`);
  }

  onBody(bytes: Buffer): void {
    this.#bodyBytes += bytes.length;
    if (this.#contentLength !== undefined && this.#bodyBytes > this.#contentLength) {
      throw new Http3Error(http3Errors.messageError, "the body is longer than content-length", false);
    }
    if (this.#handler === undefined || this.#requestOver) {
      this.#stream.consume(bytes.length);
      return;
    }
    this.#handler.onData(bytes);
  }

  onPayload(_: number, payload: Buffer | undefined): void {
    if (payload === undefined) {
      this.#refuseFields();
    } else if (this.#owner.fieldSections.isReady(this.id, payload, () => this.#resume())) {
      this.#readSection(payload);
    } else {
      this.#blockedSection = ownCopy(payload);
      this.#reader.pause();
    }
  }

  /** Continues with a waiting field section, whose entries have arrived. */
  #resume(): void {
    const section = this.#blockedSection;
    this.#blockedSection = undefined;
    if (section === undefined) {
      return;
    }
    this.#guard(() => {
      this.#readSection(section);
      this.#reader.resume();
    });
    if (this.#endIsHeld && this.#blockedSection === undefined && !this.#requestOver) {
      this.onEnd();
    }
  }

  /** Decodes a head or trailers. @throws Http3Error for fields that are not a request */
  #readSection(section: Buffer): void {
    const { fieldSections, maxFieldSectionBytes } = this.#owner;
    const fields = fieldSections.read(this.id, section, maxFieldSectionBytes);
    if (fields === undefined) {
      this.#refuseFields();
      return;
    }
    if (this.#phase === "body") {
      const trailers = readTrailerFields(fields);
      if (typeof trailers === "string") {
        throw new Http3Error(http3Errors.messageError, trailers, false);
      }
      this.#phase = "trailers";
      this.#trailers = trailers;
      return;
    }
    const head = readRequestFields(fields);
    if (typeof head === "string") {
      throw new Http3Error(http3Errors.messageError, head, false);
    }
    if (head.authority === "") {
      // HTTP/2 allows a request without a host; HTTP/3 does not: RFC 9114, section 4.3.1.
      throw new Http3Error(http3Errors.messageError, "neither :authority nor host names a host", false);
    }
    this.#phase = "body";
    this.#contentLength = head.contentLength;
    const priority =
      this.#owner.takePriorityUpdate(this.id) ?? this.#priorityField ?? priorityField(head.headers);
    if (priority !== undefined) {
      this.prioritize(priority);
    }
    this.#handler = this.#owner.onRequest(this, head);
  }

  onConsumed(bytes: number): void {
    this.#stream.consume(bytes);
  }

  onIdleFrame(): void {
    this.#owner.onIdleFrame();
  }

  /** Answers fields above the limit with an error status, because they do not violate the protocol. */
  #refuseFields(): void {
    if (this.#phase === "body" || this.#answered) {
      throw new Http3Error(http3Errors.messageError, "the trailers are too large", false);
    }
    this.#phase = "trailers";
    this.respond(431, ["content-length", "0"]);
    this.end();
  }

  /** Writes a HEADERS frame. */
  #writeFields(section: FieldSectionWriter, headers: HeaderList): void {
    for (let index = 0; index < headers.length; index += 2) {
      section.add(headers[index] as string, headers[index + 1] as string);
    }
    this.#stream.write(encodeFrame(frameTypes.headers, section.written));
    if (section.requiredInserts > 0) {
      this.#owner.responseFields.written(this.id, section.requiredInserts);
    }
  }

  /** Errors of a request end its stream, other errors the connection. */
  #guard(work: () => void): void {
    try {
      work();
    } catch (error) {
      if (!(error instanceof Http3Error)) {
        throw error;
      }
      if (error.endsConnection) {
        this.#owner.onConnectionError(error);
        return;
      }
      this.reset(error.code);
      this.#handler?.onAbort(error.code);
      this.#handler = undefined;
    }
  }

  /** Cancels the response, and calls `onAbort` of the handler once. */
  #abort(code: number): void {
    if (this.#answerOver) {
      return;
    }
    this.#owner.onAborted();
    this.reset(http3Errors.requestCancelled);
    this.#handler?.onAbort(code);
    this.#handler = undefined;
  }

  /** Called when the connection has ended. */
  onConnectionClosed(code: number): void {
    this.#answerOver = true;
    this.#requestOver = true;
    this.#handler?.onAbort(code);
    this.#handler = undefined;
  }

  /** Marks the request as over, because nobody reads the rest. A waiting field section is forgotten. */
  #abandonRequest(): void {
    if (!this.#requestOver) {
      this.#requestOver = true;
      this.#blockedSection = undefined;
      this.#owner.fieldSections.cancel(this.id);
    }
  }

  #finishAnswer(well: boolean): void {
    if (!this.#answerOver) {
      this.#answerOver = true;
      this.#owner.onFinished(this, well);
    }
  }
}
