import type { ServerOptions } from "node:https";
import type { Logger } from "lifecycle";
import type { ConfigDocument } from "server-core/engine/config-document";
import type { Participant, Transition } from "server-core/engine/participant";
import { errorWithin, messageOf, ServerError } from "server-core/errors";
import {
  formatListenAddress,
  type ListenAddress,
  parseListenAddress,
} from "server-core/listen/listen-address";
import { replaceStrictly } from "server-core/placeholders/machine-placeholders";
import { decodeAdminConfig } from "../admin-config.ts";
import type { AdminHandler } from "../admin-handler.ts";
import { type AdminGate, AdminListener } from "../admin-listener.ts";
import type { IdentityCertificates } from "../identity/identity-certificates.ts";
import { obtainedIdentifiers } from "../identity/identity-config.ts";
import { IdentityFiles } from "../identity/identity-files.ts";
import { identityMinVersion, ServerIdentity } from "../identity/server-identity.ts";
import { RemoteAccess } from "./remote-access.ts";

/** Default address of the endpoint. Source: Caddy 2.11 */
const defaultAddress = ":2021";
const defaultPort = 2021;

/** Refuses all requests, because the config no longer has this endpoint. */
const refuseClosed = (): never => {
  throw new ServerError("ADMIN_UNKNOWN_CLIENT", "the remote admin endpoint is closed");
};
/** Gate for requests that still wait at an endpoint which a new config has removed. */
const closedGate: AdminGate = { check: refuseClosed, permit: refuseClosed };

/** The endpoint while it is open. */
interface Opened {
  /** Address from the config. */
  readonly configured: string;
  /** Bound address. */
  address: ListenAddress;
  readonly listener: AdminListener;
  identity: ServerIdentity;
}

/** A validated endpoint of a config, which is not open yet. */
interface Plan {
  readonly configured: string;
  /** The address to bind. */
  readonly wanted: ListenAddress;
  /** Certificates and keys of the server's identity. */
  readonly files: IdentityFiles;
  /** Clients that may connect, and their rights. */
  readonly access: RemoteAccess;
}

/** @returns undefined when the config has no remote admin endpoint. @throws ServerError MODULE_CONFIG */
async function plan(document: ConfigDocument): Promise<Plan | undefined> {
  const { remote, identity } = decodeAdminConfig(document.admin);
  const files = await IdentityFiles.read(identity);
  if (remote === null || remote === undefined) {
    return undefined;
  }
  if (files.first === undefined && obtainedIdentifiers(identity).length === 0) {
    throw new ServerError(
      "MODULE_CONFIG",
      "cannot enable remote admin without a certificate: configure admin.identity",
      { path: "/config/admin/remote" },
    );
  }
  const configured = remote.listen ?? defaultAddress;
  const [wanted, ...others] = parseListenAddress(replaceStrictly(configured), defaultPort);
  if (wanted === undefined || others.length > 0) {
    throw new ServerError(
      "MODULE_CONFIG",
      `invalid remote admin address '${configured}': exactly one address is needed`,
      { path: "/config/admin/remote/listen" },
    );
  }
  return { configured, wanted, files, access: new RemoteAccess(remote.access_control ?? []) };
}

/**
 * The admin endpoint for other machines. It uses TLS with the server's identity, and identifies clients by their
 * certificates. Like the local endpoint, it stays open during reloads; new certificates and rights take effect
 * immediately.
 */
export class RemoteAdminEndpoint implements Participant {
  readonly #log: Logger;
  readonly #certificates: IdentityCertificates;
  #handler: AdminHandler | undefined;
  #opened: Opened | undefined;
  /** Settles when the previous endpoint is closed; `stop` waits for it. */
  #closing: Promise<unknown> = Promise.resolve();

  /** @param certificates the server's own certificates, which may change while the endpoint is open */
  constructor(certificates: IdentityCertificates, log: Logger) {
    this.#certificates = certificates;
    this.#log = log;
    certificates.onChange(() => this.#present());
  }

  /** Address of the endpoint; undefined while closed. */
  get address(): ListenAddress | undefined {
    return this.#opened?.address;
  }

  /** This must be called before the first `prepare`. */
  use(handler: AdminHandler): void {
    this.#handler = handler;
  }

  /** Opens the configured address. @throws ServerError LISTEN, MODULE_CONFIG, without any change */
  async prepare(document: ConfigDocument): Promise<Transition> {
    const next = await plan(document);
    if (next === undefined) {
      return { commit: () => this.#replace(undefined), rollback: async () => {} };
    }
    const existing = this.#opened?.configured === next.configured ? this.#opened : undefined;
    const opened = existing ?? (await this.#open(next));
    return {
      commit: () => {
        opened.identity = new ServerIdentity(next.files, this.#certificates);
        this.#replace(opened, next.access);
        this.#present();
      },
      committed: () => opened.listener.admit(next.access),
      rollback: async () => {
        if (existing === undefined) {
          await opened.listener.close();
        }
      },
    };
  }

  /** Checks addresses, certificates and rights, but opens nothing. @throws ServerError */
  async check(document: ConfigDocument): Promise<void> {
    await plan(document);
  }

  /** Closes the endpoint, and waits for running requests. */
  async stop(): Promise<void> {
    this.#replace(undefined);
    await this.#closing;
  }

  /** Opens an address, where requests wait until `admit`. @throws ServerError LISTEN */
  async #open({ configured, wanted, files }: Plan): Promise<Opened> {
    if (this.#handler === undefined) {
      throw new Error("the remote admin endpoint has no handler yet");
    }
    const identity = new ServerIdentity(files, this.#certificates);
    // The handshake accepts every client certificate. `RemoteAccess` identifies the client later, so that it can
    // respond with a reason.
    const options: ServerOptions = {
      ...identity.usual,
      minVersion: identityMinVersion,
      SNICallback: (name, answer) => answer(null, opened.identity.contextFor(name)),
      requestCert: true,
      rejectUnauthorized: false,
    };
    const listener = new AdminListener(this.#handler, this.#log, options, "remote admin endpoint");
    const opened: Opened = { configured, address: wanted, listener, identity };
    try {
      opened.address = await listener.open(wanted);
      return opened;
    } catch (error) {
      throw errorWithin("starting remote admin endpoint", error);
    }
  }

  /** Sets the default certificate, for handshakes without SNI. Other certificates are chosen by name. */
  #present(): void {
    const opened = this.#opened;
    opened?.listener.present({ ...opened.identity.usual, minVersion: identityMinVersion });
  }

  /** @param gate decides about requests that still wait at the endpoint that is closed */
  #replace(next: Opened | undefined, gate: AdminGate = closedGate): void {
    const previous = this.#opened;
    this.#opened = next;
    if (previous !== undefined && previous !== next) {
      previous.listener.admit(gate);
      this.#closing = previous.listener.close().then(
        () => this.#log.info(`remote admin endpoint on ${formatListenAddress(previous.address)} closed`),
        (error: unknown) => this.#log.error(`closing remote admin endpoint: ${messageOf(error)}`),
      );
    }
  }
}
