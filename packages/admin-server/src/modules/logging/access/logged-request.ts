import type { TLSSocket } from "node:tls";
import type { Exchange } from "../../../http/exchange.ts";
import type { HeaderList } from "../../../http/header-list.ts";
import type { LogValue } from "../log-entry.ts";

const secret = new Set(["authorization", "cookie", "set-cookie", "proxy-authorization"]);
const redacted: readonly string[] = ["REDACTED"];

/** `content-type` as `Content-Type`, the way the public model's logs have it. */
const canonicalNames = new Map<string, string>();
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

/** Fields of a message as a log has them; credentials are not shown unless asked for. */
export function loggedHeaders(
  headers: HeaderList,
  withCredentials: boolean,
  without?: string,
): { readonly [name: string]: LogValue } {
  const logged: Record<string, string[]> = {};
  for (let index = 0; index < headers.length; index += 2) {
    const name = canonicalName(headers[index] ?? "");
    if (name === without) {
      continue;
    }
    if (!withCredentials && secret.has(name.toLowerCase())) {
      logged[name] = redacted as string[];
    } else {
      const value = Buffer.from(headers[index + 1] ?? "", "latin1").toString("utf8");
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

const tlsVersions: Readonly<Record<string, number>> = {
  TLSv1: 0x0301,
  "TLSv1.1": 0x0302,
  "TLSv1.2": 0x0303,
  "TLSv1.3": 0x0304,
};

function loggedTls(socket: TLSSocket): LogValue {
  return {
    resumed: socket.isSessionReused?.() ?? false,
    version: tlsVersions[socket.getProtocol?.() ?? ""] ?? 0,
    cipher_suite: socket.getCipher?.()?.standardName ?? "",
    proto: socket.alpnProtocol || "",
    server_name: (socket as { servername?: string | false }).servername || "",
    ech: false,
  };
}

/** The request as the client sent it. */
export function loggedRequest(exchange: Exchange, withCredentials: boolean): LogValue {
  const { original, stream, socket } = exchange;
  return {
    remote_ip: exchange.remoteAddress,
    remote_port: String(socket.remotePort ?? ""),
    client_ip: exchange.clientAddress,
    proto: exchange.protocol,
    method: original.method,
    host: exchange.hostport,
    uri: original.rawPath + original.query,
    headers: loggedHeaders(stream.headers, withCredentials, "Host"),
    ...(exchange.scheme === "https" ? { tls: loggedTls(socket as TLSSocket) } : {}),
  };
}
