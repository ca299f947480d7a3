import type { Logger } from "lifecycle";
import { messageOf, ServerError } from "server-core/errors";
import type { JsonValue } from "server-core/json/json-value";
import { configDuration, inlineModule } from "server-core/modules/config-fields";
import { type App, defineModule } from "server-core/modules/module";
import type { ModuleContext } from "server-core/modules/module-context";
import { replaceAll } from "server-core/placeholders/machine-placeholders";
import { type Storage, storages } from "server-core/storage/storage";
import { z } from "zod";
import { certificateTopics } from "../material/certificate-messages.ts";
import { type AcmeReply, type AcmeRequest, acmeServerTopic } from "./acme-server/acme-messages.ts";
import type { AcmeServer } from "./acme-server/acme-server.ts";
import { Nonces, nonceKind } from "./acme-server/nonces.ts";
import { type AuthorityOptions, CertificateAuthority, type KeyPairFiles } from "./certificate-authority.ts";
import { thisMachine } from "./trust/machine.ts";
import { TrustInstaller, trustInstallers } from "./trust/trust-installer.ts";

/** ID of the CA for configs that name none. */
export const defaultAuthority = "local";

const dayMs = 24 * 3_600_000;
const defaultMaintenanceMs = 600_000;

const keyPairSchema = z.strictObject({
  certificate: z.string().describe("Path of a PEM file: the certificate, then its chain."),
  private_key: z
    .string()
    .nullish()
    .describe(
      "Path of a PEM file: its key. A root that is kept elsewhere needs none beside an intermediate.",
    ),
  format: z.enum(["pem_file"]).nullish().describe("`pem_file`, the only one."),
});

const authoritySchema = z.strictObject({
  name: z.string().nullish().describe("For people (Local Authority)."),
  root_common_name: z.string().nullish().describe("Name in the root certificate."),
  intermediate_common_name: z.string().nullish().describe("Name in the intermediate certificate."),
  intermediate_lifetime: configDuration().nullish().describe("How long an intermediate lives (7d)."),
  install_trust: z
    .boolean()
    .nullish()
    .describe("Whether the machine is to trust its root once it is used (yes); failures are only logged."),
  root: keyPairSchema.nullish().describe("The root from files; absent: made, and kept in the storage."),
  intermediate: keyPairSchema.nullish().describe("The intermediate from files."),
  maintenance_interval: configDuration()
    .nullish()
    .describe("How often it is looked for what to renew (10m)."),
  renewal_window_ratio: z
    .number()
    .gt(0)
    .max(1)
    .nullish()
    .describe("Certificates are renewed when so much of their life is left (0.2)."),
  storage: inlineModule("storage", "module").nullish().describe("Where it rests; absent: where all does."),
});

type AuthorityConfig = z.infer<typeof authoritySchema>;

function files(pair: AuthorityConfig["root"]): KeyPairFiles | undefined {
  return pair ? { certificate: pair.certificate, privateKey: pair.private_key || undefined } : undefined;
}

/** The defaults are those of Caddy 2.11, but the name is `Local Authority`. */
function authorityOptions(id: string, config: AuthorityConfig): AuthorityOptions {
  const name = config.name || "Local Authority";
  const fill = (text: string) => replaceAll(text, { "pki.ca.name": name });
  return {
    id,
    name,
    rootCommonName: fill(config.root_common_name || "{pki.ca.name} - {time.now.year} ECC Root"),
    intermediateCommonName: fill(config.intermediate_common_name || "{pki.ca.name} - ECC Intermediate"),
    intermediateLifetimeMs: config.intermediate_lifetime || 7 * dayMs,
    renewalWindowRatio: config.renewal_window_ratio ?? 0.2,
    root: files(config.root),
    intermediate: files(config.intermediate),
  };
}

