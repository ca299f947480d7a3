import { EventEmitter } from "node:events";
import { PassThrough, Transform } from "node:stream";
import {
  defineModule,
  type Exchange,
  type HttpHandler,
  type ModuleInstance,
  ResponseFilter,
  type ResponseSink,
  z,
} from "admin-server/module";
import type { Moment, Way } from "./fault-kinds.ts";

/** Modules that make every mistake that a user's module can make. A test loads this file as a user's module. */

function fail(way: Way): void {
  const error = new Error(`sabotage: ${way}`);
  switch (way) {
    case "throw":
      throw error;
    case "reject":
      void Promise.reject(error);
      break;
    case "late":
      setTimeout(() => {
        throw error;
      });
      break;
    case "emit": {
      const emitter = new EventEmitter();
      setTimeout(() => emitter.emit("error", error));
      setTimeout(() => emitter.emit("error", error), 1);
      break;
    }
    default:
      new PassThrough().destroy(error);
  }
}

class BadFilter extends ResponseFilter {
  readonly #at: Moment;
  readonly #way: Way;

  constructor(below: ResponseSink, at: Moment, way: Way) {
    super(below);
    this.#at = at;
    this.#way = way;
  }

  override write(chunk: Uint8Array): boolean {
    if (this.#at === "filter") {
      fail(this.#way);
    }
    return super.write(chunk);
  }

  override end(chunk?: Uint8Array): void {
    if (this.#at === "filter-end") {
      fail(this.#way);
    }
    super.end(chunk);
  }
}

const text = Buffer.from("sabotaged text, ".repeat(64));

function answer(exchange: Exchange, way?: Way): void {
  exchange.responseHeaders.push("Content-Type", "text/plain");
  exchange.writeHead(200);
  exchange.write(text);
  if (way !== undefined) {
    fail(way);
  }
  exchange.finish(text);
}

/** Resolves at the end of the body; rejects when the body breaks. */
function readBody(exchange: Exchange, at: Moment, way: Way): Promise<void> {
  return new Promise((resolve, reject) => {
    const { body } = exchange;
    body.on("data", () => {
      if (at === "body") {
        fail(way);
      }
    });
    body.once("end", () => {
      if (at === "body-end") {
        fail(way);
      }
      resolve();
    });
    body.once("error", reject);
    body.once("close", resolve);
  });
}

async function handle(exchange: Exchange): Promise<void> {
  const query = new URLSearchParams(exchange.query);
  const at = query.get("at") as Moment;
  const way = query.get("way") as Way;
  switch (at) {
    case "before":
      fail(way);
      answer(exchange);
      break;
    case "body":
    case "body-end":
      await readBody(exchange, at, way);
      answer(exchange);
      break;
    case "head":
      exchange.beforeHead(() => fail(way));
      answer(exchange);
      break;
    case "piece":
      answer(exchange, way);
      break;
    case "filter":
    case "filter-end":
      exchange.interceptResponse((below) => new BadFilter(below, at, way));
      answer(exchange);
      break;
    case "drain":
      exchange.writeHead(200);
      exchange.write(Buffer.alloc(1024 * 1024));
      exchange.onceDrain(() => {
        fail(way);
        exchange.finish();
      });
      break;
    case "answered":
      answer(exchange);
      fail(way);
      break;
    case "end":
      exchange.onEnd(() => fail(way));
      answer(exchange);
      break;
    case "later":
      answer(exchange);
      setTimeout(() => fail(way), 5);
      break;
    case "wait":
      await new Promise(() => setTimeout(() => fail(way), 5));
      break;
    default:
      answer(exchange);
  }
}

const nothing = z.strictObject({});

/** An instance with the members that its namespace requires. */
interface Instance extends ModuleInstance {
  readonly [member: string]: unknown;
}

const handler = defineModule({
  id: "http.handlers.saboteur",
  config: nothing,
  provision(): HttpHandler {
    // This work does not belong to any request.
    setTimeout(() => fail("late"), 20);
    return { handle };
  },
});

/** Each written line fails in a different way. */
const writer = defineModule({
  id: "logging.writers.saboteur",
  config: nothing,
  provision(): Instance {
    let lines = 0;
    return {
      write() {
        lines++;
        fail((["throw", "reject", "late", "emit", "stream"] as const)[lines % 5] ?? "throw");
      },
    };
  },
});

/** A content coding whose stream fails with the second piece, at its end, or twice. */
function breakingStream(): Transform {
  let pieces = 0;
  const stream = new Transform({
    transform(chunk, _encoding, done) {
      pieces++;
      if (pieces === 2) {
        stream.emit("error", new Error("sabotage: coding"));
      }
      done(pieces > 2 ? new Error("sabotage: coding again") : null, chunk);
    },
    flush(done) {
      done(new Error("sabotage: end of coding"));
    },
  });
  return stream;
}

const encoder = defineModule({
  id: "http.encoders.saboteur",
  config: nothing,
  provision: (): Instance => ({
    name: "saboteur",
    key: "saboteur",
    encode() {
      throw new Error("sabotage: coding at once");
    },
    createStream: () => Object.assign(breakingStream(), { flush: (...args: unknown[]) => callLast(args) }),
  }),
});

function callLast(args: readonly unknown[]): void {
  const last = args.at(-1);
  if (typeof last === "function") {
    last();
  }
}

const matcher = defineModule({
  id: "http.matchers.saboteur",
  config: nothing,
  provision: (): Instance => ({
    matches(exchange: Exchange) {
      fail(new URLSearchParams(exchange.query).get("way") as Way);
      return true;
    },
  }),
});

/** Announces an answer, and fails before, during or after it. */
const transport = defineModule({
  id: "http.reverse_proxy.transport.saboteur",
  config: nothing,
  provision: (): Instance => ({
    call(
      _dial: unknown,
      request: { readonly exchange: Exchange },
      receiver: {
        head(status: number, headers: string[], version: string): void;
        data(chunk: Buffer): boolean;
        end(trailers: string[]): void;
      },
    ) {
      const query = new URLSearchParams(request.exchange.query);
      const way = query.get("way") as Way;
      const at = query.get("at") as Moment;
      setTimeout(() => {
        if (at === "before") {
          fail(way);
        }
        receiver.head(200, ["Content-Type", "text/plain"], "1.1");
        receiver.data(text);
        if (at === "piece") {
          fail(way);
        }
        receiver.end([]);
        if (at === "later") {
          fail(way);
        }
      });
      return { resume() {}, abort() {} };
    },
  }),
});

export default [handler, writer, encoder, matcher, transport];
