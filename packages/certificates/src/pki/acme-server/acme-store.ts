import { randomBytes } from "node:crypto";
import { calculateJwkThumbprint, type JWK } from "jose";
import type { Storage } from "server-core/storage/storage";
import type { z } from "zod";
import { AcmeProblem } from "./acme-problem.ts";
import {
  type Account,
  accountSchema,
  certificateSchema,
  type IssuedCertificate,
  type Order,
  orderSchema,
} from "./acme-records.ts";

/**
 * Maximum number of accounts in one CA. At the limit, accounts without orders are removed to make space for new
 * accounts.
 */
const maxAccounts = 10_000;
/**
 * Maximum number of stored orders of one account. A finished order stays stored until its certificate expires. A
 * further order is refused with `rateLimited`.
 */
const maxOrders = 10_000;
/** Minimum age in milliseconds before an account without orders may be removed. */
const idleMs = 3_600_000;

/** IDs come from URLs that clients send: any other text could lead out of the folder. */
const idPattern = /^[\w-]{1,64}$/;

/** A random ID for a record, which nobody can guess. */
export function makeId(): string {
  return randomBytes(12).toString("base64url");
}

/** Accounts, orders and certificates of one CA, in the storage below `acme_server/<id>`. */
export class AcmeStore {
  readonly #storage: Storage;
  /** Start of all keys: `acme_server/local`. */
  readonly #base: string;

  constructor(storage: Storage, authority: string) {
    this.#storage = storage;
    this.#base = `acme_server/${authority.toLowerCase().replace(/[^\w.@-]/g, "_")}`;
  }

  account(id: string): Promise<Account | undefined> {
    return this.#load(accountSchema, "accounts", id);
  }

  /** The account that owns a key; undefined when no account does. */
  async accountOfKey(key: JWK): Promise<Account | undefined> {
    const id = await this.#storage.load(await this.#keyPlace(key));
    return id === undefined ? undefined : this.account(id.toString());
  }

  /** @throws AcmeProblem rateLimited at the limit of accounts */
  async addAccount(account: Account): Promise<void> {
    const accounts = await this.#storage.list(`${this.#base}/accounts`);
    if (accounts.length >= maxAccounts && (await this.#removeIdleAccounts(accounts)) === 0) {
      throw new AcmeProblem("rateLimited", `there are ${accounts.length} accounts, limit ${maxAccounts}`);
    }
    await this.saveAccount(account);
    // The key is stored last, so that a stored key always leads to a stored account.
    await this.#storage.store(await this.#keyPlace(account.key as JWK), account.id);
  }

  /** Replaces the account's record. @throws ServerError STORAGE */
  saveAccount(account: Account): Promise<void> {
    return this.#save("accounts", account.id, account);
  }

  /**
   * Replaces the key of an account. The new key is stored before the old key is removed: after a crash between the two
   * writes, at least one of the keys works.
   */
  async changeKey(account: Account, key: JWK): Promise<void> {
    await this.#storage.store(await this.#keyPlace(key), account.id);
    await this.saveAccount({ ...account, key: { ...key } });
    await this.#storage.delete(await this.#keyPlace(account.key as JWK));
  }

  /** An order of this account; undefined for a missing order and for an order of another account. */
  order(accountId: string, id: string): Promise<Order | undefined> {
    return this.#load(orderSchema, `orders/${accountId}`, id);
  }

  async orderIds(accountId: string): Promise<string[]> {
    const keys = await this.#storage.list(`${this.#base}/orders/${accountId}`);
    return keys.map((key) => key.slice(key.lastIndexOf("/") + 1).replace(/\.json$/, ""));
  }

  /** @throws AcmeProblem rateLimited at the limit of orders */
  async addOrder(order: Order): Promise<void> {
    const { length } = await this.orderIds(order.accountId);
    if (length >= maxOrders) {
      throw new AcmeProblem("rateLimited", `${length} orders that are not over, limit ${maxOrders}`);
    }
    await this.saveOrder(order);
  }

  /**
   * Replaces the order's record. Callers must be inside a task of {@link KeyedQueue} for this order. @throws
   * ServerError STORAGE
   */
  saveOrder(order: Order): Promise<void> {
    return this.#save(`orders/${order.accountId}`, order.id, order);
  }

  /** @param serial hexadecimal, lower case */
  certificate(serial: string): Promise<IssuedCertificate | undefined> {
    return this.#load(certificateSchema, "certificates", serial);
  }

  /** @param serial hexadecimal, lower case. @throws ServerError STORAGE */
  saveCertificate(serial: string, certificate: IssuedCertificate): Promise<void> {
    return this.#save("certificates", serial, certificate);
  }

  /** Deletes expired orders and certificates, and unreadable records. */
  async clean(now = Date.now()): Promise<void> {
    for (const folder of ["orders", "certificates"]) {
      for (const key of await this.#storage.list(`${this.#base}/${folder}`)) {
        const record = await this.#read(key);
        const expires = (record as { expires?: string } | undefined)?.expires ?? "";
        if (!(Date.parse(expires) > now)) {
          await this.#storage.delete(key);
        }
      }
    }
  }

  /** Makes room for new accounts. @returns how many accounts without orders were removed */
  async #removeIdleAccounts(keys: readonly string[]): Promise<number> {
    let removed = 0;
    for (const key of keys) {
      const account = accountSchema.safeParse(await this.#read(key));
      const { id = "", createdAt = "", key: jwk = undefined } = account.data ?? {};
      const young = Date.parse(createdAt) > Date.now() - idleMs;
      if (account.success && !young && (await this.orderIds(id)).length === 0) {
        await this.#storage.delete(await this.#keyPlace(jwk as JWK));
        await this.#storage.delete(key);
        removed++;
      }
    }
    return removed;
  }

  /** Storage path of the entry that maps a key to its account ID. The thumbprint identifies the key (RFC 7638). */
  async #keyPlace(key: JWK): Promise<string> {
    return `${this.#base}/keys/${await calculateJwkThumbprint(key)}`;
  }

  /** @returns undefined when the entry is missing or damaged, or when the ID is invalid */
  async #load<Value>(schema: z.ZodType<Value>, folder: string, id: string): Promise<Value | undefined> {
    if (!idPattern.test(id)) {
      return undefined;
    }
    return schema.safeParse(await this.#read(`${this.#base}/${folder}/${id}.json`)).data;
  }

  async #read(key: string): Promise<unknown> {
    try {
      return JSON.parse((await this.#storage.load(key))?.toString() ?? "null");
    } catch (error) {
      if (error instanceof SyntaxError) {
        return undefined;
      }
      throw error;
    }
  }

  /** Writes a record as JSON. @throws ServerError STORAGE */
  #save(folder: string, id: string, record: object): Promise<void> {
    return this.#storage.store(`${this.#base}/${folder}/${id}.json`, JSON.stringify(record));
  }
}
