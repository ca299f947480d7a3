import type { HeaderList } from "http-engine/header-list";
import { ResponseFilter, type ResponseSink } from "http-engine/response-sink";

/**
 * Passes a response that has a body. A response without a body is held back, because only its status matters. Source:
 * Caddy 2.11, `intercept`
 */
export class AnswerFilter extends ResponseFilter {
  /** Called before the head of the response is sent. */
  readonly #began: (headers: HeaderList) => void;
  /** Header fields of the response, which may still change. */
  #headers: HeaderList = [];
  /** Status of a response whose body has not begun; 0 before the head. */
  status = 0;
  /** True once the response is being sent to the client. */
  isSent = false;

  /** @param began called just before the response is sent; may change its header fields */
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

  /** Sends a held response without a body. */
  endWithoutBody(): void {
    this.#goOn();
    super.end();
  }

  /** The first byte of a body makes the held response final. */
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
