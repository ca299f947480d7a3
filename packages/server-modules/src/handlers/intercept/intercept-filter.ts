import type { Exchange } from "http-engine/exchange";
import type { Next } from "http-engine/handler";
import { type HeaderList, joinedHeader } from "http-engine/header-list";
import { setPlaceholder } from "http-engine/placeholders";
import { ResponseFilter, type ResponseSink } from "http-engine/response-sink";
import type { RouteList } from "http-engine/routes";
import { AnswerFilter } from "./answer-filter.ts";
import { BodyFields } from "./framing-fields.ts";
import { findRule, type ResponseRule, statusFrom } from "./response-rule.ts";

/**
 * `passing`: the response is sent to the client. `waiting`: the head and the first bytes of the body wait for the
 * routes. `dropped`: the routes have sent a different response.
 */
type State = "passing" | "waiting" | "dropped";

/**
 * Examines the head of a response. The filter passes the response, perhaps with a changed status, or lets routes
 * decide. The routes run when the response is complete or its body has begun, so a long body is neither held in memory
 * nor delayed.
 * | State | Event | Next |
 * |---|---|---|
 * | `passing` | a head that matches a rule with routes | `waiting` |
 * | `waiting` | the body begins, or the response ends | the routes run |
 * | `waiting` | the routes send a response | `dropped` |
 * | `waiting` | the routes send no response | `passing`, with the status that they set |
 */
export class InterceptFilter extends ResponseFilter {
  readonly #exchange: Exchange;
  readonly #rules: readonly ResponseRule[];
  #state: State = "passing";
  /** Routes of the rule that matched. */
  #routes: RouteList | undefined;
  /** Status of the waiting response. */
  #status = 0;
  #headers: HeaderList = [];
  /** Held chunks of the body. */
  #held: Uint8Array[] = [];
  #heldBytes = 0;
  /** Trailers, if the response has ended already. */
  #trailers: HeaderList = [];
  /** True when the whole body has arrived. */
  #hasEnded = false;
  /** Drain callbacks of the writer, called when the response continues. */
  #onDrain: (() => void)[] = [];
  /**
   * True when the routes are scheduled. A flag replaces `clearImmediate`, because Node fails on a cleared immediate
   * after an uncaught error.
   */
  #isSoon = false;
  /** Promise of the running routes; undefined before they start. */
  #decision: Promise<void> | undefined;
  /** Settles when the response, or its replacement, is sent. */
  readonly #done = Promise.withResolvers<void>();

  constructor(below: ResponseSink, exchange: Exchange, rules: readonly ResponseRule[]) {
    super(below);
    this.#exchange = exchange;
    this.#rules = rules;
  }

