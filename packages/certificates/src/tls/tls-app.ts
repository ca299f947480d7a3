import type { Logger } from "lifecycle";
import { messageOf } from "server-core/errors";
import type { JsonObject, JsonValue } from "server-core/json/json-value";
import { type App, defineModule } from "server-core/modules/module";
import type { ModuleContext } from "server-core/modules/module-context";
import type { ResourceKind, SharedResource } from "server-core/modules/usage-pool";
import { type Storage, storages } from "server-core/storage/storage";
import {
  type CertificateAnswer,
  type CertificateRequest,
  type ChallengeRequest,
  certificateTopics,
  type ManageRequest,
  type TicketAnswer,
} from "../material/certificate-messages.ts";
import { dateFault, describeCertificate, type LoadedCertificate } from "../material/loaded-certificate.ts";
import { certificateEvents } from "./automation/certificate-events.ts";
import { CertificateManager } from "./automation/certificate-manager.ts";
import { SubjectPolicies } from "./automation/subject-policies.ts";
import { CertificateCache } from "./certificates/certificate-cache.ts";
import { certificateLoaders } from "./certificates/certificate-loader.ts";
import { certificateStates, certificatesTopic } from "./certificates/certificate-state.ts";
import { dnsProviders } from "./dns/dns-provider.ts";
import { ChallengeAnswers } from "./issuers/acme/challenge-answers.ts";
import { ChallengeBoard, challengeBoards } from "./issuers/acme/challenge-board.ts";
import { TicketKeyRing, ticketKeys } from "./session-tickets.ts";
import { StorageUpkeep } from "./storage/storage-upkeep.ts";
import { StoredTicketKeys } from "./stored-ticket-keys.ts";
import { isServerName, qualifiesForCertificate, wildcardOver } from "./subject-names.ts";
import { type TlsConfig, tlsAppSchema } from "./tls-app-schema.ts";

/** Default interval of the checks for certificates to renew: ten minutes. */
const defaultRenewMs = 600_000;
/** Default interval in milliseconds between two new ticket keys: twelve hours. */
const defaultRotationMs = 12 * 3_600_000;
/** Default number of valid ticket keys: a session can be resumed for up to two days. Source: Caddy 2.11 */
const defaultTicketKeys = 4;
/**
 * Default limit of on-demand certificates in memory; the certificate that was not requested for the longest time is
 * removed first. Source: Caddy 2.11
 */
const defaultCapacity = 10_000;
/** Default interval for removing long-expired certificates from the storage. Source: Caddy 2.11 */
const defaultCleanMs = 24 * 3_600_000;

/**
 * Records whether any thread caches answers, across all configs. Without a TLS site, no thread needs a message after a
 * change of the config.
 */
interface CertificateReaders extends SharedResource {
  /** True after a thread has requested the ticket keys, as each thread does before its first handshake. */
  hasAny: boolean;
  /** Finds certificates as the running config does; undefined before the first config runs. */
  find: ((request: CertificateRequest) => Promise<CertificateAnswer | undefined>) | undefined;
}

const certificateReaders: ResourceKind<CertificateReaders> = { name: "tls.readers" };

/**
 * The app `tls`: certificates for all threads. It runs in the main thread; handshakes run in the threads that own the
 * connections.
 *
 * | Request of a thread | Result |
 * |---|---|
 * | `find` | certificates of a name, from the cache or an external manager; on demand, a new certificate is obtained while the client waits |
 * | `manage` | certificates of sites are obtained and renewed from now on |
 * | `tickets` | keys for session tickets |
 * | `httpChallenge`, `alpnChallenge` | the proof that a CA expects |
 *
 * Threads cache certificates for at most a minute. The message `changed` makes them drop all cached certificates
 * immediately.
 */
class TlsApp implements App {
  readonly #config: TlsConfig;
  readonly #context: ModuleContext;
  readonly #log: Logger;
  /** Certificates for handshakes: loaded certificates and managed certificates. */
  readonly #cache = new CertificateCache();
  /** Issuers and storage of each name. */
  readonly #policies: SubjectPolicies;
  /** Names that get separate certificates, even if a wildcard covers them. */
  readonly #automate = new Set<string>();
  /** Obtains and renews the managed certificates. */
  readonly #manager: CertificateManager;
  /** Names from clients' handshakes; the name that was used last is at the end. */
  readonly #onDemandNames = new Set<string>();
  /** Names of certificates that are shown to clients. */
  readonly #siteNames = new Set<string>();
  /** Names of the certificates that this server sends as a client. Each promise resolves when the name is managed. */
  readonly #clientNames = new Map<string, Promise<void>>();
  /** Tests the storage before certificates are obtained, and cleans it. */
  readonly #upkeep: StorageUpkeep;
  /** Ticket keys; undefined: tickets are disabled. */
  #tickets: { readonly keys: readonly Uint8Array[] } | undefined;
  /** Storage of keys that several servers share; undefined: this process makes its own keys. */
  #ticketStorage: Storage | undefined;
  /** The keys from that storage; the app closes them. */
  #storedTickets: StoredTicketKeys | undefined;
  /** Calls `renewDue` at the config's interval. */
  #timer: NodeJS.Timeout | undefined;
  /** True while a notice is waiting to be sent. */
  #isNoticeDue = false;
  /** Threads to notify about changes; undefined before `start`. */
  #readers: CertificateReaders | undefined;
  /** Resolves when the config runs, or is closed before it runs. */
  readonly #running = Promise.withResolvers<void>();
  #isRunning = false;
  /** After `close`, waiting notices are dropped. */
  #isClosed = false;

