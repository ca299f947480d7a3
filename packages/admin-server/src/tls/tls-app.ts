import type { Logger } from "lifecycle";
import { z } from "zod";
import { errorWithin, messageOf, ServerError } from "../core/errors.ts";
import type { JsonValue } from "../core/json/json-value.ts";
import { configDuration, inlineModule, moduleMap, notYet } from "../core/modules/config-fields.ts";
import { type App, defineModule } from "../core/modules/module.ts";
import type { ModuleContext } from "../core/modules/module-context.ts";
import { type Storage, storages } from "../core/storage/storage.ts";
import { type AutomationPolicyConfig, automationSchema } from "./automation/automation-schema.ts";
import { type AutomationPolicy, CertificateManager } from "./automation/certificate-manager.ts";
import { type CertificatePermission, permissions } from "./automation/permission.ts";
import { isInternalName, qualifiesForCertificate, subjectCovers } from "./automation/subject-names.ts";
import { CertificateCache } from "./certificates/certificate-cache.ts";
import { certificateLoaders } from "./certificates/certificate-loader.ts";
import {
  type CertificateAnswer,
  type CertificateRequest,
  type ChallengeRequest,
  certificateTopics,
  type ManageRequest,
  type TicketAnswer,
} from "./certificates/certificate-messages.ts";
import { certificateStates, certificatesTopic } from "./certificates/certificate-state.ts";
import { dateFault, describeCertificate, type LoadedCertificate } from "./certificates/loaded-certificate.ts";
import { dnsServers } from "./dns/dns-servers.ts";
import { ChallengeAnswers } from "./issuers/acme/challenge-answers.ts";
import { ChallengeBoard, challengeBoards } from "./issuers/acme/challenge-board.ts";
import { type CertificateIssuer, issuers } from "./issuers/issuer.ts";
import { type ExternalManager, externalManagers } from "./managers/external-manager.ts";
import { TicketKeyRing, ticketKeys } from "./session-tickets.ts";
import { StorageUpkeep } from "./storage/storage-upkeep.ts";
import { StoredTicketKeys } from "./stored-ticket-keys.ts";

const defaultRenewMs = 600_000;
const defaultRenewalRatio = 1 / 3;
const defaultRotationMs = 12 * 3_600_000;
/** Source: the public model (Caddy 2.11), these three */
const defaultTicketKeys = 4;
const defaultCapacity = 10_000;
const defaultCleanMs = 24 * 3_600_000;

export const tlsAppSchema = z.strictObject({
  certificates: moduleMap("tls.certificates")
    .nullish()
    .describe(
      "Certificates: load_files, load_folders, load_pem, load_storage; and `automate`, names to manage.",
    ),
  automation: automationSchema.nullish().describe("How certificates are obtained and renewed."),
  session_tickets: z
    .strictObject({
      disabled: z.boolean().nullish().describe("No tickets: every connection has a full handshake."),
      disable_rotation: z.boolean().nullish().describe("The key stays until the server ends."),
      rotation_interval: configDuration().nullish().describe("How long a key is in use (12h)."),
      max_keys: z
        .int()
        .positive()
        .nullish()
        .describe("Keys that count at a time (4): a session is resumed so many intervals later."),
      key_source: z
        .discriminatedUnion("provider", [
          z.strictObject({ provider: z.literal("standard") }),
          z.strictObject({
            provider: z.literal("distributed"),
            storage: inlineModule("storage", "module").nullish().describe("Where keys rest (as all does)."),
          }),
        ])
        .nullish()
        .describe(
          "`standard`: made by this server, kept in its memory. `distributed`: kept in the storage, the same for all servers that share it.",
        ),
    })
    .nullish()
    .describe("Tickets by which clients resume sessions; all threads take them."),
  cache: z
    .strictObject({
      capacity: z
        .int()
        .min(0)
        .nullish()
        .describe("Certificates had on demand that are kept in memory (10000); 0: no limit."),
    })
    .nullish()
    .describe("Certificates in memory. Those from files and of configured names are there always."),
  disable_ocsp_stapling: z.boolean().nullish().describe("There is no OCSP stapling: nothing to disable."),
  disable_storage_check: z
    .boolean()
    .nullish()
    .describe("Whether the storage is not tried before certificates are obtained."),
  disable_storage_clean: z
    .boolean()
    .nullish()
    .describe("Whether certificates that are long over stay in the storage."),
  encrypted_client_hello: notYet(),
  dns: notYet(),
  resolvers: dnsServers()
    .nullish()
    .describe("DNS servers that challenges of ACME are looked up at, unless they name some (the system's)."),
});

