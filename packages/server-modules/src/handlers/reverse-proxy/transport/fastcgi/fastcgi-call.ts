import type { Socket } from "node:net";
import type { Logger } from "lifecycle";
import { runFor } from "server-core/threads/error-owner";
import { keepEndToEnd } from "../../proxy-headers.ts";
import { BodyWriter } from "../body-writer.ts";
import { readBufferOf } from "../read-buffer.ts";
import type { CallStage, ResponseReceiver, UpstreamCall, UpstreamRequest } from "../transport.ts";
import { cgiHeadEnd, parseCgiHead } from "./cgi-head.ts";
import { encodeBegin, encodeParameters, encodeRecords, RecordReader, recordType } from "./records.ts";

/**
 * Maximum number of bytes of the response head. A longer head fails the call, so that a program cannot fill the memory.
 */
const maxHeadBytes = 1024 * 1024;
/** Maximum number of bytes of a program's error output that are logged. Further error output is dropped. */
const maxStderrBytes = 64 * 1024;
const noBytes = Buffer.alloc(0);

/** Timeouts and log, shared by all calls of a transport. */
export interface FastcgiLimits {
  /** Milliseconds without a byte from the upstream; 0 for no limit. */
  readonly readTimeoutMs: number;
  /** Milliseconds in which the upstream accepts no byte; 0 for no limit. */
  readonly writeTimeoutMs: number;
  /** Log for the standard error of programs, at level error; undefined: their output is not logged as an error. */
  readonly stderrLog: Logger | undefined;
}

/**
 * One request to a FastCGI responder, on a separate connection.
 * | State | Begins with | Ends with |
 * |---|---|---|
 * | `dial` | the call | a socket (`run`) or `fail` |
 * | `sent` | BEGIN_REQUEST, PARAMS and STDIN are written | an empty line in STDOUT |
 * | `response` | the head is passed on | END_REQUEST, or an error |
 *
 * The connection carries one request: FCGI_KEEP_CONN is not set, and the socket is destroyed at the end.
 */
export class FastcgiCall implements UpstreamCall {
  readonly #receiver: ResponseReceiver;
  readonly #limits: FastcgiLimits;
  /** The connection; undefined before the dial. */
  #socket: Socket | undefined;
  /** Sends a streamed body; undefined for a buffered body and without a body. */
  #writer: BodyWriter | undefined;
  #stage: CallStage = "dial";
  /** Bytes of the head until now. The head may arrive in several records. */
  #head: Buffer = noBytes;
  /** True once the head was passed on: all later output is body. */
  #headDone = false;
  /**
   * Remaining bytes of the declared body; Infinity without a declared length. Most programs print a body for HEAD too:
   * filters need it to compute the response headers, and the client's stream discards it.
   */
  #left = Number.POSITIVE_INFINITY;
  /** Text of STDERR records, logged as one message at the end. */
  #stderr = "";
  #isHead = false;
  /** True after the end. The receiver gets no more events. */
  #over = false;
  /** Cancels the dial; undefined before the dial begins and after it ends. */
  cancelDial: (() => void) | undefined;

  constructor(receiver: ResponseReceiver, limits: FastcgiLimits) {
    this.#receiver = receiver;
    this.#limits = limits;
  }