  constructor(config: TlsConfig, context: ModuleContext) {
    this.#config = config;
    this.#context = context;
    this.#log = context.log;
    this.#policies = new SubjectPolicies(context);
    this.#upkeep = new StorageUpkeep(context.log);
    this.#manager = new CertificateManager({
      policyFor: (name) => this.#policies.policyFor(name),
      cache: this.#cache,
      log: this.#log,
      onChange: () => this.#tellChange(),
      emit: (name, data) => context.emit(name, data),
    });
  }

  /**
   * Loads policies and loaders, and the certificates of the loaders. An unreadable file is a fault of the config.
   * @throws ServerError
   */
  async provision(): Promise<void> {
    const context = this.#context;
    // The handler is set before `start`, because policies of the same config may trust CAs from the storage.
    context.messages.on(certificateTopics.stored, async (key) =>
      (await context.storage.load(String(key)))?.toString(),
    );
    const { automation, certificates, session_tickets: tickets } = this.#config;
    if (tickets?.disabled !== true && tickets?.key_source?.provider === "distributed") {
      const own = tickets.key_source.storage;
      this.#ticketStorage = own
        ? await context.loadInline(storages, "module", own as JsonValue, "session_tickets/key_source/storage")
        : context.storage;
    }
    const dns = this.#config.dns ?? undefined;
    if (dns !== undefined) {
      // Loaded here only so that its faults are reported with the path `dns`.
      await context.loadInline(dnsProviders, "name", dns as JsonValue, "dns");
    }
    await this.#policies.load(automation, dns as JsonObject | undefined);
    for (const [name, config] of Object.entries(certificates ?? {})) {
      const path = `certificates/${name}`;
      const loader = await context.load(certificateLoaders, name, config as JsonValue, path);
      for (const subject of loader.automate ?? []) {
        this.#automate.add(subject.toLowerCase());
      }
      for (const certificate of await loader.load()) {
        this.#takeLoaded(certificate);
      }
    }
  }

  /**
   * Handles the requests of threads from now on. Obtains certificates for names in `automate`, and waits only for
   * issuers on this machine.
   * @throws ServerError STORAGE
   */
  async start(): Promise<void> {
    const { messages } = this.#context;
    const nobody = (): CertificateReaders => ({ hasAny: false, find: undefined });
    const readers = await this.#context.acquire(certificateReaders, "", nobody);
    this.#readers = readers.value;
    await this.#startTickets();
    messages.on(certificateTopics.tickets, (): TicketAnswer => {
      if (this.#readers !== undefined) {
        this.#readers.hasAny = true;
      }
      return { keys: this.#tickets?.keys ?? [] };
    });
    messages.on(certificateTopics.resolvers, () => this.#config.resolvers ?? []);
    messages.on(certificateTopics.manage, (value) => this.#manageSites(value as ManageRequest));
    messages.on(certificateTopics.find, (value) => this.#findForHandshake(value as CertificateRequest));
    messages.on(certificateTopics.client, (value) => this.#findForClient(String(value)));
    messages.on(certificateTopics.clientEnded, (value) => this.#forgetForClient(String(value)));
    const board = await this.#context.acquire(challengeBoards, "", () => new ChallengeBoard());
    const answers = new ChallengeAnswers(board.value, (name) => this.#policies.policyFor(name), this.#log);
    messages.on(certificateTopics.httpChallenge, (value) => answers.token(value as ChallengeRequest));
    messages.on(certificateTopics.alpnChallenge, (value) => answers.certificate(String(value)));
    messages.on(certificatesTopic, () => certificateStates(this.#cache.all(), this.#manager.states()));
    await this.#manageSites({ names: [...this.#automate], ignoreLoaded: true, wildcards: [] });
    const interval = this.#config.automation?.renew_interval || defaultRenewMs;
    this.#timer = setInterval(() => void this.#manager.renewDue(), interval);
    this.#timer.unref();
  }

  /**
   * Opens the ticket keys. Keys of this process stay when the config changes, so sessions can still be resumed after a
   * reload. @throws ServerError STORAGE
   */
  async #startTickets(): Promise<void> {
    const { session_tickets: config } = this.#config;
    if (config?.disabled === true) {
      return;
    }
    const rotationMs = config?.rotation_interval || defaultRotationMs;
    const intervalMs = config?.disable_rotation === true ? undefined : rotationMs;
    const maxKeys = config?.max_keys ?? defaultTicketKeys;
    const changed = (): void => this.#tell(certificateTopics.ticketsChanged);
    if (this.#ticketStorage !== undefined) {
      const storage = this.#ticketStorage;
      this.#storedTickets = await StoredTicketKeys.open({
        storage,
        log: this.#log,
        intervalMs,
        maxKeys,
        changed,
      });
      this.#tickets = this.#storedTickets;
      return;
    }
    const lease = await this.#context.acquire(ticketKeys, "standard", () => new TicketKeyRing());
    this.#tickets = lease.value;
    if (intervalMs !== undefined) {
      lease.value.rotateEvery(intervalMs, maxKeys, changed);
    }
  }

  /** From this moment the config runs, so threads must drop results of the previous config. */
  activate(): void {
    this.#isRunning = true;
    this.#running.resolve();
    if (this.#readers !== undefined) {
      this.#readers.find = (request) => this.#find(request);
    }
    this.#tellChange();
    if (this.#config.disable_storage_clean !== true) {
      const cleanMs = this.#config.automation?.storage_clean_interval || defaultCleanMs;
      const { storage } = this.#context;
      this.#upkeep.cleanEvery(cleanMs, [storage, ...this.#policies.storages]);
    }
  }

  async stop(): Promise<void> {}

  close(): void {
    clearInterval(this.#timer);
    this.#upkeep.close();
    this.#storedTickets?.close();
    this.#isClosed = true;
    this.#running.resolve();
    this.#manager.close();
  }

  /** Adds a certificate from a loader, even if it is not valid today, because clients then show the reason. */
  #takeLoaded(certificate: LoadedCertificate): void {
    const { leaf, source } = certificate;
    const fault = dateFault(leaf);
    if (fault !== undefined) {
      this.#log.warn(`${source}: certificate ${describeCertificate(leaf)}: ${fault}`);
    }
    this.#cache.add(certificate);
    void this.#context.emit("cached_unmanaged_cert", certificateEvents.cached(certificate));
  }

  /**
   * Stores the names of a config's sites, and obtains missing certificates. A name below a managed wildcard uses the
   * wildcard's certificate.
   */
  async #manageSites({ names, ignoreLoaded, wildcards }: ManageRequest): Promise<void> {
    const others = new Set(wildcards.map((name) => name.toLowerCase()));
    const own: string[] = [];
    for (const name of names.map((each) => each.toLowerCase())) {
      if (this.#automate.has(name) || !this.#isBelowWildcard(name, others)) {
        own.push(name);
      }
      this.#siteNames.add(name);
    }
    await this.#manage(own, ignoreLoaded);
  }

  /**
   * True when a wildcard that covers a name is managed, or will be.
   * Source: Caddy 2.11, `managingWildcardFor`
   */
  #isBelowWildcard(name: string, others: ReadonlySet<string>): boolean {
    const wildcard = wildcardOver(name);
    return (
      wildcard !== undefined &&
      (others.has(wildcard) || this.#siteNames.has(wildcard) || this.#automate.has(wildcard))
    );
  }

  /**
   * Obtains certificates for all names that can have a certificate. Exceptions are names whose policy waits for the
   * first handshake and, without `ignoreLoaded`, names that a loaded certificate covers.
   * @throws ServerError STORAGE when the storage does not work
   */
  async #manage(names: readonly string[], ignoreLoaded: boolean): Promise<void> {
    const wanted = names
      .map((name) => name.toLowerCase())
      .filter((name) => {
        const loaded = !ignoreLoaded && this.#cache.covers(name);
        return !loaded && qualifiesForCertificate(name) && this.#policies.find(name)?.onDemand !== true;
      });
    if (this.#config.disable_storage_check !== true) {
      await this.#upkeep.check(wanted.map((name) => this.#policies.policyFor(name).storage));
    }
    await Promise.all(wanted.map((name) => this.#manager.manage(name)));
  }

  /**
   * Certificates for a handshake. While this config starts, its sites have not named all their certificates yet. An
   * unknown name then gets the certificates of the running config, or waits until this config runs. Otherwise clients
   * that connect during a start or a reload would be refused.
   */
  async #findForHandshake(request: CertificateRequest): Promise<CertificateAnswer | undefined> {
    if (this.#isRunning || this.#cache.find(request.serverName, request.selection).length > 0) {
      return this.#find(request);
    }
    const found = await this.#readers?.find?.(request);
    if (found !== undefined) {
      return found;
    }
    await this.#running.promise;
    return this.#isRunning ? this.#find(request) : this.#readers?.find?.(request);
  }

  /**
   * Searches the cache, then asks external managers, then obtains a certificate. The last two steps only happen during
   * handshakes of clients.
   */
  async #find({
    serverName,
    selection,
    onDemand,
  }: CertificateRequest): Promise<CertificateAnswer | undefined> {
    let found = this.#cache.find(serverName, selection);
    if (this.#onDemandNames.has(serverName)) {
      this.#rememberOnDemand(serverName);
    }
    if (found.length === 0 && onDemand) {
      found = await this.#askManagers(serverName);
    }
    if (found.length === 0 && onDemand && (await this.#obtainNow(serverName))) {
      found = this.#cache.find(serverName, selection);
    }
    return found.length === 0
      ? undefined
      : {
          id: found.map(({ id }) => id).join("+"),
          certificates: found.map(({ chainPem, keyPem }) => ({ cert: chainPem, key: keyPem })),
        };
  }

  /**
   * Finds the certificate that this server sends as a client. After a change of the config, this call is the first that
   * names the certificate to the new config.
   */
  async #findForClient(name: string): Promise<CertificateAnswer | undefined> {
    let managed = this.#clientNames.get(name);
    if (managed === undefined) {
      managed = this.#manage([name], true);
      this.#clientNames.set(name, managed);
      managed.catch(() => this.#clientNames.delete(name));
    }
    await managed;
    const found = await this.#find({ serverName: name, selection: undefined, onDemand: false });
    if (found === undefined) {
      this.#log.warn(`no certificate for ${JSON.stringify(name)} to show to an upstream`);
    }
    return found;
  }

  /**
   * Called when the configs of a thread no longer use this client certificate. The name stays managed if a site or a
   * client's handshake also uses it.
   */
  #forgetForClient(name: string): void {
    const isOthers = this.#siteNames.has(name) || this.#onDemandNames.has(name);
    if (this.#clientNames.delete(name) && !isOthers) {
      this.#manager.forget(name);
    }
  }

  /**
   * Certificates of external managers for a name; failures are skipped. Nothing is cached here, because the threads
   * cache all answers.
   */
  async #askManagers(name: string): Promise<LoadedCertificate[]> {
    for (const manager of this.#policies.find(name)?.managers ?? []) {
      try {
        const found = await manager.get(name);
        if (found !== undefined) {
          return [found];
        }
      } catch (error) {
        this.#log.warn(`certificate for ${JSON.stringify(name)}: ${messageOf(error)}`);
      }
    }
    return [];
  }

  /**
   * Obtains a certificate while a client waits, if a policy allows it. @returns true when the attempt is over, so that
   * the cache may have a certificate
   */
  async #obtainNow(name: string): Promise<boolean> {
    const { permission } = this.#policies;
    const policy = this.#policies.find(name);
    if (
      policy?.onDemand !== true ||
      !isServerName(name) ||
      (permission === undefined && policy.needsPermission)
    ) {
      return false;
    }
    try {
      await permission?.check(name);
      this.#rememberOnDemand(name);
      await this.#manager.manage(name, true);
      return true;
    } catch (error) {
      this.#log.warn(`certificate on demand: ${messageOf(error)}`);
      return false;
    }
  }

  /**
   * Remembers a name from a client as the most recently used. Above the limit, the least recently used names are
   * forgotten.
   */
  #rememberOnDemand(name: string): void {
    const names = this.#onDemandNames;
    names.delete(name);
    names.add(name);
    const capacity = this.#config.cache?.capacity ?? defaultCapacity;
    for (const oldest of names) {
      if (capacity === 0 || names.size <= capacity) {
        break;
      }
      names.delete(oldest);
      // The certificate stays in the storage, where the next handshake with this name finds it.
      this.#manager.forget(oldest);
    }
  }

  /**
   * Notifies threads that cached answers may be outdated; the message is sent in the next turn of the event loop, once
   * for many changes.
   */
  #tellChange(): void {
    if (this.#isNoticeDue || this.#readers?.hasAny !== true) {
      return;
    }
    this.#isNoticeDue = true;
    setImmediate(() => {
      this.#isNoticeDue = false;
      if (!this.#isClosed) {
        this.#tell(certificateTopics.changed);
      }
    });
  }

  /** Sends a notice to all serving threads. A failure is only logged, because answers expire after a minute. */
  #tell(topic: string): void {
    this.#context.messages.askServing(topic, null).catch((error: unknown) => {
      this.#log.error(`${topic}: ${messageOf(error)}`);
    });
  }
}

export const tlsApp = defineModule({
  id: "tls",
  implied: true,
  config: tlsAppSchema,
  async provision(config, context) {
    const app = new TlsApp(config, context);
    await app.provision();
    return app;
  },
});
