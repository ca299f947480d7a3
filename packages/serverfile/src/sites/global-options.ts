import type { Bind, NamedLog } from "../routes/site-results.ts";
import type { Draft } from "../values/draft.ts";

/** The options of one `servers` block. */
export interface ServerOptions {
  /** "" is every server. */
  readonly address: string;
  /** Name of the server in the JSON, as the option `name` sets it; "" keeps the generated one (`srv0`). */
  name: string;
  /** Members of the server's JSON. */
  readonly draft: Draft;
  /** Members of the server's `logs`. */
  readonly logs: Draft;
  /** Whether the old spelling `metrics` within `servers` asks for counts by host; undefined without it. */
  metricsPerHost: boolean | undefined;
}

/** The block of global options; absent options are undefined. */
export interface GlobalOptions {
  /** Names of directives in the order in which they run. */
  order: readonly string[];
  /** Files and packages of the user's own modules. */
  modules?: string[];
  /** `debug`: loggers without a level of their own write from DEBUG on. */
  debug?: boolean;
  /** `http_port`: the port of plain HTTP; absent: 80. */
  httpPort?: number;
  /** `https_port`: the port of HTTPS; absent: 443. */
  httpsPort?: number;
  /** `grace_period`: how long running requests may take once their server stops, in nanoseconds. */
  gracePeriod?: number;
  /** `shutdown_delay`: how long a server goes on serving before it stops, in nanoseconds. */
  shutdownDelay?: number;
  /** `default_bind`: where sites without `bind` listen. Each use of the option adds one. */
  defaultBind?: Bind[];
  /** `default_sni`: the name that a client without SNI is taken to have sent. */
  defaultSni?: string;
  /** `fallback_sni`: the name whose certificate is shown when none fits the client's SNI. */
  fallbackSni?: string;
  /**
   * `auto_https`: the disabled parts: `off`, `disable_redirects`, `disable_certs`, `ignore_loaded_certs`.
   */
  autoHttps?: readonly string[];
  /** `metrics`: members of the app's `metrics`. */
  metrics?: Draft;
  /** Blocks `servers`, in the order of the text. */
  servers: ServerOptions[];
  /** Blocks `log`, in the order of the text; one without a name is `default`. */
  logs: NamedLog[];
  /** `admin`: members of the config's `admin`. */
  admin?: Draft;
  /** `persist_config off`: the running config is not saved for `run --resume`. */
  persistsConfig?: false;
  /** `storage`: the module that keeps certificates; absent: the server's own choice. */
  storage?: Draft;
  /** `events`: the subscriptions of the app `events`. */
  events?: Draft;
  /** Apps that bring their option along, by name: `layer4`. */
  apps?: Readonly<Record<string, Draft>>;
  /** `pki`: members of each authority, by its id. */
  authorities?: Map<string, Draft>;
  /** `skip_install_trust`: no authority's root is installed into the trust store of the machine. */
  skipInstallTrust?: boolean;
  /** `email`: the contact of ACME accounts. */
  email?: string;
  /** `acme_ca`: URL of the directory of the ACME authority. */
  acmeCa?: string;
  /** `acme_ca_root`: PEM file of the root that the ACME authority's own HTTPS is checked with. */
  acmeCaRoot?: string;
  /** null when it says that the challenge of `dns` is used. */
  acmeDns?: Draft | null;
  /**
   * `acme_eab`: `key_id` and `mac_key` that bind a new ACME account to an existing one. Source: RFC 8555,
   * section 7.3.4
   */
  acmeEab?: Draft;
  /** `cert_issuer`: issuers in the order in which they are tried. Each use of the option adds one. */
  certIssuers?: Draft[];
  /** `cert_lifetime`: the lifetime that ACME orders ask for, in nanoseconds; 0 is the same as absent. */
  certLifetime?: number;
  /** `preferred_chains`: which of several chains of an ACME authority is taken. */
  preferredChains?: Draft;
  /** `local_certs`: all certificates come from the internal authority. It excludes `cert_issuer`. */
  localCerts?: boolean;
  /** `key_type`: the kind of private keys, such as `p256`. */
  keyType?: string;
  /** `ocsp_stapling off`: handshakes carry no OCSP responses. */
  ocspStaplingOff?: boolean;
  /**
   * `renewal_window_ratio`: the last part of a certificate's life in which it is renewed, above 0, below 1.
   */
  renewalWindowRatio?: number;
  /** `on_demand_tls`: who is asked before a certificate is obtained within a handshake. */
  onDemand?: Draft;
  /** `dns`: the default DNS provider. */
  dns?: Draft;
  /** `tls_resolvers`: DNS servers that are asked for the records of challenges. */
  tlsResolvers?: string[];
  /**
   * `tls_automate_names`: names that get certificates without a site. Each use of the option adds to them.
   */
  automateNames?: string[];
  /** `ech`: the public names, and where their keys are published. */
  encryptedClientHello?: Draft;
  /** `storage_check off`: the storage is not tried before certificates are obtained. */
  storageCheckOff?: boolean;
  /** `storage_clean_interval`: time between two cleanings of the storage, in nanoseconds; false: never. */
  storageCleanInterval?: number | false;
  /** `renew_interval`: time between two looks for certificates to renew, in nanoseconds. */
  renewInterval?: number;
  /** `ocsp_interval`: time between two looks for OCSP responses to renew, in nanoseconds. */
  ocspInterval?: number;
}

/** Port of plain HTTP: `http_port`, or 80. */
export function httpPortOf(options: GlobalOptions): number {
  return options.httpPort ?? 80;
}

/** Port of HTTPS: `https_port`, or 443. */
export function httpsPortOf(options: GlobalOptions): number {
  return options.httpsPort ?? 443;
}
