import type { Socket } from "node:net";
import type { Message } from "../client/message-reader.ts";
import type { Progress } from "../client/progress.ts";
import { exchangeIdOf } from "../client/request-bytes.ts";
import type { MarkedPort } from "../site-marks.ts";
import type { Facts } from "../twin-case.ts";
import { requestIdOf, type SeenRequest, seenFacts } from "./seen-request.ts";

interface Record_ {
  readonly id: string;
  readonly requestId: string;
  readonly request: SeenRequest;
  isFinished: boolean;
  isLost: boolean;
}

/** A request that an upstream has accepted. */
export interface TakenRequest {
  readonly id: string;
  finish(): void;
  /**
   * Called when a connection that had been used before ends without a byte of an answer: the request may have been sent
   * while the connection was closing.
   */
  lose(): void;
}

/** An exchange has at most this many requests. */
export const mostRequests = 3;

/** The preface of HTTP/2, as an HTTP/1 server reads it. */
const preface = /^(PRI \* HTTP\/2\.0|SM)$/;

/** Milliseconds for a piece to pass a server, on a machine that is not busy. */
export const usualPieceLimitMs = 200;

/** All requests that the upstreams of one server have received for a case. */
export class SeenRequests {
  readonly #progress = new Map<string, Progress>();
  readonly #flow = new Map<string, string>();
  readonly #sockets = new Set<Socket>();
  #records: Record_[] = [];
  /** Milliseconds: a piece that needs longer was held back by the server. */
  pieceLimitMs = usualPieceLimitMs;

  /** Forgets a case, and closes the connections that it left open. */
  clear(): void {
    this.#records = [];
    this.#progress.clear();
    this.#flow.clear();
  }

  opened(socket: Socket): void {
    this.#sockets.add(socket);
    socket.once("close", () => this.#sockets.delete(socket));
  }

  closeAll(): void {
    for (const socket of this.#sockets) {
      socket.destroy();
    }
  }

  expect(id: string, progress: Progress): void {
    this.#progress.set(id, progress);
  }

  progressOf(id: string): Progress | undefined {
    return this.#progress.get(id);
  }

  noteFlow(id: string, hasArrived: boolean): void {
    this.#flow.set(id, (this.#flow.get(id) ?? "") + (hasArrived ? "flows " : "held "));
  }

  begin(to: MarkedPort, message: Message): TakenRequest {
    return this.add(requestIdOf(message.fields), {
      to,
      start: message.start,
      fields: message.fields,
      body: message.body,
      framing: message.framing,
      trailers: message.trailers,
      get isComplete() {
        return message.isComplete;
      },
    });
  }

  /** @param requestId the id that the client sent */
  add(requestId: string, request: SeenRequest): TakenRequest {
    const id = exchangeIdOf(requestId);
    const record: Record_ = { id, requestId, request, isFinished: false, isLost: false };
    this.#records.push(record);
    return {
      id,
      finish() {
        record.isFinished = true;
      },
      lose() {
        record.isLost = true;
      },
    };
  }

  /** True while a request is still at an upstream. */
  get isBusy(): boolean {
    return this.#records.some(({ isFinished }) => !isFinished);
  }

  /**
   * Facts about an exchange from its upstreams. @param skipsPlace true: leaves out facts that depend on the chosen
   * upstream
   */
  factsOf(id: string, skipsPlace: boolean): Facts {
    const facts: Record<string, string> = {};
    const all = this.#records.filter((record) => record.id === id);
    // Each server decides itself which connections it keeps, and therefore which requests must be sent again.
    const isSentAgain = ({ requestId, request, isLost }: Record_) =>
      isLost &&
      all.some((other) => other.requestId === requestId && other.request.to === request.to && !other.isLost);
    const records = all.filter((record) => !isSentAgain(record));
    // Concurrent requests arrive in any order.
    records.sort((one, other) => one.requestId.localeCompare(other.requestId));
    const tries = new Map<string, number>();
    for (const { request, requestId } of records) {
      // The number of the request is used, because the number of tries of the previous request may differ.
      const count = tries.get(requestId) ?? 0;
      tries.set(requestId, count + 1);
      const index = Number(/\.(\d+)$/.exec(requestId)?.[1] ?? 0) + count * mostRequests;
      Object.assign(facts, seenFacts(`upstream ${index} `, request));
      if (!skipsPlace) {
        continue;
      }
      delete facts[`upstream ${index} to`];
      // A site may send the upstream's own address in this field, and the upstreams may use two versions of HTTP.
      delete facts[`upstream ${index} field.host`];
      delete facts[`upstream ${index} framing`];
      facts[`upstream ${index} start`] = request.start.replace(/ HTTP\/1\.1$/, "");
    }
    const flow = this.#flow.get(id);
    if (flow !== undefined) {
      facts.flow = flow.trim();
    }
    return facts;
  }

  /**
   * First lines of requests without an exchange, because a server removed the field with the id. Each preface of HTTP/2
   * counts once, because it stands for a connection, and each server decides the number of connections.
   */
  unnamed(known: ReadonlySet<string>): string[] {
    const lines = this.#records.filter(({ id }) => !known.has(id)).map(({ request }) => request.start);
    return lines.filter((line, index) => !preface.test(line) || lines.indexOf(line) === index);
  }
}
