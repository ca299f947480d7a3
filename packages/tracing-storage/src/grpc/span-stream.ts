import { type sendUnaryData, status } from "@grpc/grpc-js";
import type { WriteSpanResponse } from "wire/storage-v1";
import type { GrpcFailure } from "./grpc-failure.ts";

/**
 * The answer of one stream of spans. It is sent only once: when all received spans are stored, or at the first failure.
 */
export class SpanStream {
  readonly #answer: sendUnaryData<WriteSpanResponse>;
  readonly #stopping: AbortSignal;
  readonly #stop = () => this.#settle();
  #pending = 0;
  #hasEnded = false;
  #isOver = false;

  /** @param stopping aborted when this process stops, because clients keep idle streams open */
  constructor(answer: sendUnaryData<WriteSpanResponse>, stopping: AbortSignal) {
    this.#answer = answer;
    this.#stopping = stopping;
    stopping.addEventListener("abort", this.#stop, { once: true });
    this.#settle();
  }

  /** True when the answer was sent. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** @param stored promise of the write; rejects with the failure for the client */
  wait(stored: Promise<void>): void {
    this.#pending++;
    stored.then(
      () => {
        this.#pending--;
        this.#settle();
      },
      (failure: GrpcFailure) => this.fail(failure),
    );
  }

  /** Must be called when the client has sent its last span. */
  end(): void {
    this.#hasEnded = true;
    this.#settle();
  }

  fail(failure: GrpcFailure): void {
    this.#over(() => this.#answer(failure));
  }

  #settle(): void {
    if (this.#pending > 0) {
      return;
    }
    if (this.#hasEnded) {
      this.#over(() => this.#answer(null, {}));
    } else if (this.#stopping.aborted) {
      this.fail({ code: status.UNAVAILABLE, details: "this process is stopping" });
    }
  }

  #over(answer: () => void): void {
    if (this.#isOver) {
      return;
    }
    this.#isOver = true;
    this.#stopping.removeEventListener("abort", this.#stop);
    answer();
  }
}
