import type { HeaderList } from "../header-list.ts";
import { ChunkedDecoder } from "../http1/chunked-decoder.ts";
import type { Http1Error } from "../http1/http1-error.ts";
import type { RequestHead } from "../http1/request-head.ts";

/** Values by name in lower case. */
export type RequestHeaders = Readonly<Record<string, string | undefined>>;

/** A received request: its head, and a body that arrives when it is read. */
export class Http1Request {
  readonly method: string;
  /** The target as sent: mostly a path with its query. */
  readonly url: string;
  /** Names and values in turn, as sent. */
  readonly fields: HeaderList;
  readonly #body: RequestBody | undefined;
  #headers: RequestHeaders | undefined;

  /** @param body undefined: the request has none */
  constructor({ method, target, fields }: RequestHead, body: RequestBody | undefined) {
    this.method = method;
    this.url = target;
    this.fields = fields.headers;
    this.#body = body;
  }

  /**
   * The fields by name in lower case. Values of a repeated field are joined by ", ", as RFC 9110 allows; of a repeated
   * `Content-Type` the first one counts.
   */
  get headers(): RequestHeaders {
    this.#headers ??= joined(this.fields);
    return this.#headers;
  }

  /** All values of each field, by name in lower case. */
  get headersDistinct(): Readonly<Record<string, readonly string[] | undefined>> {
    const values: Record<string, string[]> = Object.create(null);
    for (let index = 0; index < this.fields.length; index += 2) {
      const name = (this.fields[index] as string).toLowerCase();
      values[name] ??= [];
      values[name].push(this.fields[index + 1] as string);
    }
    return values;
  }

  /** Reads the body. The consumer may be called before this returns. */
  readBody(consumer: BodyConsumer): void {
    if (this.#body === undefined) {
      consumer.end();
    } else {
      this.#body.read(consumer);
    }
  }

  /** Reads and drops the rest of the body, so that its sender finishes and reads the response. */
  dropBody(): void {
    this.#body?.drop();
  }
}

function joined(fields: HeaderList): RequestHeaders {
  const values: Record<string, string | undefined> = Object.create(null);
  for (let index = 0; index < fields.length; index += 2) {
    const name = (fields[index] as string).toLowerCase();
    const value = fields[index + 1] as string;
    const before = values[name];
    if (before === undefined) {
      values[name] = value;
    } else if (name !== "content-type") {
      values[name] = `${before}, ${value}`;
    }
  }
  return values;
}

/** Receives the body of a request. Either `end` or `fail` is called once, and nothing after it. */
export interface BodyConsumer {
  /** Takes a piece of the body; it is never empty. */
  data(chunk: Buffer): void;
  /** The whole body has arrived. */
  end(): void;
  /** The body is broken, late or cut. */
  fail(error: Http1Error): void;
}

/** The part of a connection that a body uses. */
export interface BodyFeeder {
  /** Called when the server starts to read a body. */
  bodyWanted(body: RequestBody): void;
  /** Called when nobody will read the rest of a body. */
  bodyLeftAlone(body: RequestBody): void;
}

/** The body of one request: finds its bytes among the bytes of the connection, and passes them on or drops them. */
export class RequestBody {
  readonly #feeder: BodyFeeder;
  readonly #maxDroppedBytes: number;
  readonly #decoder: ChunkedDecoder | undefined;
  /** Bytes of a declared length that have not arrived yet; -1 for a chunked body. */
  #left: number;
  #consumer: BodyConsumer | undefined;
  #droppedBytes = 0;
  #fault: Http1Error | undefined;
  #isDone: boolean;
  #isDropped = false;
  #isWanted = false;

  /**
   * @param length bytes of the body; -1: chunked
   * @param maxDroppedBytes limit of bytes that are read and dropped to keep the connection
   */
  constructor(feeder: BodyFeeder, length: number, maxDroppedBytes: number) {
    this.#feeder = feeder;
    this.#maxDroppedBytes = maxDroppedBytes;
    this.#left = length;
    this.#isDone = length === 0;
    this.#decoder = length === -1 ? new ChunkedDecoder((data) => this.#handOn(data)) : undefined;
  }

  /** True when the whole body has arrived, or no further part will be read. */
  get isDone(): boolean {
    return this.#isDone;
  }

  /** True when arriving bytes are dropped. */
  get isDropped(): boolean {
    return this.#isDropped;
  }

  /** True when the server has started to read the body. */
  get isWanted(): boolean {
    return this.#isWanted;
  }

  /** True when the unread rest may be small enough to be dropped. */
  get isDroppable(): boolean {
    return this.#left + this.#droppedBytes <= this.#maxDroppedBytes;
  }

  /** Starts to read. The consumer may be called before this returns. */
  read(consumer: BodyConsumer): void {
    if (this.#fault !== undefined) {
      consumer.fail(this.#fault);
    } else if (this.#isDone) {
      consumer.end();
    } else {
      this.#consumer = consumer;
      this.#isWanted = true;
      this.#feeder.bodyWanted(this);
    }
  }

  /** Drops what has not arrived yet. The consumer is not called any more. */
  drop(): void {
    this.#consumer = undefined;
    if (!this.#isDone && !this.#isDropped) {
      this.#isDropped = true;
      this.#feeder.bodyLeftAlone(this);
    }
  }

  /**
   * Reads the bytes that belong to the body. The consumer learns of the end by {@link end}.
   * @returns number of bytes that belong to the body; later bytes belong to the next request
   * @throws Http1Error for a malformed chunk
   */
  take(bytes: Buffer): number {
    if (this.#decoder !== undefined) {
      const used = this.#decoder.push(bytes);
      this.#isDone = this.#decoder.done;
      return used;
    }
    const used = Math.min(bytes.length, this.#left);
    this.#left -= used;
    this.#handOn(used === bytes.length ? bytes : bytes.subarray(0, used));
    this.#isDone = this.#left === 0;
    return used;
  }

  /** Tells the consumer that the whole body has arrived. */
  end(): void {
    const consumer = this.#consumer;
    this.#consumer = undefined;
    consumer?.end();
  }

  /** Ends a body that is broken, late or cut. Its consumer gets the error, a later one too. */
  fail(error: Http1Error): void {
    const consumer = this.#consumer;
    this.#consumer = undefined;
    this.#isDone = true;
    this.#fault = error;
    consumer?.fail(error);
  }

  /** Stops reading: the rest is not worth being dropped. */
  abandon(): void {
    this.#consumer = undefined;
    this.#isDone = true;
  }

  #handOn(data: Buffer): void {
    if (this.#consumer === undefined) {
      this.#droppedBytes += data.length;
    } else {
      this.#consumer.data(data);
    }
  }
}
