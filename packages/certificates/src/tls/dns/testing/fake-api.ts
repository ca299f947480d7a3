import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

/** A request as the fake receives it. */
export interface FakeRequest {
  readonly method: string;
  /** Unescaped parts of the path. */
  readonly parts: readonly string[];
  readonly query: URLSearchParams;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
  /** The body as JSON; undefined when it is not JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: a fake reads what the provider's document describes
  readonly json: any;
}

/** An answer of the fake: a status, and JSON or a text. */
export interface FakeReply {
  readonly status?: number;
  readonly body?: object | string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A value of a record in the fake's zone. */
export interface FakeRecord {
  readonly id: number;
  readonly label: string;
  readonly type: string;
  readonly value: string;
  readonly ttl: number;
}

/** The zone `example.com` as a provider stores it; the fakes of all providers change it through their own API. */
export class FakeZone {
  readonly name = "example.com";
  records: FakeRecord[] = [];
  #lastId = 0;

  add(label: string, type: string, value: string, ttl: number): FakeRecord {
    this.#lastId += 1;
    const record = { id: this.#lastId, label, type, value, ttl };
    this.records.push(record);
    return record;
  }

  of(label: string, type: string): FakeRecord[] {
    return this.records.filter((record) => record.label === label && record.type === type);
  }

  delete(which: (record: FakeRecord) => boolean): void {
    this.records = this.records.filter((record) => !which(record));
  }

  /** Replaces all values of a name. */
  set(label: string, type: string, values: readonly string[], ttl: number): void {
    this.delete((record) => record.label === label && record.type === type);
    for (const value of values) {
      this.add(label, type, value, ttl);
    }
  }
}

/** The part of a name below `example.com`; "" for itself, and for `@`. */
export function labelOf(name: string): string {
  const plain = name.replace(/\.$/, "");
  return plain === "example.com" || plain === "@" ? "" : plain.replace(/\.example\.com$/, "");
}

/** An HTTP server that responds with the result of `handle`, and records its requests. */
export class FakeApi {
  readonly requests: FakeRequest[] = [];
  readonly #server: Server;

  private constructor(handle: (request: FakeRequest) => FakeReply) {
    this.#server = createServer(async (incoming, response) => {
      const url = new URL(incoming.url ?? "/", "http://fake");
      const body = await text(incoming);
      let json: unknown;
      try {
        json = JSON.parse(body);
      } catch {}
      const request: FakeRequest = {
        method: incoming.method ?? "",
        parts: url.pathname.split("/").slice(1).map(decodeURIComponent),
        query: url.searchParams,
        headers: incoming.headers,
        text: body,
        json,
      };
      this.requests.push(request);
      const { status = 200, body: answer = "", headers = {} } = handle(request);
      response.writeHead(status, headers);
      response.end(typeof answer === "string" ? answer : JSON.stringify(answer));
    });
  }

  static async start(handle: (request: FakeRequest) => FakeReply): Promise<FakeApi> {
    const api = new FakeApi(handle);
    api.#server.listen(0, "127.0.0.1");
    await once(api.#server, "listening");
    return api;
  }

  get origin(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, "close");
  }
}
