import { messageOf, ServerError } from "../errors.ts";

/** Handles a message; its result is sent back to the sender. Values must be valid for `structuredClone`. */
export type MessageListener = (value: unknown) => unknown;

/** Messages between the threads of the server, for data that is too large or too rare for shared counters. */
export interface ThreadMessages {
  /** Number of this thread; 0 is the main thread. */
  readonly thread: number;
  /**
   * Listens to a topic. When a thread has several listeners, the newest listener answers. @returns a function that
   * stops listening
   */
  on(topic: string, listener: MessageListener): () => void;
  /**
   * Listens to news: all listeners of a thread are called, and no listener answers. @returns a function that stops
   * listening
   */
  onNews(topic: string, listener: MessageListener): () => void;
  /**
   * Asks every thread that serves HTTP, including the calling thread if it serves. Threads without a listener are
   * skipped.
   */
  askServing(topic: string, value: unknown): Promise<unknown[]>;
  /**
   * Sends a message to one thread that serves HTTP, through the main thread. The message is lost when that thread has
   * ended or does not listen.
   */
  tell(thread: number, topic: string, value: unknown): void;
  /**
   * Asks the main thread. @throws ServerError of the listener; THREAD when the main thread has no listener, or the
   * listener threw another error
   */
  askMain(topic: string, value: unknown): Promise<unknown>;
}

type Listeners = Map<string, readonly MessageListener[]>;

function addListener(listeners: Listeners, topic: string, listener: MessageListener): () => void {
  listeners.set(topic, [...(listeners.get(topic) ?? []), listener]);
  return () => {
    const others = (listeners.get(topic) ?? []).filter((each) => each !== listener);
    if (others.length > 0) {
      listeners.set(topic, others);
    } else {
      listeners.delete(topic);
    }
  };
}

/**
 * Listeners by topic. While one config replaces another, a topic has two listeners, and the newest listener answers.
 */
export class MessageTopics {
  readonly #listeners: Listeners = new Map();
  readonly #newsListeners: Listeners = new Map();

  on(topic: string, listener: MessageListener): () => void {
    return addListener(this.#listeners, topic, listener);
  }

  onNews(topic: string, listener: MessageListener): () => void {
    return addListener(this.#newsListeners, topic, listener);
  }

  has(topic: string): boolean {
    return this.#listeners.has(topic) || this.#newsListeners.has(topic);
  }

  /**
   * @returns undefined for news. @throws ServerError THREAD without a listener; the listener's error, for news the
   * first one
   */
  async answer(topic: string, value: unknown): Promise<unknown> {
    const told = this.#newsListeners.get(topic);
    if (told !== undefined) {
      await Promise.all(told.map((each) => each(value)));
      return undefined;
    }
    const listener = this.#listeners.get(topic)?.at(-1);
    if (listener === undefined) {
      throw new ServerError("THREAD", `nobody listens to ${topic}`);
    }
    return listener(value);
  }
}

/** Messages for a process with a single thread. */
export class SingleThread implements ThreadMessages {
  readonly thread = 0;
  readonly #topics = new MessageTopics();

  on(topic: string, listener: MessageListener): () => void {
    return this.#topics.on(topic, listener);
  }

  onNews(topic: string, listener: MessageListener): () => void {
    return this.#topics.onNews(topic, listener);
  }

  async askServing(topic: string, value: unknown): Promise<unknown[]> {
    return this.#topics.has(topic) ? [await this.#topics.answer(topic, value)] : [];
  }

  tell(): void {} // there is no other thread

  askMain(topic: string, value: unknown): Promise<unknown> {
    return this.#topics.answer(topic, value);
  }
}

interface Ask {
  /** Distinguishes a request from an answer. */
  readonly kind: "ask";
  /** Number of the request; the answer contains the same number. */
  readonly id: number;
  /** Selects the listener in the other thread. */
  readonly topic: string;
  /** The request, cloned into the other thread. */
  readonly value: unknown;
}

type Answer =
  | { readonly kind: "answer"; readonly id: number; readonly value: unknown }
  | { readonly kind: "none"; readonly id: number }
  | {
      readonly kind: "refused";
      readonly id: number;
      readonly code: string;
      readonly message: string;
      readonly retryAtMs: number | undefined;
    };

/** Messages over a {@link ThreadLink}. */
export type LinkMessage = Ask | Answer;

/** The part of a `Worker` or `MessagePort` that is needed. */
export interface LinkPort {
  /** Sends a message, cloned. */
  postMessage(message: unknown): void;
  /** Calls the listener for each message from the other end. */
  on(event: "message", listener: (message: LinkMessage) => void): unknown;
}

/** Result when the other side has no listener. */
export const noListener = Symbol("no listener");

interface Waiting {
  readonly resolve: (value: unknown) => void;
  /** Called with the failure, also when the thread ends. */
  readonly reject: (error: Error) => void;
}

/** Requests and answers between two threads. */
export class ThreadLink {
  readonly #port: LinkPort;
  readonly #topics: MessageTopics;
  readonly #waiting = new Map<number, Waiting>();
  #nextId = 1;
  #broken: Error | undefined;

  constructor(port: LinkPort, topics: MessageTopics) {
    this.#port = port;
    this.#topics = topics;
    port.on("message", (message) => this.#take(message));
  }

  /** @returns {@link noListener} when the other side does not listen. @throws ServerError with the code of the other side */
  ask(topic: string, value: unknown): Promise<unknown> {
    return new Promise((resolve, reject) => {
      if (this.#broken !== undefined) {
        reject(this.#broken);
        return;
      }
      const id = this.#nextId++;
      this.#waiting.set(id, { resolve, reject });
      this.#port.postMessage({ kind: "ask", id, topic, value } satisfies Ask);
    });
  }

  /** Must be called when the other side has ended: waiting requests fail. */
  break(error: Error): void {
    this.#broken = error;
    for (const { reject } of this.#waiting.values()) {
      reject(error);
    }
    this.#waiting.clear();
  }

  #take(message: LinkMessage): void {
    if (message.kind === "ask") {
      void this.#answer(message);
      return;
    }
    const waiting = this.#waiting.get(message.id);
    this.#waiting.delete(message.id);
    if (message.kind === "answer") {
      waiting?.resolve(message.value);
    } else if (message.kind === "none") {
      waiting?.resolve(noListener);
    } else {
      const { code, message: text, retryAtMs } = message;
      waiting?.reject(new ServerError(code as ServerError["code"], text, { retryAtMs }));
    }
  }

  async #answer({ id, topic, value }: Ask): Promise<void> {
    if (!this.#topics.has(topic)) {
      this.#port.postMessage({ kind: "none", id } satisfies Answer);
      return;
    }
    try {
      this.#port.postMessage({ kind: "answer", id, value: await this.#topics.answer(topic, value) });
    } catch (error) {
      const { code, retryAtMs } =
        error instanceof ServerError ? error : { code: "THREAD", retryAtMs: undefined };
      this.#port.postMessage({
        kind: "refused",
        id,
        code,
        message: messageOf(error),
        retryAtMs,
      } satisfies Answer);
    }
  }
}
