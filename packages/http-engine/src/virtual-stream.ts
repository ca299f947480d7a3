import type { Socket } from "node:net";
import { ServerError } from "server-core/errors";
import type { Exchange } from "./exchange.ts";
import type { HeaderList } from "./header-list.ts";
import { UnconnectedStream } from "./unconnected-stream.ts";

/**
 * Maximum number of nested virtual requests. A deeper one fails, because a cycle is likely. Source: Caddy 2.11,
 * templates
 */
const maxDepth = 3;
const maxBodyBytes = 16 * 1024 * 1024;

/**
 * Fields that the inner request does not inherit. These fields describe the body, the connection or the cache of the
 * client.
 */
const notHanded =
  /^(?:accept-encoding|connection|content-.*|expect|if-.*|keep-alive|range|te|trailer|transfer-encoding|upgrade)$/i;

function handedFields(headers: HeaderList): HeaderList {
  const fields: HeaderList = [];
  for (let index = 0; index + 1 < headers.length; index += 2) {
    const [name = "", value = ""] = [headers[index], headers[index + 1]];
    if (!notHanded.test(name)) {
      fields.push(name, value);
    }
  }
  return fields;
}

/** A GET request of the server to itself, on behalf of a client. The stream stores the response. */
class VirtualStream extends UnconnectedStream {
  readonly version: string;
  readonly method = "GET";
  readonly target: string;
  readonly authority: string;
  readonly headers: HeaderList;
  readonly socket: Socket;
  readonly depth: number;
  /** Resolves with the status and the whole body. */
  readonly answer = Promise.withResolvers<{ readonly status: number; readonly body: Buffer }>();
  #status = 0;
  #bytes = 0;
  readonly #chunks: Buffer[] = [];

  constructor(outer: Exchange, target: string, depth: number) {
    super();
    const { stream } = outer;
    this.version = stream.version;
    this.authority = stream.authority;
    this.socket = stream.socket;
    this.headers = handedFields(outer.requestHeaders);
    this.target = target;
    this.depth = depth;
  }

  get headSent(): boolean {
    return this.#status !== 0;
  }

  writeHead(status: number): void {
    this.#status = status;
  }

  write(chunk: Uint8Array | string): boolean {
    const bytes = Buffer.from(chunk as Uint8Array);
    this.#bytes += bytes.length;
    if (this.#bytes > maxBodyBytes) {
      this.destroy();
    } else {
      this.#chunks.push(bytes);
    }
    return true;
  }

  end(chunk: Uint8Array | string = ""): void {
    this.write(chunk);
    this.complete = true;
    this.answer.resolve({ status: this.#status, body: Buffer.concat(this.#chunks) });
    this.#close();
  }

  destroy(): void {
    this.answer.promise.catch(() => {}); // the answer may have no reader any more
    this.answer.reject(new ServerError("HTTP_RESPONSE", `${this.target}: the answer was cut`));
    this.#close();
  }

  #close(): void {
    if (!this.closed) {
      this.closed = true;
      setImmediate(() => this.listener?.streamClosed());
    }
  }
}

/**
 * Requests another page from the server that handles a request, without a connection.
 * @param outer the handled request, whose fields the inner request inherits, except for {@link notHanded}
 * @param target path and query
 * @throws ServerError HTTP_RESPONSE for a target that is not a path, for too many nested requests, and for a response
 * that is cut or larger than 16 MiB
 */
export async function askItself(
  outer: Exchange,
  target: string,
): Promise<{ readonly status: number; readonly body: Buffer }> {
  const depth = outer.stream instanceof VirtualStream ? outer.stream.depth + 1 : 1;
  if (depth > maxDepth) {
    throw new ServerError("HTTP_RESPONSE", "virtual request cycle");
  }
  if (!/^\/[\x21-\x7e]*$/.test(target) || outer.server.take === undefined) {
    throw new ServerError("HTTP_RESPONSE", `${JSON.stringify(target)} is no path that can be asked for`);
  }
  const stream = new VirtualStream(outer, target, depth);
  outer.server.take(stream);
  return stream.answer.promise;
}
