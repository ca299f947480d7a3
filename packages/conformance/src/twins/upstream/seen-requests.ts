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

/** A request that an upstream takes. */
export interface TakenRequest {
  readonly id: string;
  finish(): void;
  /** Its connection had been used before and ended with no byte of an answer: a client may have sent it into the end. */
  lose(): void;
}

/** Most requests of an exchange. */
export const mostRequests = 3;

/** A preface of HTTP/2 as a server of HTTP/1 reads it. */
const preface = /^(PRI \* HTTP\/2\.0|SM)$/;

/** Longest way of a piece through a server on a machine that is not busy. */
export const usualPieceLimitMs = 200;

/** All requests that the upstreams of one server have got for a case. */
export class SeenRequests {
  readonly #progress = new Map<string, Progress>();
  readonly #flow = new Map<string, string>();
  readonly #sockets = new Set<Socket>();
  #records: Record_[] = [];
  /** A piece that takes longer to the client is held back by the server. */
  pieceLimitMs = usualPieceLimitMs;

  /** Forgets a case, and closes what it left open. */
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

  /** @param requestId as the client called it */
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

  /** Whether a request is still at an upstream. */
  get isBusy(): boolean {
    return this.#records.some(({ isFinished }) => !isFinished);
  }

  /** Facts that upstreams saw of an exchange, and how its pieces flowed. @param skip facts of which upstream it was */
  factsOf(id: string, skipsPlace: boolean): Facts {
    const facts: Record<string, string> = {};
    const all = this.#records.filter((record) => record.id === id);
    // Which connections are kept is each server's own, and so is which requests have to be sent once more.
    const isSentAgain = ({ requestId, request, isLost }: Record_) =>
      isLost &&
      all.some((other) => other.requestId === requestId && other.request.to === request.to && !other.isLost);
    const records = all.filter((record) => !isSentAgain(record));
    // Requests at once come in any order.
    records.sort((one, other) => one.requestId.localeCompare(other.requestId));
    const tries = new Map<string, number>();
    for (const { request, requestId } of records) {
      // By the number of its request: the number of tries of the one before may differ.
      const count = tries.get(requestId) ?? 0;
      tries.set(requestId, count + 1);
      const index = Number(/\.(\d+)$/.exec(requestId)?.[1] ?? 0) + count * mostRequests;
      Object.assign(facts, seenFacts(`upstream ${index} `, request));
      if (!skipsPlace) {
        continue;
      }
      delete facts[`upstream ${index} to`];
      // A site may send the upstream's own address there, and the upstreams may speak two versions.
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
   * First lines of requests that belong to no exchange: their field was removed. Prefaces of HTTP/2 stand for connections,
   * whose number is each server's own, so that each of their lines comes once.
   */
  unnamed(known: ReadonlySet<string>): string[] {
    const lines = this.#records.filter(({ id }) => !known.has(id)).map(({ request }) => request.start);
    return lines.filter((line, index) => !preface.test(line) || lines.indexOf(line) === index);
  }
}
