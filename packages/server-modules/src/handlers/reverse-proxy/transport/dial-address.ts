import { ServerError } from "server-core/errors";

/** Address of an upstream: TCP, or a unix socket. */
export interface DialAddress {
  /** Host without brackets; "" for a unix socket. */
  readonly host: string;
  /** 0 for a unix socket. */
  readonly port: number;
  /** Path of a unix socket; "" for TCP. */
  readonly path: string;
  /** `host:port` or `unix//path`. Equal addresses have equal keys. */
  readonly key: string;
  /** The IP family, if the address specifies one; 0: any family. */
  readonly family: 0 | 4 | 6;
  /** True for `unix+h2c//path`: cleartext HTTP/2, regardless of the transport's versions. */
  readonly h2c: boolean;
}

/** Matches a placeholder in braces. An address contains no other braces. */
const placeholder = /\{[^{}]+\}/;

/** True when an address depends on the request. */
export function hasPlaceholder(text: string): boolean {
  return placeholder.test(text);
}

/**
 * Parses `host:port`, `:port`, `[::1]:port`, `tcp/host:port` or `unix//path`. @throws ServerError MODULE_CONFIG
 * | Text | Host | Port | Path | Family |
 * |---|---|---|---|---|
 * | `app:8080` | `app` | 8080 | | any |
 * | `:8080` | `localhost` | 8080 | | any |
 * | `[::1]:8080` | `::1` | 8080 | | any |
 * | `tcp4/app:8080` | `app` | 8080 | | 4 |
 * | `unix//run/app.sock` | | 0 | `/run/app.sock` | any |
 * | `unix+h2c//run/app.sock` | | 0 | `/run/app.sock` | any, HTTP/2 |
 */
export function parseDial(text: string): DialAddress {
  const unix = /^unix(\+h2c)?\/(.+)$/.exec(text);
  if (unix !== null) {
    const path = unix[2] ?? "";
    return { host: "", port: 0, path, key: `unix/${path}`, family: 0, h2c: unix[1] !== undefined };
  }
  const match = /^(?:tcp([46]?)\/)?(?:\[([0-9a-fA-F:.%\w]+)\]|([^:[\]/\s{}]*)):(\d{1,5})$/.exec(text);
  const port = Number(match?.[4]);
  if (match === null || port === 0 || port > 65_535) {
    throw new ServerError("MODULE_CONFIG", `upstream: dial ${JSON.stringify(text)} is not host:port`);
  }
  const host = match[2] ?? (match[3] || "localhost");
  const family = match[1] === "4" ? 4 : match[1] === "6" ? 6 : 0;
  const key = `${host.includes(":") ? `[${host}]` : host}:${port}`;
  return { host, port, path: "", key, family, h2c: false };
}
