import { LRUCache } from "lru-cache";
import type { ThreadMessages } from "server-core/threads/thread-messages";
import {
  type CertificateAnswer,
  type CertificateRequest,
  certificateTopics,
  type TicketAnswer,
} from "../../material/certificate-messages.ts";

/**
 * Maximum number of names that a thread remembers; a name needs a few hundred bytes, or a few kilobytes with its
 * certificate.
 */
const maxNames = 10_000;
/**
 * Time for which an answer is cached. The main thread announces changes immediately; this time limits the effect of a
 * lost announcement.
 */
const trustedMs = 60_000;
/** Maximum number of running requests; a greater number is caused by clients that invent names. */
const maxQuestions = 1_000;

/** The certificates that a serving thread knows: it asks the main thread, and caches the answers. */
export class CertificateSource {
  readonly #messages: ThreadMessages;
  readonly #answers = new LRUCache<string, { answer: CertificateAnswer | false }>({
    max: maxNames,
    ttl: trustedMs,
  });
  #questions = 0;
  #generation = 0;
  #ticketKeys: readonly Uint8Array[] = [];
  /** Counts changes of the keys for tickets. */
  ticketGeneration = 0;

  constructor(messages: ThreadMessages) {
    this.#messages = messages;
    messages.onNews(certificateTopics.changed, () => {
      this.#generation++;
      this.#answers.clear();
    });
    messages.onNews(certificateTopics.ticketsChanged, () => this.loadTicketKeys());
  }

  /** Keys for tickets, newest first; empty when tickets are disabled. */
  get ticketKeys(): readonly Uint8Array[] {
    return this.#ticketKeys;
  }

  /** This method must be called before the first handshake. */
  async loadTicketKeys(): Promise<void> {
    const { keys } = (await this.#messages.askMain(certificateTopics.tickets, null)) as TicketAnswer;
    this.#ticketKeys = keys;
    this.ticketGeneration++;
  }

  /**
   * The cached answer for a name.
   * @param slot names the selection of the policy
   * @returns undefined: the main thread must be asked; false: no certificate exists for the name
   */
  known(serverName: string, slot: string): CertificateAnswer | false | undefined {
    return this.#answers.get(`${slot} ${serverName}`)?.answer;
  }

  /** Requests the certificates of a name from the main thread. @throws ServerError THREAD */
  async ask(request: CertificateRequest, slot: string): Promise<CertificateAnswer | false> {
    if (this.#questions >= maxQuestions) {
      return false;
    }
    const generation = this.#generation;
    this.#questions++;
    try {
      const found = await this.#messages.askMain(certificateTopics.find, request);
      const answer = (found as CertificateAnswer | undefined) ?? false;
      if (generation === this.#generation) {
        this.#answers.set(`${slot} ${request.serverName}`, { answer });
      }
      return answer;
    } finally {
      this.#questions--;
    }
  }
}
