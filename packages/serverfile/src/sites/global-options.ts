import type { Bind, NamedLog } from "../routes/site-results.ts";
import type { Draft } from "../values/draft.ts";

/** The options of one `servers` block. */
export interface ServerOptions {
  /** "" is every server. */
  readonly address: string;
  name: string;
  /** Members of the server's JSON. */
  readonly draft: Draft;
  /** Members of the server's `logs`. */
  readonly logs: Draft;
  metricsPerHost: boolean | undefined;
}

/** The block of global options; absent options are undefined. */
export interface GlobalOptions {
  /** Names of directives in the order in which they run. */
  order: readonly string[];
  /** Files and packages of the user's own modules. */
  modules?: string[];
  debug?: boolean;
  httpPort?: number;
  httpsPort?: number;
  gracePeriod?: number;
  shutdownDelay?: number;
  defaultBind?: Bind[];
  defaultSni?: string;
  fallbackSni?: string;
  autoHttps?: readonly string[];
  metrics?: Draft;
  servers: ServerOptions[];
  logs: NamedLog[];
  admin?: Draft;
  persistsConfig?: false;
  storage?: Draft;
  events?: Draft;
  authorities?: Map<string, Draft>;
  skipInstallTrust?: boolean;
  email?: string;
  acmeCa?: string;
  acmeCaRoot?: string;
  /** null when it says that the challenge of `dns` is used. */
  acmeDns?: Draft | null;
  acmeEab?: Draft;
  certIssuers?: Draft[];
  certLifetime?: number;
  preferredChains?: Draft;
  localCerts?: boolean;
  keyType?: string;
  ocspStaplingOff?: boolean;
  renewalWindowRatio?: number;
  onDemand?: Draft;
  dns?: Draft;
  tlsResolvers?: string[];
  automateNames?: string[];
  encryptedClientHello?: Draft;
  storageCheckOff?: boolean;
  storageCleanInterval?: number | false;
  renewInterval?: number;
  ocspInterval?: number;
}

/** Port of plain HTTP. */
export function httpPortOf(options: GlobalOptions): number {
  return options.httpPort ?? 80;
}

export function httpsPortOf(options: GlobalOptions): number {
  return options.httpsPort ?? 443;
}
