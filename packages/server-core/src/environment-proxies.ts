import { BlockList, isIP } from "node:net";
import { domainToASCII } from "node:url";

export interface EnvironmentProxies {
  /** URL of the proxy for servers without TLS; "": no proxy. */
  readonly http: string;
  /** URL of the proxy for servers with TLS; "": no proxy. */
  readonly https: string;
  /** True when connections to this host and port use no proxy. @param host without brackets */
  isException(host: string, port: number): boolean;
}

/** True when connections to a host use no proxy. @param address IP address, when the host is one */
type Exception = (host: string, port: number, address: string | undefined) => boolean;

type Variables = Readonly<Record<string, string | undefined>>;

const kindOf = (address: string) => (isIP(address) === 4 ? "ipv4" : "ipv6");

function listOf(address: string, prefix?: number): BlockList {
  const list = new BlockList();
  if (prefix === undefined) {
    list.addAddress(address, kindOf(address));
  } else {
    list.addSubnet(address, prefix, kindOf(address));
  }
  return list;
}

const loopback = listOf("127.0.0.0", 8);
loopback.addAddress("::1", "ipv6");

/** The first value that is not empty; the variable with the lower-case name is read first. */
function firstValue(variables: Variables, name: string): string {
  return variables[name.toLowerCase()] || variables[name] || "";
}

function rangeException(text: string): Exception | undefined {
  const [, base = "", bits = ""] = /^([^/]+)\/(\d{1,3})$/.exec(text) ?? [];
  if (isIP(base) === 0 || Number(bits) > (isIP(base) === 4 ? 32 : 128)) {
    return undefined;
  }
  const list = listOf(base, Number(bits));
  return (_host, _port, address) => address !== undefined && list.check(address, kindOf(address));
}

/** Parses `host`, `.host`, `*.host` or an address, each with or without a port. */
function exceptionOf(text: string): Exception | undefined {
  const range = rangeException(text);
  if (range !== undefined) {
    return range;
  }
  const withPort = isIP(text) === 0 ? /^(?:\[([^\]]*)\]|([^:]*)):(\d*)$/.exec(text) : null;
  const name = withPort?.[1] ?? withPort?.[2] ?? text;
  const port = withPort?.[3] ? Number(withPort[3]) : undefined;
  const fits = (asked: number) => port === undefined || port === asked;
  if (name === "") {
    return undefined;
  }
  if (isIP(name) !== 0) {
    const list = listOf(name);
    return (_host, asked, address) =>
      address !== undefined && fits(asked) && list.check(address, kindOf(address));
  }
  const isBelowOnly = /^\*?\./.test(name);
  const bare = name.replace(/^\*?\./, "");
  const ascii = domainToASCII(bare) || bare;
  return (host, asked, address) =>
    address === undefined && fits(asked) && (host.endsWith(`.${ascii}`) || (!isBelowOnly && host === ascii));
}

/**
 * Reads `HTTP_PROXY`, `HTTPS_PROXY` and `NO_PROXY`, and the same names in lower case, which take precedence. `NO_PROXY`
 * is a comma-separated list: `*`, addresses, ranges, names (with their subdomains), `.name` and `*.name` (only
 * subdomains). Each entry except `*` and a range may have a port. `localhost` and loopback addresses never use a proxy.
 * In a CGI program, `HTTP_PROXY` comes from a request header, so it is ignored.
 * Source: Go, golang.org/x/net/http/httpproxy
 * @returns undefined when the environment contains no proxy
 */
export function environmentProxies(variables: Variables): EnvironmentProxies | undefined {
  const withScheme = (url: string) => (url === "" || url.includes("://") ? url : `http://${url}`);
  const http = variables.REQUEST_METHOD ? "" : withScheme(firstValue(variables, "HTTP_PROXY"));
  const https = withScheme(firstValue(variables, "HTTPS_PROXY"));
  if (http === "" && https === "") {
    return undefined;
  }
  const texts = firstValue(variables, "NO_PROXY")
    .split(",")
    .map((text) => text.trim().toLowerCase());
  const exceptions = texts.includes("*") ? [() => true] : texts.flatMap((text) => exceptionOf(text) ?? []);
  return {
    http,
    https,
    isException(host, port) {
      const lower = host.toLowerCase().replace(/%.*$/, "");
      const address = isIP(lower) === 0 ? undefined : lower;
      const name = address ?? (domainToASCII(lower) || lower);
      return (
        name === "localhost" ||
        (address !== undefined && loopback.check(address, kindOf(address))) ||
        exceptions.some((isException) => isException(name, port, address))
      );
    },
  };
}
