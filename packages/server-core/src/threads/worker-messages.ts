import { ServerError } from "../errors.ts";
import {
  type LinkPort,
  type MessageListener,
  type MessageTopics,
  noListener,
  ThreadLink,
  type ThreadMessages,
} from "./thread-messages.ts";

const relayTopic = "threads.relay";
const tellTopic = "threads.tell";

interface Told {
  readonly thread: number;
  readonly topic: string;
  readonly value: unknown;
}

interface Relay {
  /** Topic of a message that the main thread forwards to all workers. */
  readonly topic: string;
  readonly value: unknown;
}

/** Messages of the main thread, when workers serve. */
export class MainMessages implements ThreadMessages {
  readonly thread = 0;
  readonly topics: MessageTopics;
  readonly links = new Map<number, ThreadLink>();

  constructor(topics: MessageTopics) {
    this.topics = topics;
    topics.on(relayTopic, (value) => {
      const { topic, value: inner } = value as Relay;
      return this.askServing(topic, inner);
    });
    topics.on(tellTopic, (value) => {
      const { thread, topic, value: inner } = value as Told;
      this.tell(thread, topic, inner);
    });
  }

  on(topic: string, listener: MessageListener): () => void {
    return this.topics.on(topic, listener);
  }

  onNews(topic: string, listener: MessageListener): () => void {
    return this.topics.onNews(topic, listener);
  }

  async askServing(topic: string, value: unknown): Promise<unknown[]> {
    const asked = [...this.links.values()].map((link) =>
      // The answer of a thread that dies meanwhile is not needed.
      link.ask(topic, value).catch((error: unknown) => {
        if (error instanceof ServerError && error.code === "THREAD_DIED") {
          return noListener;
        }
        throw error;
      }),
    );
    return (await Promise.all(asked)).filter((answer) => answer !== noListener);
  }

  tell(thread: number, topic: string, value: unknown): void {
    this.links
      .get(thread)
      ?.ask(topic, value)
      .catch(() => {}); // the thread died, or its listener refused the message
  }

  askMain(topic: string, value: unknown): Promise<unknown> {
    return this.topics.answer(topic, value);
  }
}

export class WorkerMessages implements ThreadMessages {
  readonly thread: number;
  readonly #topics: MessageTopics;
  readonly #link: ThreadLink;

  constructor(thread: number, port: LinkPort, topics: MessageTopics) {
    this.thread = thread;
    this.#topics = topics;
    this.#link = new ThreadLink(port, topics);
  }

  on(topic: string, listener: MessageListener): () => void {
    return this.#topics.on(topic, listener);
  }

  onNews(topic: string, listener: MessageListener): () => void {
    return this.#topics.onNews(topic, listener);
  }

  async askServing(topic: string, value: unknown): Promise<unknown[]> {
    return (await this.askMain(relayTopic, { topic, value } satisfies Relay)) as unknown[];
  }

  tell(thread: number, topic: string, value: unknown): void {
    this.#link.ask(tellTopic, { thread, topic, value } satisfies Told).catch(() => {}); // the main thread may be ending
  }

  async askMain(topic: string, value: unknown): Promise<unknown> {
    const answer = await this.#link.ask(topic, value);
    if (answer === noListener) {
      throw new ServerError("THREAD", `nobody in the main thread listens to ${topic}`);
    }
    return answer;
  }
}
