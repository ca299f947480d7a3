import type { Bind, NamedLog } from "../routes/site-results.ts";
import type { Draft } from "../values/draft.ts";

/** The options of one `servers` block. */
export interface ServerOptions {
  /** Listen address; "" means every server. */
  readonly address: string;
  /** Name of the server in the JSON, from the option `name`; "": the generated name stays, such as `srv0`. */
  name: string;
  /** Members of the server's JSON. */
  readonly draft: Draft;
  /** Members of the server's `logs`. */
  readonly logs: Draft;
  /** True when the old option `metrics` in `servers` enables metrics by host; undefined without it. */
  metricsPerHost: boolean | undefined;
}

/** The global options; absent options are undefined. */
export interface GlobalOptions {
  /** Names of directives in the order of execution. */
  order: readonly string[];
  /** Files or packages with the user's own modules. */
  modules?: string[];
  /** `debug`: a log without a level writes entries from level DEBUG. */
  debug?: boolean;
  /** `http_port`: the HTTP port. Default: 80. */
  httpPort?: number;
  /** `https_port`: the HTTPS port. Default: 443. */
  httpsPort?: number;
  /** `grace_period`: time in nanoseconds that running requests have to finish when their server stops. */
  gracePeriod?: number;
  /** `shutdown_delay`: time in nanoseconds for which a server still serves new requests before it stops. */
  shutdownDelay?: number;
  /** `default_bind`: listen addresses of sites without `bind`. Each use of the option adds addresses. */
  defaultBind?: Bind[];
  /** `default_sni`: the server name assumed for clients without SNI. */
  defaultSni?: string;
  /** `fallback_sni`: a certificate for this name is used when no certificate matches the client's SNI. */
  fallbackSni?: string;
  /** `auto_https`: values such as `off`, `disable_redirects`, `disable_certs` or `ignore_loaded_certs`. */
  autoHttps?: readonly string[];
  /** `metrics`: members of the app's `metrics`. */
  metrics?: Draft;
  /** Blocks `servers`, in the order of the text. */
  servers: ServerOptions[];
  /** Blocks `log`, in the order of the text; the default name is `default`. */
  logs: NamedLog[];
  /** `admin`: members of the config's `admin`. */
  admin?: Draft;
  /** `persist_config off`: the running config is not saved for `run --resume`. */
  persistsConfig?: false;
  /** `storage`: the storage module for certificates. Default: chosen by the server. */
  storage?: Draft;
  /** `events`: the subscriptions of the app `events`. */
  events?: Draft;
  /** Options that apps provide, by name: `layer4`. */
  apps?: Readonly<Record<string, Draft>>;
  /** `pki`: members of each CA, by id. */
  authorities?: Map<string, Draft>;
  /** `skip_install_trust`: no CA root is installed into the machine's trust store. */
  skipInstallTrust?: boolean;
  /** `email`: the contact address of ACME accounts. */
  email?: string;
  /** `acme_ca`: directory URL of the ACME CA. */
  acmeCa?: string;
  /** `acme_ca_root`: PEM file of the root for verifying the ACME CA's own HTTPS server. */
  acmeCaRoot?: string;
  /** `acme_dns`: provider of the DNS challenge; null means the provider of `dns`. */
  acmeDns?: Draft | null;
  /**
   * `acme_eab`: `key_id` and `mac_key` that bind a new ACME account to an existing account. Source: RFC 8555, section
   * 7.3.4
   */
  acmeEab?: Draft;
  /** `cert_issuer`: issuers, which are tried in order. Each use of the option adds an issuer. */
  certIssuers?: Draft[];
  /** `cert_lifetime`: lifetime in nanoseconds that ACME orders request; 0 has the same effect as an absent option. */
  certLifetime?: number;
  /** `preferred_chains`: selects one chain when an ACME CA offers several. */
  preferredChains?: Draft;
  /** `local_certs`: the internal CA issues all certificates. This option excludes `cert_issuer`. */
  localCerts?: boolean;
  /** `key_type`: the type of private keys, such as `p256`. */
  keyType?: string;
  /** `ocsp_stapling off`: handshakes carry no OCSP responses. */
  ocspStaplingOff?: boolean;
  /**
   * `renewal_window_ratio`: a certificate is renewed when the rest of its lifetime is less than this fraction (between
   * 0 and 1).
   */
  renewalWindowRatio?: number;
  /** `on_demand_tls`: module that permits certificates to be obtained during a handshake. */
  onDemand?: Draft;
  /** `dns`: the default DNS provider. */
  dns?: Draft;
  /** `tls_resolvers`: DNS servers that are queried for challenge records. */
  tlsResolvers?: string[];
  /**
   * `tls_automate_names`: names that get certificates without a site. Each use of the option adds names.
   */
  automateNames?: string[];
  /** `ech`: the public names, and the module that publishes their keys. */
  encryptedClientHello?: Draft;
  /** `storage_check off`: skips the test of the storage before certificates are obtained. */
  storageCheckOff?: boolean;
  /** `storage_clean_interval`: nanoseconds between two storage cleanups; false disables them. */
  storageCleanInterval?: number | false;
  /** `renew_interval`: nanoseconds between two checks for certificates to renew. */
  renewInterval?: number;
  /** `ocsp_interval`: nanoseconds between two checks for OCSP responses to renew. */
  ocspInterval?: number;
}

/** HTTP port: `http_port`, or 80. */
export function httpPortOf(options: GlobalOptions): number {
  return options.httpPort ?? 80;
}

/** HTTPS port: `https_port`, or 443. */
export function httpsPortOf(options: GlobalOptions): number {
  return options.httpsPort ?? 443;
}