/** An authority in the form of `GET /pki/ca/<id>`. */
export interface AuthorityInfo {
  /** ID of the CA: its key in `apps.pki.certificate_authorities`. */
  readonly id: string;
  /** Name that is shown to people. */
  readonly name: string;
  /** Name by which browsers list the root. */
  readonly rootCommonName: string;
  /** Common name of the issuer in issued certificates. */
  readonly intermediateCommonName: string;
  /** Certificate of the root. */
  readonly rootPem: string;
  /** The intermediate, and certificates between it and the root. */
  readonly intermediatePem: string;
}

/** Topic by which the admin endpoint requests an {@link AuthorityInfo}; the answer is undefined for an unknown ID. */
export const authorityTopic = "pki.authority";

/** An authority of the config, which is opened on first use. */
interface ConfiguredAuthority {
  readonly options: AuthorityOptions;
  /** Stores the certificates and keys that the CA makes for itself. */
  readonly storage: Storage;
  /** Interval of the checks for a root or intermediate to renew, in milliseconds. */
  readonly intervalMs: number;
  /** True: the root is installed into the trust store of the machine. */
  readonly installTrust: boolean;
}

/** The app `pki`: the CAs of this server. The CA `local` is made on first use. */
export class PkiApp implements App {
  readonly #configs: ReadonlyMap<string, ConfiguredAuthority>;
  readonly #opened = new Map<string, Promise<CertificateAuthority>>();
  readonly #toTrust = new Set<CertificateAuthority>();
  #trust: TrustInstaller | undefined;
  #active = false;
  #nonces = new Nonces();
  readonly #acmeServers = new Map<string, Promise<AcmeServer>>();
  readonly #timers: NodeJS.Timeout[] = [];
  readonly #context: ModuleContext;
  readonly #log: Logger;

  private constructor(context: ModuleContext, configs: ReadonlyMap<string, ConfiguredAuthority>) {
    this.#context = context;
    this.#configs = configs;
    this.#log = context.log;
  }

