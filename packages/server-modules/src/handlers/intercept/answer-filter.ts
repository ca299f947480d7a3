import type { HeaderList } from "http-engine/header-list";
import { ResponseFilter, type ResponseSink } from "http-engine/response-sink";

/**
 * Lets an answer pass that has a body. One without a body is kept: only its status counts then.
 * Source: the public model (Caddy 2.11), `intercept`
 */
export class AnswerFilter extends ResponseFilter {
  /** Called before the head of an answer goes on. */
  readonly #began: (headers: HeaderList) => void;
  /** Fields of the answer, which may still change. */
  #headers: HeaderList = [];
  /** Status of an answer whose body has not begun; 0: there is none. */
  status = 0;
  /** Whether the answer is on its way to the client. */
  isSent = false;

  /** @param began told just before the answer goes on, and may change its fields */
  constructor(below: ResponseSink, began: (headers: HeaderList) => void) {
    super(below);
    this.#began = began;
  }

  override head(status: number, headers: HeaderList): void {
    this.status = status;
    this.#headers = headers;
  }

  override write(chunk: Uint8Array): boolean {
    this.#begin(chunk.length);
    return !this.isSent || super.write(chunk);
  }

  override end(chunk?: Uint8Array): void {
    this.#begin(chunk?.length ?? 0);
    if (this.isSent) {
      super.end(chunk);
    }
  }

  override addTrailers(trailers: HeaderList): void {
    if (this.isSent) {
      super.addTrailers(trailers);
    }
  }

  override flush(): void {
    if (this.isSent) {
      super.flush();
    }
  }

  /** Sends an answer without a body unchanged. */
  endWithoutBody(): void {
    this.#goOn();
    super.end();
  }

  /** The first byte of a body decides that this is the answer. */
  #begin(length: number): void {
    if (!this.isSent && length > 0) {
      this.#goOn();
    }
  }

  /** Sends the head. */
  #goOn(): void {
    this.isSent = true;
    this.#began(this.#headers);
    super.head(this.status, this.#headers);
  }
}