  /** Sends the request on a new connection. */
  run(socket: Socket, request: UpstreamRequest, parameters: ReadonlyMap<string, string>): void {
    this.#socket = socket;
    this.#isHead = request.method === "HEAD";
    this.#stage = "sent";
    const silenceMs = Math.max(this.#limits.readTimeoutMs, this.#limits.writeTimeoutMs);
    if (silenceMs > 0) {
      socket.setTimeout(silenceMs, () => this.fail(new Error(`nothing moved for ${silenceMs} ms`), true));
    }
    this.#read(socket, request);
    socket.on("end", () => this.#gone(new Error("the upstream closed the connection")));
    socket.on("error", (error) => this.#gone(error));
    socket.on("close", () => this.#gone(new Error("the connection was closed")));
    this.#receiver.sent();
    socket.write(Buffer.concat([encodeBegin(), encodeParameters(parameters)]));
    this.#sendBody(socket, request.body);
  }

  /**
   * Passes the socket's bytes to the record reader, in the async context of the client's request. A malformed record
   * fails the call.
   */
  #read(socket: Socket, { exchange }: UpstreamRequest): void {
    const reader = new RecordReader((type, content) => this.#take(type, content));
    const take = (bytes: Buffer): void => {
      if (!this.#over) {
        try {
          if (exchange === undefined) {
            reader.push(bytes);
          } else {
            runFor(exchange, (piece) => reader.push(piece), bytes);
          }
        } catch (error) {
          this.fail(error as Error);
        }
      }
    };
    const buffer = readBufferOf(socket);
    if (buffer === undefined) {
      socket.on("data", take);
      return;
    }
    buffer.take = (bytes) => {
      take(bytes);
      return true;
    };
  }

  resume(): void {
    this.#socket?.resume();
  }

  abort(): void {
    if (!this.#over) {
      this.#finish();
    }
  }

  /** Ends the call with an error. The stage says how far the call had proceeded. */
  fail(error: Error, timedOut = false): void {
    if (!this.#over) {
      this.#finish();
      this.#receiver.failed(error, this.#stage, timedOut);
    }
  }

  /** A response to HEAD is complete with its head, so later errors of the program are ignored. */
  #gone(error: Error): void {
    if (this.#isHead && this.#headDone && !this.#over) {
      this.#end();
    } else {
      this.fail(error);
    }
  }

  /** Sends the body as STDIN records, followed by an empty record. */
  #sendBody(socket: Socket, body: UpstreamRequest["body"]): void {
    const end = encodeRecords(recordType.stdin, noBytes);
    if (body === undefined || body instanceof Uint8Array) {
      socket.write(
        body === undefined || body.length === 0
          ? end
          : Buffer.concat([encodeRecords(recordType.stdin, body), end]),
      );
      return;
    }
    const sink = {
      write: (chunk: Buffer) => socket.write(encodeRecords(recordType.stdin, chunk)),
      onceDrain: (callback: () => void) => socket.once("drain", callback),
    };
    this.#writer = new BodyWriter(body, sink, (error) => {
      if (error === undefined) {
        socket.write(end);
      } else {
        this.fail(error);
      }
    });
  }

  /**
   * Handles one record: STDOUT is the response, STDERR goes to the log, END_REQUEST ends the call. Records of other
   * types are ignored.
   */
  #take(type: number, content: Buffer): void {
    if (this.#over) {
      return;
    }
    if (type === recordType.stdout && content.length > 0) {
      this.#takeOutput(content);
    } else if (type === recordType.stderr && this.#stderr.length < maxStderrBytes) {
      this.#stderr += content.toString("utf8");
    } else if (type === recordType.endRequest) {
      this.#end();
    }
  }

  /** Collects the head, then passes the body on. */
  #takeOutput(content: Buffer): void {
    if (this.#headDone) {
      this.#handOn(content);
      return;
    }
    this.#head = Buffer.concat([this.#head, content]);
    const found = cgiHeadEnd(this.#head);
    if (found === undefined) {
      if (this.#head.length > maxHeadBytes) {
        this.fail(new Error(`the response head is longer than the limit of ${maxHeadBytes} bytes`));
      }
      return;
    }
    const { status, headers, length } = parseCgiHead(this.#head.toString("latin1", 0, found.end));
    const rest = this.#head.subarray(found.body);
    this.#head = noBytes;
    this.#headDone = true;
    this.#stage = "response";
    this.#left = Math.min(this.#left, length ?? this.#left);
    this.#receiver.head(status, keepEndToEnd(headers), "1.1");
    process.nextTick(() => this.#handedOver());
    if (rest.length > 0) {
      this.#handOn(rest);
    }
  }

  #handedOver(): void {
    if (!this.#over) {
      this.#receiver.handedOver?.();
    }
  }

  /** Passes on at most the declared length. A slow client pauses the socket. */
  #handOn(content: Buffer): void {
    const part = content.length <= this.#left ? content : content.subarray(0, this.#left);
    this.#left -= part.length;
    if (!this.#over && part.length > 0 && !this.#receiver.data(part)) {
      this.#socket?.pause();
    }
  }

  /** Called when the program has ended. A missing head is an error. */
  #end(): void {
    if (!this.#headDone) {
      this.fail(new Error("the program ended without a response"));
      return;
    }
    this.#finish();
    this.#receiver.end([]);
  }

  /** Closes the connection and logs STDERR. The function runs once. */
  #finish(): void {
    this.#over = true;
    this.#writer?.stop();
    this.cancelDial?.();
    this.#socket?.on("error", () => {});
    this.#socket?.destroy();
    if (this.#stderr !== "") {
      this.#limits.stderrLog?.error(`fastcgi: ${this.#stderr.trimEnd()}`);
    }
  }
}
