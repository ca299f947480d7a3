import type { KeyObject } from "node:crypto";
import type { Storage } from "server-core/storage/storage";
import type { Dispatcher } from "undici";
import { keyFromPem, keyToPem, makeKey } from "../../../material/key-pair.ts";
import { type AcmeAccount, AcmeClient } from "./acme-client.ts";
import type { AcmeConfig } from "./acme-schema.ts";

/** ACME directory of Let's Encrypt, the default authority. */
const defaultDirectory = "https://acme-v02.api.letsencrypt.org/directory";
/** ACME directory of Let's Encrypt for tests. Clients do not trust certificates from it. */
const defaultTestDirectory = "https://acme-staging-v02.api.letsencrypt.org/directory";

/**
 * Name of a CA's folder in the storage, made from host and path of its directory URL. Source: Caddy
 * (certmagic)
 */
function issuerKeyOf(directoryUrl: string): string {
  const { host, pathname } = new URL(directoryUrl);
  return `${host}${pathname.replace(/\/+$/, "").replaceAll("/", "-")}`.toLowerCase();
}

/** URL of the authority's directory. */
export function directoryOf({ ca }: Pick<AcmeConfig, "ca">): string {
  return ca || defaultDirectory;
}

/**
 * URL of the directory for test orders; undefined without a test CA. Only Let's Encrypt has a default. Source:
 * certmagic
 */
export function testDirectoryOf(config: Pick<AcmeConfig, "ca" | "test_ca">): string | undefined {
  const directory = directoryOf(config);
  const test = config.test_ca || (directory === defaultDirectory ? defaultTestDirectory : undefined);
  return test === directory ? undefined : test;
}

/** An ACME CA, and the server's account with it. */
export class AcmeAuthority {
  readonly directoryUrl: string;
  /** Name of the authority's folder in the storage. */
  readonly key: string;
  readonly #config: AcmeConfig;
  readonly #storage: Storage;
  /** The account, loaded for the first order. A failure is not cached, so the next order tries again. */
  #account: Promise<AcmeAccount> | undefined;

  constructor(directoryUrl: string, config: AcmeConfig, storage: Storage) {
    this.directoryUrl = directoryUrl;
    this.key = issuerKeyOf(directoryUrl);
    this.#config = config;
    this.#storage = storage;
  }

  /**
   * Opens a client. The first call also registers the account. @param signal aborts the attempt. @throws ServerError
   * ACME
   */
  async open(dispatcher: Dispatcher, signal: AbortSignal): Promise<AcmeClient> {
    const account = await this.account();
    const client = new AcmeClient({ directoryUrl: this.directoryUrl, dispatcher, account, signal });
    if (account.kid === "") {
      const { email, external_account: external } = this.#config;
      await client.register(
        email ?? "",
        external ? { keyId: external.key_id, macKey: external.mac_key } : undefined,
      );
    }
    return client;
  }

  /** The account's key; undefined when no key exists yet. Makes no key. @throws ServerError STORAGE, CERTIFICATE */
  async knownKey(): Promise<KeyObject | undefined> {
    if (this.#account !== undefined) {
      return (await this.#account).key;
    }
    const { account_key: given } = this.#config;
    if (given) {
      return keyFromPem(given, "account_key");
    }
    const { place } = this.#keyPlace();
    const stored = await this.#storage.load(place);
    return stored === undefined ? undefined : keyFromPem(stored, place);
  }

  /** The account. If the config has no key, a key is made and stored. @throws ServerError STORAGE, CERTIFICATE */
  account(): Promise<AcmeAccount> {
    this.#account ??= this.#loadAccountKey().then((key) => ({ key, kid: "" }));
    this.#account.catch(() => {
      this.#account = undefined;
    });
    return this.#account;
  }

  /**
   * Loads the key of the account, or makes a new key. Only the key is stored, because `register` returns the account's
   * URL for it.
   */
  async #loadAccountKey(): Promise<KeyObject> {
    const { account_key: given } = this.#config;
    if (given) {
      return keyFromPem(given, "account_key");
    }
    const { user, place } = this.#keyPlace();
    const unlock = await this.#storage.lock(`acme_account_${this.key}_${user}`);
    try {
      const stored = await this.#storage.load(place);
      if (stored !== undefined) {
        return keyFromPem(stored, place);
      }
      const key = await makeKey("p256");
      await this.#storage.store(place, keyToPem(key));
      return key;
    } finally {
      await unlock();
    }
  }

  /** Key of the account in the storage. It is certmagic's, so this server and Caddy find the same account. */
  #keyPlace(): { readonly user: string; readonly place: string } {
    const user = (this.#config.email || "default").toLowerCase().replace(/[^\w@.-]/g, "");
    const folder = `acme/${this.key.replace(/[^\w@.-]/g, "")}/users/${user}`;
    return { user, place: `${folder}/${user.split("@")[0] || "default"}.key` };
  }
}
