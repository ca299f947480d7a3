import { z } from "zod";
import { commaList, duration } from "../options/fields.ts";

const versions = {
  "": undefined,
  "1.0": "TLSv1",
  "1.1": "TLSv1.1",
  "1.2": "TLSv1.2",
  "1.3": "TLSv1.3",
} as const;

/** A version of TLS in Node's spelling. */
export type TlsVersion = "TLSv1" | "TLSv1.1" | "TLSv1.2" | "TLSv1.3";

/** TLS versions, oldest first. */
export const tlsVersions: readonly TlsVersion[] = ["TLSv1", "TLSv1.1", "TLSv1.2", "TLSv1.3"];

function path() {
  return z.string().default("").meta({ placeholder: "path" });
}

/** Option field: a TLS version. "1" is also accepted, because YAML reads 1.0 as the number 1. */
function tlsVersion() {
  return z
    .string()
    .transform((text, context): TlsVersion | undefined => {
      const name = text === "1" ? "1.0" : text;
      if (!Object.hasOwn(versions, name)) {
        context.addIssue(`"${text}" is not a version of TLS: 1.0, 1.1, 1.2 or 1.3`);
        return z.NEVER;
      }
      return versions[name as keyof typeof versions];
    })
    .prefault("")
    .meta({ placeholder: "1.0|1.1|1.2|1.3" });
}

function serverFields() {
  return {
    enabled: z.boolean().default(false).describe("Serve over TLS."),
    cert: path().describe("File with the certificate of this server and those between it and the root, PEM."),
    key: path().describe("File with the private key of that certificate, PEM."),
    "client-ca": path().describe(
      "File with the authorities, PEM, whose certificates clients must show; without it any client is served.",
    ),
    "cipher-suites": commaList().describe(
      "Cipher suites that are allowed, in Go's names such as TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256; empty: Node's choice.",
    ),
    "min-version": tlsVersion().describe("Lowest version of TLS; empty: 1.2."),
    "max-version": tlsVersion().describe("Highest version of TLS; empty: 1.3."),
    "reload-interval": duration("0s").describe(
      "How often the files are read again, for disks that do not tell of changes; 0s: only when they tell.",
    ),
  };
}

function clientFields() {
  return {
    enabled: z.boolean().default(false).describe("Call over TLS."),
    ca: path().describe(
      "File with the authorities, PEM, that the server is checked against; empty: the usual ones.",
    ),
    cert: path().describe("File with the certificate that this process shows, PEM."),
    key: path().describe("File with the private key of that certificate, PEM."),
    "server-name": z
      .string()
      .default("")
      .describe("Name expected in the server's certificate, instead of that of its address.")
      .meta({ placeholder: "name" }),
    "skip-host-verify": z
      .boolean()
      .default(false)
      .describe("Take any certificate of the server, unchecked. Not safe."),
  };
}

type Prefixed<Prefix extends string, Fields> = {
  [Name in keyof Fields & string as `${Prefix}.tls.${Name}`]: Fields[Name];
};

function prefixed<Prefix extends string, Fields extends z.ZodRawShape>(
  prefix: Prefix,
  fields: Fields,
): Prefixed<Prefix, Fields> {
  return Object.fromEntries(
    Object.entries(fields).map(([name, field]) => [`${prefix}.tls.${name}`, field]),
  ) as Prefixed<Prefix, Fields>;
}

type ServerFields = ReturnType<typeof serverFields>;
type ClientFields = ReturnType<typeof clientFields>;

/** The values of `serverTlsOptions` without their prefix. */
export type ServerTlsValues = { readonly [Name in keyof ServerFields]: z.infer<ServerFields[Name]> };
/** The values of `clientTlsOptions` without their prefix. */
export type ClientTlsValues = { readonly [Name in keyof ClientFields]: z.infer<ClientFields[Name]> };

/** Parsed options that include the options of `serverTlsOptions(prefix)`. */
export type ServerTlsOptions<Prefix extends string> = {
  readonly [Name in keyof ServerTlsValues & string as `${Prefix}.tls.${Name}`]: ServerTlsValues[Name];
};
/** Parsed options that include the options of `clientTlsOptions(prefix)`. */
export type ClientTlsOptions<Prefix extends string> = {
  readonly [Name in keyof ClientTlsValues & string as `${Prefix}.tls.${Name}`]: ClientTlsValues[Name];
};

/**
 * The options `<prefix>.tls.*` of a listener, which are spread into the schema of a process and passed to
 * `openServerTls`.
 * @param prefix `collector.otlp.grpc`
 */
export function serverTlsOptions<const Prefix extends string>(
  prefix: Prefix,
): Prefixed<Prefix, ServerFields> {
  return prefixed(prefix, serverFields());
}

/**
 * The options `<prefix>.tls.*` of a client, which are spread into the schema of a process and passed to
 * `openClientTls`.
 * @param prefix `reporter.grpc`
 */
export function clientTlsOptions<const Prefix extends string>(
  prefix: Prefix,
): Prefixed<Prefix, ClientFields> {
  return prefixed(prefix, clientFields());
}

function valuesOf(options: object, prefix: string): Record<string, unknown> {
  const start = `${prefix}.tls.`;
  return Object.fromEntries(
    Object.entries(options)
      .filter(([name]) => name.startsWith(start))
      .map(([name, value]) => [name.slice(start.length), value]),
  );
}

/**
 * Values of the TLS options of one listener. @param options parsed by a schema that includes `serverTlsOptions(prefix)`
 */
export function serverTlsValues<Prefix extends string>(
  options: ServerTlsOptions<Prefix>,
  prefix: Prefix,
): ServerTlsValues {
  return valuesOf(options, prefix) as unknown as ServerTlsValues;
}

/** The values of one client. @param options parsed by a schema that includes `clientTlsOptions(prefix)` */
export function clientTlsValues<Prefix extends string>(
  options: ClientTlsOptions<Prefix>,
  prefix: Prefix,
): ClientTlsValues {
  return valuesOf(options, prefix) as unknown as ClientTlsValues;
}

/** True when any option except `enabled` was given. An option whose value equals the default counts as not given. */
export function anyTlsValueGiven(values: ServerTlsValues | ClientTlsValues): boolean {
  return Object.entries(values).some(
    ([name, value]) =>
      name !== "enabled" &&
      (Array.isArray(value)
        ? value.length > 0
        : value !== "" && value !== 0 && value !== false && value !== undefined),
  );
}
