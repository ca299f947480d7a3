import type { TLSSocket } from "node:tls";
import { cipherIds } from "certificates/tls/connection/cipher-names";
import { tlsDetails } from "certificates/tls/connection/tls-details";
import type { LogValue } from "server-core/logging/log-entry";
import type { Exchange } from "../exchange.ts";
import { getHeaders, type HeaderList } from "../header-list.ts";
import { tlsPlaceholder } from "../tls-placeholders.ts";

const secret = new Set(["authorization", "cookie", "set-cookie", "proxy-authorization"]);
const redacted: readonly string[] = ["REDACTED"];

/** Cache of names in the form of logs: `Content-Type` for `content-type`. Source: Caddy */
const canonicalNames = new Map<string, string>();
/** Maximum number of cached names, because clients can invent any number; other names are computed each time. */
const maxCanonicalNames = 1000;

function canonicalName(name: string): string {
  let canonical = canonicalNames.get(name);
  if (canonical === undefined) {
    canonical = name.toLowerCase().replace(/(?:^|-)[a-z]/g, (part) => part.toUpperCase());
    if (canonicalNames.size < maxCanonicalNames) {
      canonicalNames.set(name, canonical);
    }
  }
  return canonical;
}

/** Bytes of a message as text. */
function decoded(bytes: string): string {
  return /[\x80-\xff]/.test(bytes) ? Buffer.from(bytes, "latin1").toString("utf8") : bytes;
}

/** Fields of a message in the form for a log; credentials are hidden unless the config shows them. */
export function loggedHeaders(
  headers: HeaderList,
  withCredentials: boolean,
  without: readonly string[] = [],
): { readonly [name: string]: LogValue } {
  const logged: Record<string, string[]> = {};
  for (let index = 0; index < headers.length; index += 2) {
    const name = canonicalName(headers[index] ?? "");
    if (without.includes(name)) {
      continue;
    }
    if (!withCredentials && secret.has(name.toLowerCase())) {
      logged[name] = redacted as string[];
    } else {
      const value = decoded(headers[index + 1] ?? "");
      const values = logged[name];
      if (values === undefined) {
        logged[name] = [value];
      } else {
        values.push(value);
      }
    }
  }
  return logged;
}

/** Numbers of versions, as in Caddy's logs. Source: RFC 8446, section 4.2.1 */
const tlsVersions: Readonly<Record<string, number>> = {
  TLSv1: 0x0301,
  "TLSv1.1": 0x0302,
  "TLSv1.2": 0x0303,
  "TLSv1.3": 0x0304,
};

const commonName = tlsPlaceholder("client.subject.common_name");
const serialNumber = tlsPlaceholder("client.serial");

/**
 * Facts about the connection's TLS handshake for the log. `ech` is always false, because Node's TLS has no Encrypted
 * Client Hello.
 */
function loggedTls(exchange: Exchange): LogValue {
  const socket = exchange.socket as TLSSocket;
  const details = tlsDetails(socket);
  const serial = serialNumber?.(exchange) ?? "";
  return {
    resumed: socket.isSessionReused?.() ?? false,
    version: tlsVersions[details?.version ?? ""] ?? 0,
    cipher_suite: cipherIds.get(details?.cipher ?? "") ?? 0,
    proto: socket.alpnProtocol || "",
    server_name: (socket as { servername?: string | false }).servername || "",
    ech: false,
    ...(serial === "" ? {} : { client_common_name: commonName?.(exchange) ?? "", client_serial: serial }),
  };
}

/** The target in the form for the log; a target in absolute form keeps its scheme and host. */
function loggedUri({ stream, original: { target } }: Exchange): string {
  const [origin = ""] = target.authority === undefined ? [] : (/^[^/]*\/\/[^/?]*/.exec(stream.target) ?? []);
  return decoded(origin) + target.text;
}

/** Fields that have their own member in the log. */
const namedElsewhere = ["Host", "Transfer-Encoding"];

/**
 * Facts for the log about the request as the client sent it. Source: Caddy 2.11,
 * `LoggableHTTPRequest`
 */
export function loggedRequest(exchange: Exchange, withCredentials: boolean): LogValue {
  const { original, stream, socket } = exchange;
  const codings = getHeaders(stream.headers, "Transfer-Encoding");
  return {
    remote_ip: exchange.remoteAddress,
    remote_port: String(socket.remotePort ?? ""),
    client_ip: exchange.clientAddress,
    proto: exchange.protocol,
    method: original.method,
    host: exchange.hostport,
    uri: loggedUri(exchange),
    headers: loggedHeaders(stream.headers, withCredentials, namedElsewhere),
    ...(codings.length === 0 ? {} : { transfer_encoding: codings }),
    ...(exchange.scheme === "https" ? { tls: loggedTls(exchange) } : {}),
  };
}
