import { BlockList, isIP } from "node:net";
import { domainToASCII } from "node:url";

/** The proxies that an environment names. */
export interface EnvironmentProxies {
  /** URL of the one to servers without TLS; "" for none. */
  readonly http: string;
  /** URL of the one to servers with TLS; "" for none. */
  readonly https: string;
  /** Whether connections to a place go straight. @param host without brackets */
  isException(host: string, port: number): boolean;
}

/** Whether connections to a host go straight. @param address of the host, where the host is an address */
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

/** The first that has a value; lower case goes first. */
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

/** `host`, `.host`, `*.host`, an address, each with a port or without. */
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
 * Reads `HTTP_PROXY`, `HTTPS_PROXY` and `NO_PROXY`, also in lower case, which goes first. `NO_PROXY` is a list with commas:
 * `*`, addresses, ranges, names with all below them, `.name` and `*.name` for those below only; each but ranges may have a
 * port. `localhost` and loopback addresses are never asked for through a proxy. Where the process is a CGI program,
 * `HTTP_PROXY` comes from a field of the request, and is passed over.
 * @returns undefined where the environment names no proxy
 * Source: Go, golang.org/x/net/http/httpproxy
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