type TlsConfig = z.infer<typeof tlsAppSchema>;

interface SubjectPolicy {
  /** Empty: all names. */
  readonly subjects: readonly string[];
  /** Without issuers: those that fit the name. */
  readonly policy: Omit<AutomationPolicy, "issuers"> & {
    readonly issuers: readonly CertificateIssuer[] | undefined;
  };
  readonly onDemand: boolean;
  /** Whether nothing is obtained on demand where nobody is asked for permission. */
  readonly needsPermission: boolean;
  /** Others that may have the certificate. */
  readonly managers: readonly ExternalManager[];
}

/** The app `tls`: certificates for all threads. Handshakes are done where connections are. */
class TlsApp implements App {
  readonly #config: TlsConfig;
  readonly #context: ModuleContext;
  readonly #log: Logger;
  readonly #cache = new CertificateCache();
  readonly #policies: SubjectPolicy[] = [];
  readonly #automate: string[] = [];
  readonly #manager: CertificateManager;
  /** Names that clients brought up, the one asked for last at the end. */
  readonly #onDemandNames = new Set<string>();
  /** Names of certificates that are shown to clients. */
  readonly #siteNames = new Set<string>();
  /** Names of certificates that the server shows to others; each resolves when the name is looked after. */
  readonly #clientNames = new Map<string, Promise<void>>();
  readonly #upkeep: StorageUpkeep;
  #internal: readonly CertificateIssuer[] = [];
  #public: readonly CertificateIssuer[] = [];
  #permission: CertificatePermission | undefined;
  #tickets: { readonly keys: readonly Uint8Array[] } | undefined;
  #ticketStorage: Storage | undefined;
  #storedTickets: StoredTicketKeys | undefined;
  #timer: NodeJS.Timeout | undefined;
  #notice: NodeJS.Immediate | undefined;

