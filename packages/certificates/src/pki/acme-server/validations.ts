import { setTimeout as wait } from "node:timers/promises";
import { calculateJwkThumbprint, type JWK } from "jose";
import type { Logger } from "lifecycle";
import { messageOf } from "server-core/errors";
import type { ChallengeType } from "./acme-messages.ts";
import { AcmeProblem } from "./acme-problem.ts";
import type { Account, Order } from "./acme-records.ts";
import type { AcmeStore } from "./acme-store.ts";
import { validateDns } from "./challenges/dns-challenge.ts";
import { validateHttp } from "./challenges/http-challenge.ts";
import { validateTlsAlpn } from "./challenges/tls-alpn-challenge.ts";
import { mayPass, type ValidationWays, type Validator } from "./challenges/validation.ts";
import type { KeyedQueue } from "./keyed-queue.ts";

const validators: Readonly<Record<ChallengeType, Validator>> = {
  "http-01": validateHttp,
  "dns-01": validateDns,
  "tls-alpn-01": validateTlsAlpn,
};

/**
 * Pauses in milliseconds between attempts on an unreachable name; when all attempts have failed, the challenge fails.
 */
const pausesMs = [1_000, 3_000];
/** Maximum number of validations of all clients that run at once. A further one is refused with `rateLimited`. */
const maxRunning = 200;

/** Identifies one challenge of one order. */
export interface ChallengePlace {
  /** The account that ordered. */
  readonly accountId: string;
  readonly orderId: string;
  /** Index of the authorization in the order. */
  readonly position: number;
  readonly type: ChallengeType;
}

/** A challenge that this server is to check. */
interface PendingValidation {
  readonly place: ChallengePlace;
  /** The challenge's token, which the answer must repeat. */
  readonly token: string;
  /** Account of the order. The thumbprint of its key is part of the proof. */
  readonly account: Account;
  /** The name to prove. */
  readonly name: string;
  readonly ways: ValidationWays;
}

/**
 * Checks names in the background, and stores the results.
 *
 * A check runs at most three times. Only an unreachable name is checked again; a wrong answer is final. A check that
 * `close` interrupts has no result.
 */
export class Validations {
  readonly #store: AcmeStore;
  readonly #queue: KeyedQueue;
  readonly #log: Logger;
  /** Aborted by `close`: all checks end. */
  readonly #end = new AbortController();
  /** Running checks by their place, written as JSON. */
  readonly #running = new Map<string, Promise<void>>();

  constructor(store: AcmeStore, queue: KeyedQueue, log: Logger) {
    this.#store = store;
    this.#queue = queue;
    this.#log = log;
  }

  /** Starts a check, unless it is already running. @throws AcmeProblem rateLimited at the limit of running checks */
  start({ place, token, account, name, ways }: PendingValidation): void {
    const key = JSON.stringify(place);
    if (this.#running.has(key)) {
      return;
    }
    if (this.#running.size >= maxRunning) {
      throw new AcmeProblem("rateLimited", `${maxRunning} validations are under way: try again soon`);
    }
    const done = this.#validate({ place, token, account, name, ways })
      .catch((error: unknown) => {
        if (!this.#end.signal.aborted) {
          this.#log.error(`acme_server: validating ${name}: ${messageOf(error)}`);
        }
      })
      .finally(() => this.#running.delete(key));
    this.#running.set(key, done);
  }

  /** Ends running checks; a check restarts when its client sends another request. */
  async close(): Promise<void> {
    this.#end.abort();
    await Promise.all(this.#running.values());
  }

  /** Repeats the check until the challenge is decided. @throws the reason of `close`; errors of the storage */
  async #validate({ place, token, account, name, ways }: PendingValidation): Promise<void> {
    const { signal } = this.#end;
    const thumbprint = await calculateJwkThumbprint(account.key as JWK);
    const validation = { name, token, keyAuthorization: `${token}.${thumbprint}`, signal };
    for (let attempt = 0; ; attempt++) {
      let problem: AcmeProblem;
      try {
        await validators[place.type](validation, ways);
        await this.#conclude(place, undefined);
        return;
      } catch (error) {
        signal.throwIfAborted();
        if (!(error instanceof AcmeProblem)) {
          throw error;
        }
        problem = error;
      }
      const pause = pausesMs[attempt];
      if (pause === undefined || !mayPass(problem)) {
        this.#log.info(`acme_server: ${name}: ${place.type}: ${problem.message}`);
        await this.#conclude(place, problem);
        return;
      }
      await wait(pause, undefined, { signal });
    }
  }

  /**
   * Stores the result of a check, in a task of the queue for this order. The result is dropped when the client has
   * deactivated the authorization meanwhile, or when another challenge has decided it.
   * @param problem reason of the failure; undefined: the check succeeded
   */
  #conclude(
    { accountId, orderId, position, type }: ChallengePlace,
    problem: AcmeProblem | undefined,
  ): Promise<void> {
    return this.#queue.run(orderId, async () => {
      const order = await this.#store.order(accountId, orderId);
      const authorization = order?.authorizations[position];
      const challenge = authorization?.challenges.find((each) => each.type === type);
      if (order === undefined || authorization?.status !== "pending" || challenge === undefined) {
        return;
      }
      const status = problem === undefined ? "valid" : "invalid";
      challenge.status = status;
      authorization.status = status;
      if (problem === undefined) {
        challenge.validated = new Date().toISOString();
      } else {
        challenge.error = problem.document;
      }
      await this.#store.saveOrder(afterDecision(order));
    });
  }
}

/**
 * The state of an order after one of its authorizations is decided: `invalid` after one failure or deactivation,
 * `ready` after all have succeeded.
 */
export function afterDecision(order: Order): Order {
  if (order.status !== "pending" && order.status !== "ready") {
    return order;
  }
  const failed = order.authorizations.find(({ status }) => status === "invalid" || status === "deactivated");
  if (failed !== undefined) {
    const error = failed.challenges.find((challenge) => challenge.error !== undefined)?.error;
    return { ...order, status: "invalid", ...(error === undefined ? {} : { error }) };
  }
  return order.authorizations.every(({ status }) => status === "valid")
    ? { ...order, status: "ready" }
    : order;
}