  static async create(
    configured: Readonly<Record<string, AuthorityConfig>>,
    context: ModuleContext,
  ): Promise<PkiApp> {
    const configs = new Map<string, ConfiguredAuthority>();
    const all: Readonly<Record<string, AuthorityConfig>> = { [defaultAuthority]: {}, ...configured };
    for (const [id, config] of Object.entries(all)) {
      if (!/^[\w.-]{1,100}$/.test(id)) {
        throw new ServerError(
          "MODULE_CONFIG",
          `certificate authority id ${JSON.stringify(id)}: letters, digits, - _ . and at most 100`,
        );
      }
      const storage = config.storage
        ? await context.loadInline(
            storages,
            "module",
            config.storage as JsonValue,
            `certificate_authorities/${id}/storage`,
          )
        : context.storage;
      const intervalMs = config.maintenance_interval || defaultMaintenanceMs;
      const installTrust = config.install_trust !== false;
      configs.set(id, { options: authorityOptions(id, config), storage, intervalMs, installTrust });
    }
    const app = new PkiApp(context, configs);
    // After this line, policies of the same config can use the CAs of this app.
    context.messages.on(authorityTopic, (id) => app.#info(String(id)));
    return app;
  }

  /** True for the ID of a configured CA, and for `local`. */
  has(id: string): boolean {
    return this.#configs.has(id);
  }

  /**
   * Returns a CA for an issuer. If the config asks for trust, the root of this CA is added to the machine's trusted
   * roots.
   * @returns undefined for an unknown ID
   * @throws ServerError CERTIFICATE, STORAGE
   */
  async authority(id: string): Promise<CertificateAuthority | undefined> {
    const authority = await this.#open(id);
    if (authority !== undefined && this.#configs.get(id)?.installTrust === true) {
      this.#toTrust.add(authority);
      this.#installTrust();
    }
    return authority;
  }

  async #open(id: string): Promise<CertificateAuthority | undefined> {
    const config = this.#configs.get(id);
    if (config === undefined) {
      return undefined;
    }
    let opened = this.#opened.get(id);
    if (opened === undefined) {
      opened = CertificateAuthority.open(config.options, config.storage, this.#log);
      this.#opened.set(id, opened);
      // After a failure, the next call opens the CA again.
      opened.then(
        (authority) => this.#maintain(authority, config.intervalMs),
        () => this.#opened.delete(id),
      );
    }
    return opened;
  }

  /** Opens the configured CAs except `local`, so that an unreadable file is a fault of the config. */
  async start(): Promise<void> {
    if (this.#context.changesTrustStores) {
      const make = () => new TrustInstaller(thisMachine(process.stderr.isTTY === true));
      this.#trust = (await this.#context.acquire(trustInstallers, "", make)).value;
    }
    this.#nonces = (await this.#context.acquire(nonceKind, "", () => new Nonces())).value;
    for (const id of this.#configs.keys()) {
      if (id !== defaultAuthority) {
        await this.authority(id);
      }
    }
    this.#context.messages.on(acmeServerTopic, (request) => this.#answerAcme(request as AcmeRequest));
  }

  activate(): void {
    this.#active = true;
    this.#installTrust();
  }

  async stop(): Promise<void> {}

  async close(): Promise<void> {
    for (const timer of this.#timers) {
      clearInterval(timer);
    }
    await Promise.allSettled([...this.#acmeServers.values()].map(async (server) => (await server).close()));
  }

  #maintain(authority: CertificateAuthority, intervalMs: number): void {
    const timer = setInterval(() => {
      authority.maintain().catch((error: unknown) => {
        this.#log.error(`renewing authority ${authority.options.id}: ${messageOf(error)}`);
      });
    }, intervalMs);
    timer.unref();
    this.#timers.push(timer);
  }

  /** Roots are installed only for a running config: a rejected config must not change the machine. */
  #installTrust(): void {
    if (this.#active) {
      for (const { root, options } of this.#toTrust) {
        void this.#trust?.install(root, options.id, this.#log);
      }
    }
  }

  async #answerAcme(request: AcmeRequest): Promise<AcmeReply> {
    const { ca } = request.settings;
    let server = this.#acmeServers.get(ca);
    if (server === undefined) {
      server = this.#openAcmeServer(ca);
      this.#acmeServers.set(ca, server);
      // After a failure, the next request makes a new ACME server.
      server.catch(() => this.#acmeServers.delete(ca));
    }
    const { resolvers } = request.settings;
    const { messages } = this.#context;
    const servers =
      resolvers.length > 0
        ? resolvers
        : ((await messages.askMain(certificateTopics.resolvers, null)) as readonly string[]);
    return (await server).handle({ ...request, settings: { ...request.settings, resolvers: servers } });
  }

  async #openAcmeServer(ca: string): Promise<AcmeServer> {
    const authority = await this.authority(ca);
    if (authority === undefined) {
      throw new ServerError("CERTIFICATE", `no certificate authority configured with id: ${ca}`);
    }
    // This code is loaded with the first request, because only the ACME server needs these libraries.
    const { AcmeServer } = await import("./acme-server/acme-server.ts");
    return new AcmeServer(authority, this.#context.storage, this.#nonces, this.#log);
  }

  async #info(id: string): Promise<AuthorityInfo | undefined> {
    const authority = await this.#open(id);
    return authority === undefined
      ? undefined
      : {
          id,
          name: authority.options.name,
          rootCommonName: authority.options.rootCommonName,
          intermediateCommonName: authority.options.intermediateCommonName,
          rootPem: authority.rootPem,
          intermediatePem: authority.intermediatePem,
        };
  }
}

export const pkiApp = defineModule({
  id: "pki",
  implied: true,
  config: z.strictObject({
    certificate_authorities: z
      .record(z.string(), authoritySchema)
      .nullish()
      .describe("Authorities by id; `local` is there always, and made when it is needed."),
  }),
  provision: (config, context) => PkiApp.create(config.certificate_authorities ?? {}, context),
});
