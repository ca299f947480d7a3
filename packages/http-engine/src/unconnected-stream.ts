import type { Socket } from "node:net";
import { ServerError } from "server-core/errors";
import { BytesReadable } from "./body/contained-stream.ts";
import type { HeaderList } from "./header-list.ts";
import type { DetachedConnection, HttpStream, StreamListener } from "./http-stream.ts";

const noBytes = new Uint8Array();

/**
 * A request without a body and without a connection, such as a simulated request. The subclass stores the response.
 *
 * Methods that concern a connection do nothing, because there is no connection to close, flush or upgrade.
 */
export abstract class UnconnectedStream implements HttpStream {
  abstract readonly version: string;
  abstract readonly method: string;
  abstract readonly target: string;
  abstract readonly authority: string;
  abstract readonly headers: HeaderList;
  abstract readonly socket: Socket;
  readonly hasBody = false;
  readonly bodyLength = undefined;
  readonly body = new BytesReadable(noBytes);
  readonly bodyTouched = false;
  readonly bodyBytesRead = 0;
  readonly wholeBody = undefined;
  readonly requestTrailers: HeaderList = [];
  readonly upgradeProtocol = "";
  listener: StreamListener | undefined;
  complete = false;
  closed = false;

  abstract get headSent(): boolean;
  abstract writeHead(status: number, headers: HeaderList): void;
  abstract write(chunk: Uint8Array | string): boolean;
  abstract end(chunk?: Uint8Array | string): void;
  abstract destroy(): void;

  respond(status: number, headers: HeaderList, body: Uint8Array | string): void {
    this.writeHead(status, headers);
    this.end(body);
  }

  cut(): void {
    this.destroy();
  }

  flush(): void {}
  addTrailers(): void {}
  closeAfterwards(): void {}
  writeInterim(): void {}

  onceDrain(callback: () => void): void {
    setImmediate(callback);
  }

  switchProtocols(): DetachedConnection {
    throw new ServerError("HTTP_RESPONSE", "a request of the server to itself cannot leave HTTP");
  }
}
