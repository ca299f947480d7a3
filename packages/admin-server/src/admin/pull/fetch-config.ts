import { readPemFile } from "certificates/material/read-file";
import type { AdapterRegistry } from "server-core/adapters/adapter-registry";
import { errorWithin, messageOf, ServerError } from "server-core/errors";
import { encodeJson } from "server-core/json/encode-json";
import { replaceAll, replaceKnown } from "server-core/placeholders/machine-placeholders";
import type { Agent } from "undici";
import type { ShownCertificate } from "../identity/server-identity.ts";
import { formatOf } from "../posted-config.ts";
import type { PullConfig } from "../pull-config.ts";
import { maxBodyBytes } from "../request-body.ts";
import { shownAddress, splitCredentials } from "./source-address.ts";

/** Default limit of the whole exchange, in milliseconds. */
const defaultTimeoutMs = 10_000;

/** An HTTP client with the configured certificates. @throws ServerError for an unreadable certificate */
async function agentFor({ tls }: PullConfig, identity: ShownCertificate | undefined): Promise<Agent> {
  const read = (path: string | null | undefined) => (path ? readPemFile(path) : undefined);
  if (tls?.use_server_identity === true && identity === undefined) {
    throw new ServerError("CONFIG_PULL", "the server has no certificate of its identity yet");
  }
  const shown = tls?.use_server_identity === true ? identity : undefined;
  const [cert, key] = [
    shown?.cert ?? (await read(tls?.client_certificate_file)),
    shown?.key ?? (await read(tls?.client_certificate_key_file)),
  ];
  const ca = await Promise.all((tls?.root_ca_pem_files ?? []).map((path) => readPemFile(path)));
  const { Agent } = await import("undici"); // loaded on first use, because few servers fetch a config
  return new Agent({
    allowH2: false,
    connect: {
      ...(cert === undefined ? {} : { cert }),
      ...(key === undefined ? {} : { key }),
      ...(ca.length === 0 ? {} : { ca }),
    },
  });
}

/** The reason of a `fetch` error, because its own message is only "fetch failed". */
function causeOf(error: unknown): string {
  return error instanceof Error && error.cause !== undefined ? messageOf(error.cause) : messageOf(error);
}

/**
 * Replaces placeholders; unknown placeholders in values stay.
 * @param authorization credentials from the URL; a configured header takes precedence, as in Caddy
 */
function headersOf({ header }: PullConfig, authorization: string | undefined): [string, string][] {
  const headers = Object.entries(header ?? {}).flatMap(([name, values]) =>
    values.map((value): [string, string] => [replaceAll(name), replaceKnown(value)]),
  );
  const says = headers.some(([name]) => name.toLowerCase() === "authorization");
  return authorization === undefined || says ? headers : [...headers, ["Authorization", authorization]];
}

/**
 * Fetches a config in any supported format.
 * @param signal cancels the fetch
 * @param identity the server's own certificate, for configs that require it
 * @returns the config as JSON
 * @throws ServerError CONFIG_PULL; CONFIG_ADAPTER for an invalid config
 */
export async function fetchConfig(
  config: PullConfig,
  adapters: AdapterRegistry,
  signal: AbortSignal,
  identity?: ShownCertificate | undefined,
): Promise<Uint8Array> {
  const { url, authorization } = splitCredentials(replaceAll(config.url));
  const where = `pulling config from ${shownAddress(config.url)}`;
  let agent: Agent | undefined;
  let bytes: Uint8Array;
  let contentType: string;
  try {
    agent = await agentFor(config, identity);
    const { fetch } = await import("undici");
    const response = await fetch(url, {
      method: replaceAll(config.method ?? "") || "GET",
      headers: headersOf(config, authorization),
      signal: AbortSignal.any([signal, AbortSignal.timeout(config.timeout ?? defaultTimeoutMs)]),
      dispatcher: agent,
    });
    if (!response.ok) {
      throw new ServerError("CONFIG_PULL", `status ${response.status}`);
    }
    const chunks: Uint8Array[] = [];
    let length = 0;
    for await (const chunk of response.body ?? []) {
      length += chunk.length;
      if (length > maxBodyBytes) {
        throw new ServerError("CONFIG_PULL", `more than the limit of ${maxBodyBytes} bytes`);
      }
      chunks.push(chunk);
    }
    bytes = Buffer.concat(chunks);
    contentType = response.headers.get("content-type") ?? "";
  } catch (error) {
    throw new ServerError("CONFIG_PULL", `${where}: ${causeOf(error)}`, { cause: error });
  } finally {
    await agent?.destroy();
  }
  if (bytes.length === 0) {
    throw new ServerError("CONFIG_PULL", `${where}: the answer is empty`);
  }
  try {
    const format = config.adapter || formatOf(contentType);
    return format === "json" ? bytes : Buffer.from(encodeJson((await adapters.adapt(format, bytes)).result));
  } catch (error) {
    throw errorWithin(where, error);
  }
}