  override head(status: number, headers: HeaderList): void {
    if (status === 101) {
      super.head(status, headers); // no route can answer in place of a tunnel
      return;
    }
    const rule = findRule(this.#rules, status, headers, this.#exchange);
    if (rule?.routes === undefined) {
      const sent = rule?.status === undefined ? status : statusFrom(rule.status, this.#exchange, status);
      super.head(sent, headers);
      return;
    }
    this.#state = "waiting";
    this.#routes = rule.routes;
    this.#status = status;
    this.#headers = headers;
  }

  override write(chunk: Uint8Array): boolean {
    if (this.#state === "passing") {
      return super.write(chunk);
    }
    if (this.#state === "waiting") {
      this.#hold(chunk);
      // The routes run later in this turn, because the writer may have more data ready before it pauses.
      if (!this.#isSoon) {
        this.#isSoon = true;
        setImmediate(() => this.#runSoon());
      }
    }
    return false;
  }

  override end(chunk?: Uint8Array): void {
    if (this.#state === "passing") {
      super.end(chunk);
      return;
    }
    this.#hasEnded = true;
    if (chunk !== undefined && this.#state === "waiting") {
      this.#hold(chunk);
    }
  }

  override addTrailers(trailers: HeaderList): void {
    if (this.#state === "passing") {
      super.addTrailers(trailers);
    } else {
      this.#trailers = trailers;
    }
  }

  override flush(): void {
    if (this.#state === "passing") {
      super.flush();
    }
  }

  override onceDrain(callback: () => void): void {
    if (this.#state === "passing") {
      super.onceDrain(callback);
    } else {
      this.#onDrain.push(callback);
    }
  }

  /** Runs later handlers, and waits for their response or its replacement. */
  around(next: Next): void | Promise<void> {
    let running: void | Promise<void>;
    try {
      running = next(this.#exchange);
    } catch (error) {
      this.#isSoon = false;
      throw error;
    }
    if (running === undefined) {
      return this.#state === "passing" ? undefined : this.#decide();
    }
    running.then(
      () => this.#sourceEnded(),
      (error: unknown) => this.#sourceFailed(error),
    );
    return this.#done.promise;
  }

  #runSoon(): void {
    if (this.#isSoon) {
      this.#done.promise.catch(() => {}); // `around` may have failed before, and then nobody waits for this promise
      this.#decide().then(
        () => this.#state === "dropped" && this.#done.resolve(),
        (error: unknown) => this.#done.reject(error),
      );
    }
  }

  /** Holds a chunk of the body. The writer pauses, so the number of chunks stays small. */
  #hold(chunk: Uint8Array): void {
    this.#held.push(chunk);
    this.#heldBytes += chunk.length;
  }

  #sourceEnded(): void {
    if (this.#state === "passing") {
      this.#done.resolve();
    } else {
      this.#decide().then(this.#done.resolve, this.#done.reject);
    }
  }

  /** Handles an error of the source. After a replacement, the error has no effect. */
  #sourceFailed(error: unknown): void {
    this.#isSoon = false;
    const decided = this.#decision ?? Promise.resolve();
    decided.then(
      () => (this.#state === "dropped" ? this.#done.resolve() : this.#done.reject(error)),
      this.#done.reject,
    );
  }

  #decide(): Promise<void> {
    this.#isSoon = false;
    this.#decision ??= this.#runRoutes();
    return this.#decision;
  }

  /** Runs the routes. Meanwhile the response waits. */
  async #runRoutes(): Promise<void> {
    const exchange = this.#exchange;
    const headers = this.#headers;
    setPlaceholder(exchange, "http.intercept.status_code", String(this.#status));
    for (let index = 0; index < headers.length; index += 2) {
      const field = (headers[index] ?? "").toLowerCase();
      setPlaceholder(exchange, `http.intercept.header.${field}`, joinedHeader(headers, field));
    }
    const fields = new BodyFields(headers);
    const answer = new AnswerFilter(this.below, (list) => {
      this.#state = "dropped";
      this.#held = [];
      fields.dropVersions(list);
    });
    const putBack = exchange.divertResponse(answer, headers);
    try {
      await this.#routes?.run(exchange, () => {});
    } catch (error) {
      this.#state = "dropped";
      throw error;
    }
    if (answer.status !== 0 && !answer.isSent && this.#isEmpty(answer.status)) {
      answer.endWithoutBody();
    }
    if (!answer.isSent) {
      putBack();
      fields.restore();
      this.#passOn(answer.status || this.#status);
    }
  }

  /** True when a response with this status has no body. */
  #isEmpty(status: number): boolean {
    return (
      status === 204 ||
      status === 304 ||
      this.#exchange.method === "HEAD" ||
      (this.#hasEnded && this.#heldBytes === 0)
    );
  }

  /** Sends the waiting response. */
  #passOn(status: number): void {
    this.#state = "passing";
    super.head(status, this.#headers);
    const held = this.#held;
    this.#held = [];
    const last = this.#hasEnded ? held.pop() : undefined;
    let more = true;
    for (const chunk of held) {
      more = super.write(chunk);
    }
    if (this.#hasEnded) {
      super.addTrailers(this.#trailers);
      super.end(last);
      return;
    }
    for (const callback of this.#onDrain.splice(0)) {
      if (more) {
        callback();
      } else {
        super.onceDrain(callback);
      }
    }
  }
}
