import { StartError } from "../errors.ts";
import type { Logger } from "../logger.ts";
import { certificatesOf, readKeyPair, readPemFile } from "./pem-file.ts";
import {
  anyTlsValueGiven,
  type ClientTlsOptions,
  type ClientTlsValues,
  clientTlsValues,
} from "./tls-options.ts";
import { type WatchedMaterial, watchMaterial } from "./watched-material.ts";

/** TLS files of a client. The files are checked, and belong together. */
export interface ClientTlsMaterial {
  /** CAs that the client trusts, PEM; absent: the CAs that Node trusts. */
  readonly ca?: Buffer;
  /** Client certificate, PEM; requires `key`. */
  readonly cert?: Buffer;
  /** Private key, PEM, without passphrase. */
  readonly key?: Buffer;
  /** Name that the server's certificate must have; absent: the host in the server's address. */
  readonly serverName?: string;
  /** True: any certificate of the server is accepted unchecked. */
  readonly skipHostVerify: boolean;
}

/** TLS files of one client. New connections use the newest files; open connections continue with the old files. */
export type ClientTls = WatchedMaterial<ClientTlsMaterial>;

function checkedValues<Prefix extends string>(
  options: ClientTlsOptions<Prefix>,
  prefix: Prefix,
): ClientTlsValues | undefined {
  const values = clientTlsValues(options, prefix);
  if (!values.enabled) {
    if (anyTlsValueGiven(values)) {
      throw new StartError(`${prefix}.tls.* options cannot be used when ${prefix}.tls.enabled is false`);
    }
    return undefined;
  }
  if ((values.cert === "") !== (values.key === "")) {
    throw new StartError(`--${prefix}.tls.cert and --${prefix}.tls.key go together: give both, or neither`);
  }
  return values;
}

function readMaterial(values: ClientTlsValues, prefix: string): ClientTlsMaterial {
  let ca: Buffer | undefined;
  if (values.ca !== "") {
    ca = readPemFile(values.ca, `${prefix}.tls.ca`);
    certificatesOf(ca, values.ca, `${prefix}.tls.ca`);
  }
  const pair = values.cert === "" ? undefined : readKeyPair(values.cert, values.key, prefix);
  return {
    ...(ca === undefined ? {} : { ca }),
    ...(pair === undefined ? {} : { cert: pair.cert, key: pair.key }),
    ...(values["server-name"] === "" ? {} : { serverName: values["server-name"] }),
    skipHostVerify: values["skip-host-verify"],
  };
}

function sameBytes(one: Buffer | undefined, other: Buffer | undefined): boolean {
  return one === undefined || other === undefined ? one === other : one.equals(other);
}

/**
 * Reads the TLS files of a client once, from its options `<prefix>.tls.*`.
 * @param options parsed by a schema that includes `clientTlsOptions(prefix)`
 * @returns undefined when `<prefix>.tls.enabled` is false
 * @throws StartError for contradictory options, and for files that are unreadable or do not belong together
 */
export function readClientTls<const Prefix extends string>(
  options: ClientTlsOptions<Prefix>,
  prefix: Prefix,
): ClientTlsMaterial | undefined {
  const values = checkedValues(options, prefix);
  return values === undefined ? undefined : readMaterial(values, prefix);
}

/** Like `readClientTls`, but also watches the files until `close`. */
export function openClientTls<const Prefix extends string>(
  options: ClientTlsOptions<Prefix>,
  prefix: Prefix,
  log: Logger,
): ClientTls | undefined {
  const values = checkedValues(options, prefix);
  if (values === undefined) {
    return undefined;
  }
  return watchMaterial({
    what: `TLS of ${prefix}`,
    paths: [values.ca, values.cert, values.key].filter((path) => path !== ""),
    pollMs: 0,
    read: () => readMaterial(values, prefix),
    same: (one, other) =>
      sameBytes(one.ca, other.ca) && sameBytes(one.cert, other.cert) && sameBytes(one.key, other.key),
    log,
  });
}