  constructor(config: TlsConfig, context: ModuleContext) {
    this.#config = config;
    this.#context = context;
    this.#log = context.log;
    this.#upkeep = new StorageUpkeep(context.log);
    this.#manager = new CertificateManager({
      policyFor: (name) => this.#policyFor(name),
      cache: this.#cache,
      log: this.#log,
      onChange: () => this.#tellChange(),
    });
  }

  /** @throws ServerError */
  async provision(): Promise<void> {
    const context = this.#context;
    // From now on: policies of the same config may trust authorities that are stored.
    context.messages.on(certificateTopics.stored, async (key) =>
      (await context.storage.load(String(key)))?.toString(),
    );
    this.#internal = [await context.load(issuers, "internal", {}, "automation")];
    this.#public = [await context.load(issuers, "acme", {}, "automation")];
    const { automation, certificates, session_tickets: tickets } = this.#config;
    if (tickets?.disabled !== true && tickets?.key_source?.provider === "distributed") {
      const own = tickets.key_source.storage;
      this.#ticketStorage = own
        ? await context.loadInline(storages, "module", own as JsonValue, "session_tickets/key_source/storage")
        : context.storage;
    }
    const { permission, ask } = automation?.on_demand ?? {};
    if (permission ?? ask) {
      const config = (permission ?? { module: "http", endpoint: ask }) as JsonValue;
      this.#permission = await context.loadInline(
        permissions,
        "module",
        config,
        "automation/on_demand/permission",
      );
    }
    for (const [position, config] of (automation?.policies ?? []).entries()) {
      try {
        this.#policies.push(await this.#loadPolicy(config, `automation/policies/${position}`));
      } catch (error) {
        throw errorWithin(`automation policy ${position}`, error);
      }
    }
    for (const [name, config] of Object.entries(certificates ?? {})) {
      const path = `certificates/${name}`;
      const loader = await context.load(certificateLoaders, name, config as JsonValue, path);
      this.#automate.push(...(loader.automate ?? []));
      for (const certificate of await loader.load()) {
        this.#takeLoaded(certificate);
      }
    }
  }

  async start(): Promise<void> {
    const { messages } = this.#context;
    await this.#startTickets();
    messages.on(certificateTopics.tickets, (): TicketAnswer => ({ keys: this.#tickets?.keys ?? [] }));
    messages.on(certificateTopics.resolvers, () => this.#config.resolvers ?? []);
    messages.on(certificateTopics.manage, (value) => this.#manageSites(value as ManageRequest));
    messages.on(certificateTopics.find, (value) => this.#find(value as CertificateRequest));
    messages.on(certificateTopics.client, (value) => this.#findForClient(String(value)));
    messages.on(certificateTopics.clientEnded, (value) => this.#forgetForClient(String(value)));
    const board = await this.#context.acquire(challengeBoards, "", () => new ChallengeBoard());
    const answers = new ChallengeAnswers(board.value, (name) => this.#policyFor(name), this.#log);
    messages.on(certificateTopics.httpChallenge, (value) => answers.token(value as ChallengeRequest));
    messages.on(certificateTopics.alpnChallenge, (value) => answers.certificate(String(value)));
    messages.on(certificatesTopic, () => certificateStates(this.#cache.all(), this.#manager.states()));
    await this.#manageSites({ names: this.#automate, ignoreLoaded: true });
    const interval = this.#config.automation?.renew_interval || defaultRenewMs;
    this.#timer = setInterval(() => void this.#manager.renewDue(), interval);
    this.#timer.unref();
  }

  /** @throws ServerError STORAGE */
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

  activate(): void {
    this.#tellChange();
    if (this.#config.disable_storage_clean !== true) {
      const cleanMs = this.#config.automation?.storage_clean_interval || defaultCleanMs;
      const { storage } = this.#context;
      this.#upkeep.cleanEvery(cleanMs, [storage, ...this.#policies.map(({ policy }) => policy.storage)]);
    }
  }

  async stop(): Promise<void> {}

  close(): void {
    clearInterval(this.#timer);
    this.#upkeep.close();
    this.#storedTickets?.close();
    clearImmediate(this.#notice);
    this.#manager.close();
  }

  /** @throws ServerError */
  async #loadPolicy(config: AutomationPolicyConfig, path: string): Promise<SubjectPolicy> {
    const context = this.#context;
    const managers: ExternalManager[] = [];
    for (const [position, manager] of (config.get_certificate ?? []).entries()) {
      const place = `${path}/get_certificate/${position}`;
      managers.push(await context.loadInline(externalManagers, "via", manager as JsonValue, place));
    }
    // Names that the config lists, and the server's own authority, are nobody's to abuse. Source: the public model (Caddy 2.11)
    const subjects = (config.subjects ?? []).map((name) => name.toLowerCase());
    const isOpen = subjects.length === 0 || subjects.some((name) => name.startsWith("*"));
    const issuesInside = (config.issuers ?? []).every(({ module }) => module === "internal");
    const isGuarded = !isOpen || (issuesInside && (config.issuers ?? []).length > 0);
    if (config.on_demand === true && managers.length === 0 && this.#permission === undefined && !isGuarded) {
      throw new ServerError(
        "MODULE_CONFIG",
        "on-demand TLS cannot be enabled without a permission module to prevent abuse: set automation.on_demand.permission",
      );
    }
    const loaded: CertificateIssuer[] = [];
    for (const [position, issuer] of (config.issuers ?? []).entries()) {
      loaded.push(
        await context.loadInline(issuers, "module", issuer as JsonValue, `${path}/issuers/${position}`),
      );
    }
    const storage = config.storage
      ? await context.loadInline(storages, "module", config.storage as JsonValue, `${path}/storage`)
      : context.storage;
    return {
      subjects,
      needsPermission: !isGuarded,
      // What others have is had when it is asked for.
      onDemand: config.on_demand === true || managers.length > 0,
      managers,
      policy: {
        issuers: loaded.length > 0 ? loaded : undefined,
        storage,
        keyType: config.key_type ?? "p256",
        renewalWindowRatio: config.renewal_window_ratio ?? defaultRenewalRatio,
        reuseKeys: config.reuse_private_keys === true,
      },
    };
  }

  #subjectPolicy(name: string): SubjectPolicy | undefined {
    return this.#policies.find(
      ({ subjects }) => subjects.length === 0 || subjects.some((subject) => subjectCovers(subject, name)),
    );
  }

  #policyFor(name: string): AutomationPolicy {
    const found = this.#subjectPolicy(name)?.policy;
    return {
      storage: found?.storage ?? this.#context.storage,
      keyType: found?.keyType ?? "p256",
      renewalWindowRatio: found?.renewalWindowRatio ?? defaultRenewalRatio,
      reuseKeys: found?.reuseKeys ?? false,
      issuers: found?.issuers ?? (isInternalName(name) ? this.#internal : this.#public),
    };
  }

  #takeLoaded(certificate: LoadedCertificate): void {
    const { leaf, source } = certificate;
    const fault = dateFault(leaf);
    if (fault !== undefined) {
      this.#log.warn(`${source}: certificate ${describeCertificate(leaf)}: ${fault}`);
    }
    this.#cache.add(certificate);
  }

  async #manageSites(request: ManageRequest): Promise<void> {
    for (const name of request.names) {
      this.#siteNames.add(name.toLowerCase());
    }
    await this.#manage(request);
  }

  async #manage({ names, ignoreLoaded }: ManageRequest): Promise<void> {
    const wanted = names
      .map((name) => name.toLowerCase())
      .filter((name) => {
        const loaded = !ignoreLoaded && this.#cache.covers(name);
        return !loaded && qualifiesForCertificate(name) && this.#subjectPolicy(name)?.onDemand !== true;
      });
    if (this.#config.disable_storage_check !== true) {
      await this.#upkeep.check(wanted.map((name) => this.#policyFor(name).storage));
    }
    await Promise.all(wanted.map((name) => this.#manager.manage(name)));
  }

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

  /** What the server itself shows to others. A new config hears of the name by this question alone. */
  async #findForClient(name: string): Promise<CertificateAnswer | undefined> {
    let managed = this.#clientNames.get(name);
    if (managed === undefined) {
      managed = this.#manage({ names: [name], ignoreLoaded: true });
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

  #forgetForClient(name: string): void {
    const isOthers = this.#siteNames.has(name) || this.#onDemandNames.has(name);
    if (this.#clientNames.delete(name) && !isOthers) {
      this.#manager.forget(name);
    }
  }

  /** What others have for a name; those that fail are passed over. Nothing is kept here: threads remember answers for a while. */
  async #askManagers(name: string): Promise<LoadedCertificate[]> {
    for (const manager of this.#subjectPolicy(name)?.managers ?? []) {
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

  /** Obtains a certificate while a client waits, where a policy allows it. @returns whether there may be one now */
  async #obtainNow(name: string): Promise<boolean> {
    const permission = this.#permission;
    const policy = this.#subjectPolicy(name);
    if (
      policy?.onDemand !== true ||
      !qualifiesForCertificate(name) ||
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

  /** Keeps the names that clients ask for within the capacity: those that nobody asked for lately make room. */
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
      // It rests in the storage, from where the next client gets it.
      this.#manager.forget(oldest);
    }
  }

  /** Soon, and once for many. */
  #tellChange(): void {
    this.#notice ??= setImmediate(() => {
      this.#notice = undefined;
      this.#tell(certificateTopics.changed);
    });
  }

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
