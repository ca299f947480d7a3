import type { Socket } from "node:net";
import { setTlsDetails } from "certificates/tls/connection/tls-details";
import { type HeaderList, headerBytes } from "../header-list.ts";
import { UnconnectedStream } from "../unconnected-stream.ts";
import type { RehearsalRequest } from "./rehearsal-request.ts";

/** A socket object without a connection, with the properties that matchers and placeholders read. */
function socketOf({ remoteAddress, port, scheme, hostport }: RehearsalRequest): Socket {
  const addresses = {
    ...{ remoteAddress, remotePort: 0, localAddress: "", localPort: port ?? 0 },
    ...(scheme === "https" && { encrypted: true }),
  };
  const socket = addresses as unknown as Socket;
  if (scheme === "https") {
    const serverName = hostport
      .replace(/:\d*$/, "")
      .replace(/^\[|\]$/g, "")
      .toLowerCase();
    setTlsDetails(socket, { serverName, version: "TLSv1.3", cipher: "TLS_AES_128_GCM_SHA256" });
  }
  return socket;
}

/** The stream of a simulated request. The stream stores status and fields of the response. */
export class RehearsalStream extends UnconnectedStream {
  readonly version = "1.1";
  readonly method: string;
  readonly target: string;
  readonly authority: string;
  readonly headers: HeaderList;
  readonly socket: Socket;
  /** Status of the response; 0 before there is a response. */
  status = 0;
  responseHeaders: HeaderList = [];

  constructor(request: RehearsalRequest) {
    super();
    this.method = request.method;
    this.target = request.target;
    this.authority = request.hostport;
    this.headers = ["Host", request.hostport, ...request.headers.map(headerBytes)];
    this.socket = socketOf(request);
  }

  get headSent(): boolean {
    return this.status !== 0;
  }

  writeHead(status: number, headers: HeaderList): void {
    this.status = status;
    this.responseHeaders = [...headers];
  }

  write(): boolean {
    return true;
  }

  end(): void {
    this.complete = true;
    this.closed = true;
  }

  destroy(): void {
    this.closed = true;
  }
}
