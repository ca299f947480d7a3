import type { Socket } from "node:net";
import { Readable } from "node:stream";
import { Exchange, type ExchangeServer } from "../exchange.ts";
import type { HeaderList } from "../header-list.ts";
import { getHeader } from "../header-list.ts";
import type { HttpStream } from "../http-stream.ts";
import { RequestMemo } from "../request-memo.ts";

export interface MadeRequest {
  readonly method?: string;
  /** Path and query as sent. */
  readonly target?: string;
  /** Header fields besides `Host`: name, value, name, value, … */
  readonly headers?: readonly string[];
  readonly host?: string;
  readonly remoteAddress?: string;
  /** `1.0`, `1.1`, `2.0`. */
  readonly version?: string;
  readonly encrypted?: boolean;
  readonly body?: string;
  readonly server?: Partial<ExchangeServer>;
}

/** An exchange and the response that was written to it. */
export interface MadeExchange {
  readonly exchange: Exchange;
  /** Status of the response; 0 before there is a response. */
  status(): number;
  header(name: string): string | undefined;
  body(): Buffer;
}

/** For tests: an exchange without a socket that keeps its response. */
export function makeAnswering(made: MadeRequest = {}): MadeExchange {
  const chunks: Buffer[] = [];
  let status = 0;
  let headers: HeaderList = [];
  let ended = false;
  const head = (code: number, list: HeaderList) => {
    status = code;
    headers = list;
  };
  const stream: HttpStream = {
    version: made.version ?? "1.1",
    method: made.method ?? "GET",
    target: made.target ?? "/",
    authority: made.host ?? "example.com",
    headers: ["Host", made.host ?? "example.com", ...(made.headers ?? [])],
    socket: {
      remoteAddress: made.remoteAddress ?? "192.0.2.1",
      remotePort: 4321,
      localAddress: "192.0.2.2",
      localPort: 80,
      ...(made.encrypted ? { encrypted: true } : {}),
    } as unknown as Socket,
    hasBody: made.body !== undefined,
    bodyLength: made.body === undefined ? undefined : Buffer.byteLength(made.body),
    body: Readable.from(made.body === undefined ? [] : [Buffer.from(made.body)]),
    bodyTouched: false,
    bodyBytesRead: 0,
    wholeBody: undefined,
    requestTrailers: [],
    upgradeProtocol: "",
    get headSent() {
      return status !== 0;
    },
    get complete() {
      return ended;
    },
    closed: false,
    listener: undefined,
    respond(code, list, body) {
      head(code, list);
      chunks.push(Buffer.from(body as Uint8Array));
      ended = true;
    },
    writeHead: head,
    write(chunk) {
      chunks.push(Buffer.from(chunk as Uint8Array));
      return true;
    },
    end(chunk) {
      chunks.push(Buffer.from((chunk ?? "") as Uint8Array));
      ended = true;
    },
    flush() {},
    addTrailers() {},
    onceDrain(callback) {
      setImmediate(callback);
    },
    closeAfterwards() {},
    switchProtocols() {
      throw new Error("no connection behind it");
    },
    writeInterim() {},
    destroy() {},
    cut() {},
  };
  return {
    exchange: new Exchange({ product: "server", requestMemo: new RequestMemo(), ...made.server }, stream),
    status: () => status,
    header: (name) => getHeader(headers, name),
    body: () => Buffer.concat(chunks),
  };
}

/** For tests: an exchange for code that only reads the request. */
export function makeExchange(made: MadeRequest = {}): Exchange {
  return makeAnswering(made).exchange;
}
