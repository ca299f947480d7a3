import { type ConnectionOptions, rootCertificates } from "node:tls";
import { ClientCertificate, clientCertificates } from "certificates/tls/certificates/client-certificate";
import { caPools } from "certificates/tls/connection/ca-pool";
import { messageOf, ServerError } from "server-core/errors";
import { maxPemBytes, readRegularFile } from "server-core/files/read-regular-file";
import type { JsonValue } from "server-core/json/json-value";
import { configDuration, inlineModule } from "server-core/modules/config-fields";
import type { ModuleContext } from "server-core/modules/module-context";
import { z } from "zod";

/** TLS to upstreams. Source: Caddy 2.11, transport http */
export const upstreamTlsSchema = z.strictObject({
  /** Adds to `root_ca_pool` and `root_ca_pem_files`. Without any of the three, Node's root certificates are used. */
  ca: inlineModule("tls.ca_pool.source", "provider")
    .nullish()
    .describe("Where certificates of trusted authorities come from."),
  root_ca_pool: z
    .array(z.string())
    .nullish()
    .describe("Trusted authorities, DER in base64; deprecated: `ca` with `inline`."),
  root_ca_pem_files: z
    .array(z.string())
    .nullish()
    .describe("Files with trusted authorities, PEM; deprecated: `ca` with `file`."),
  /** The file is read when the config is loaded, so a changed file takes effect with the next load. */
  client_certificate_file: z.string().nullish().describe("Certificate to show to the upstream, PEM."),
  client_certificate_key_file: z.string().nullish().describe("Its key, PEM."),
  client_certificate_automate: z
    .string()
    .nullish()
    .describe(
      "Name of a certificate that the app tls obtains and renews, to show to the upstream; goes before client_certificate_file.",
    ),
  /** If true, an attacker on the network path can read and change requests. */
  insecure_skip_verify: z
    .boolean()
    .nullish()
    .describe("Trusts every upstream whoever it is. For tests only."),
  /** The time is counted from the open TCP connection. */
  handshake_timeout: configDuration()
    .nullish()
    .describe("Time for the handshake (the rest of dial_timeout)."),
  server_name: z
    .string()
    .nullish()
    .describe("Name to ask for and to verify (the host of the dial address); placeholders allowed."),
  renegotiation: z
    .enum(["never", "once", "freely"])
    .nullish()
    .describe("Whether the upstream may ask for another handshake, TLS 1.2 only (never)."),
  /** For upstream lists in which some ports have no TLS. */
  except_ports: z.array(z.string()).nullish().describe("Ports of upstreams that are spoken to without TLS."),
  /** An unknown name refuses the config. */
  curves: z
    .array(z.string())
    .nullish()
    .describe("Key exchange groups, the best first: `x25519`, `secp256r1`, …"),
});

/** The config after validation; durations are milliseconds. */
export type UpstreamTlsConfig = z.infer<typeof upstreamTlsSchema>;

/** OpenSSL's curve names by config name. */
const curveNames: Readonly<Record<string, string>> = {
  x25519: "X25519",
  secp256r1: "P-256",
  secp384r1: "P-384",
  secp521r1: "P-521",
  x25519mlkem768: "X25519MLKEM768",
};

/** Reads a PEM file. @throws ServerError MODULE_CONFIG */
async function read(file: string): Promise<string> {
  try {
    return (await readRegularFile(file, maxPemBytes)).toString("utf8");
  } catch (error) {
    throw new ServerError("MODULE_CONFIG", `reading ${file}: ${messageOf(error)}`, { cause: error });
  }
}

/** Converts a base64 certificate to PEM. @throws ServerError MODULE_CONFIG */
function fromDer(text: string): string {
  const bytes = Buffer.from(text, "base64");
  if (bytes.length === 0) {
    throw new ServerError("MODULE_CONFIG", "tls: a trusted certificate is no base64");
  }
  return `-----BEGIN CERTIFICATE-----\n${bytes.toString("base64")}\n-----END CERTIFICATE-----\n`;
}

/** Certificates of all three fields. Without any: Node's root certificates. */
async function trusted(config: UpstreamTlsConfig, context: ModuleContext): Promise<string[]> {
  const found = (config.root_ca_pool ?? []).map(fromDer);
  for (const file of config.root_ca_pem_files ?? []) {
    found.push(await read(file));
  }
  if (config.ca) {
    const pool = await context.loadInline(caPools, "provider", config.ca as JsonValue, "tls/ca");
    found.push(...(await pool.load()));
  }
  return found;
}

/** The client certificate from the app `tls`, looked up for each connection; undefined when the config names none. */
export async function managedClientCertificate(
  { client_certificate_automate: configured }: UpstreamTlsConfig,
  context: ModuleContext,
): Promise<ClientCertificate | undefined> {
  if (!configured) {
    return undefined;
  }
  const name = configured.toLowerCase();
  const make = () => new ClientCertificate(name, context.messages);
  return (await context.acquire(clientCertificates, name, make)).value;
}

/** Options that all connections share. Reads files. @throws ServerError MODULE_CONFIG */
export async function upstreamTlsOptions(
  config: UpstreamTlsConfig,
  context: ModuleContext,
): Promise<ConnectionOptions> {
  const ca = await trusted(config, context);
  const certFile = config.client_certificate_file ?? "";
  const keyFile = config.client_certificate_key_file ?? "";
  if ((certFile === "") !== (keyFile === "")) {
    throw new ServerError(
      "MODULE_CONFIG",
      "tls: client_certificate_file and client_certificate_key_file go together",
    );
  }
  // The files must be valid even when a managed certificate takes precedence.
  const clientFiles = certFile === "" ? undefined : { cert: await read(certFile), key: await read(keyFile) };
  const curves = (config.curves ?? []).map((name) => {
    const known = curveNames[name.toLowerCase()];
    if (known === undefined) {
      throw new ServerError("MODULE_CONFIG", `tls: unknown curve ${JSON.stringify(name)}`);
    }
    return known;
  });
  return {
    ca: ca.length > 0 ? ca : [...rootCertificates],
    rejectUnauthorized: config.insecure_skip_verify !== true,
    ...(clientFiles === undefined || config.client_certificate_automate ? {} : clientFiles),
    ...(curves.length === 0 ? {} : { ecdhCurve: curves.join(":") }),
  };
}
