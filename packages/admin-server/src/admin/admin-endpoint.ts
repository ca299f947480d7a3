// | config | endpoint |
// |---|---|
// | the same address | it stays open; only the access rights change, after the commit |
// | another address | the new endpoint opens in `prepare`, the old one closes after `commit` |
// | the address is in use | `prepare` fails, and the old config continues |
// | disabled | it closes after `commit`; the request that caused this still gets its response |
// | refused by another part | `rollback` closes the new address |

import type { Logger } from "lifecycle";
import { parseAdminAddress } from "server-core/admin/admin-address";
import type { ConfigDocument } from "server-core/engine/config-document";
import type { Participant, Transition } from "server-core/engine/participant";
import { errorWithin, messageOf } from "server-core/errors";
import { formatListenAddress, type ListenAddress } from "server-core/listen/listen-address";
import { AccessCheck } from "./access-check.ts";
import { type AdminConfig, decodeAdminConfig } from "./admin-config.ts";
import type { AdminHandler } from "./admin-handler.ts";
import { AdminListener } from "./admin-listener.ts";

/** An open endpoint and its listener. */
interface Opened {
  /** Address from the config. The listener stays when the next config has the same text. */
  readonly configured: string;
  /** Address with the actual port. */
  readonly address: ListenAddress;
  readonly listener: AdminListener;
}

/**
 * The admin endpoint of the running config. The listener stays open when the next config has the same text in `listen`.
 * A new address is opened before the old one is closed, which happens only when the whole config runs.
 */
export class AdminEndpoint implements Participant {
  readonly #defaultAddress: string;
  readonly #log: Logger;
  #handler: AdminHandler | undefined;
  #opened: Opened | undefined;
  /** Settles when the previous endpoint has closed; `stop` waits for it. */
  #closing: Promise<unknown> = Promise.resolve();

  /** @param defaultAddress address for a config without `admin.listen` */
  constructor(defaultAddress: string, log: Logger) {
    this.#defaultAddress = defaultAddress;
    this.#log = log;
  }

  /** Address of the endpoint, with the actual port; undefined while no endpoint is open. */
  get address(): ListenAddress | undefined {
    return this.#opened?.address;
  }

  /** Must be called before the first `prepare`: the handler needs the engine, which needs its participants. */
  use(handler: AdminHandler): void {
    this.#handler = handler;
  }

  /** Opens the configured address. @throws ServerError LISTEN, MODULE_CONFIG; then nothing has changed */
  async prepare(document: ConfigDocument): Promise<Transition> {
    const config = decodeAdminConfig(document.admin);
    if (config.disabled === true) {
      return { commit: () => this.#replace(undefined), rollback: async () => {} };
    }
    const configured = config.listen ?? this.#defaultAddress;
    const address = parseAdminAddress(configured);
    const existing = this.#opened?.configured === configured ? this.#opened : undefined;
    const next = existing ?? (await this.#open(configured, address));
    const access = this.#accessFor(next.address, config);
    return {
      commit: () => this.#replace(next),
      // Requests are admitted only now, so the first requests wait until the whole config runs.
      committed: () => next.listener.admit(access),
      rollback: async () => {
        if (existing === undefined) {
          await next.listener.close();
        }
      },
    };
  }

  /** Checks the address without opening it, for `POST /validate`. @throws ServerError */
  async check(document: ConfigDocument): Promise<void> {
    const { listen } = decodeAdminConfig(document.admin);
    parseAdminAddress(listen ?? this.#defaultAddress);
  }

  /** Closes the endpoint, and waits for running requests. */
  async stop(): Promise<void> {
    this.#replace(undefined);
    await this.#closing;
  }

  /** Opens an address; requests wait there until `admit`. @throws ServerError LISTEN */
  async #open(configured: string, address: ListenAddress): Promise<Opened> {
    if (this.#handler === undefined) {
      throw new Error("the admin endpoint has no handler yet");
    }
    const listener = new AdminListener(this.#handler, this.#log);
    try {
      return { configured, address: await listener.open(address), listener };
    } catch (error) {
      throw errorWithin("starting admin endpoint", error);
    }
  }

  /** Access rights of clients at an address. Without `origins`, the endpoint's own addresses are allowed. */
  #accessFor(address: ListenAddress, config: AdminConfig): AccessCheck {
    const origins = config.origins ?? undefined;
    return new AccessCheck(address, {
      ...(origins === undefined ? {} : { origins }),
      enforceOrigin: config.enforce_origin === true,
    });
  }

  /** Replaces the current endpoint; the previous endpoint closes in the background. */
  #replace(next: Opened | undefined): void {
    const previous = this.#opened;
    this.#opened = next;
    if (previous !== undefined && previous !== next) {
      // The request that caused the change of address still gets its response on the old address.
      this.#closing = previous.listener.close().then(
        () => this.#log.info(`admin endpoint on ${formatListenAddress(previous.address)} closed`),
        (error: unknown) => this.#log.error(`closing admin endpoint: ${messageOf(error)}`),
      );
    }
  }
}
