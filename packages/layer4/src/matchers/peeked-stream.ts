import type { Socket } from "node:net";
import type { HeaderList } from "http-engine/header-list";
import { UnconnectedStream } from "http-engine/unconnected-stream";
import type { Connection } from "../connection/connection.ts";

/** The head of a request that is only inspected. */
export interface FirstRequest {
  /** Method as sent; clients use upper case: `GET`. */
  readonly method: string;
  /** Path and query as sent. */
  readonly target: string;
  /** `1.0`, `1.1` or `2.0`. */
  readonly version: string;
  /** Value of `Host` or `:authority`. */
  readonly authority: string;
  /** Names and values, alternating. */
  readonly headers: HeaderList;
}

/** The first request of a connection, only for matchers. Its response methods do nothing. */
export class PeekedStream extends UnconnectedStream {
  readonly version: string;
  readonly method: string;
  readonly target: string;
  readonly authority: string;
  readonly headers: HeaderList;
  readonly socket: Socket;
  readonly headSent = false;

  constructor(request: FirstRequest, { addresses, stream }: Connection) {
    super();
    this.version = request.version;
    this.method = request.method;
    this.target = request.target;
    this.authority = request.authority;
    this.headers = request.headers;
    const { remoteAddress, remotePort, localAddress, localPort } = addresses;
    const secure = "encrypted" in stream ? { encrypted: true } : {};
    this.socket = { remoteAddress, remotePort, localAddress, localPort, ...secure } as unknown as Socket;
  }

  writeHead(): void {}

  write(): boolean {
    return true;
  }

  end(): void {
    this.closed = true;
  }

  destroy(): void {
    this.closed = true;
  }
}
