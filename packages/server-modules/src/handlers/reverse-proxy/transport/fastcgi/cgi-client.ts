import type { Exchange } from "http-engine/exchange";
import { getHeader } from "http-engine/header-list";
import { readPlaceholder } from "http-engine/placeholders";
import { serverProduct } from "http-engine/server-product";
import { machineReader } from "server-core/placeholders/machine-placeholders";
import type { UpstreamRequest } from "../transport.ts";

/** Facts about the client of a request for a FastCGI program. */
export interface CgiClient {
  /** `Host` of the request, including its port if present. */
  readonly hostport: string;
  /** `http` or `https`, as used by the client. */
  readonly scheme: string;
  /** Protocol of the request: for example `HTTP/1.1` or `HTTP/2.0`. */
  readonly protocol: string;
  /** Address of the client; "" for the server's own requests. */
  readonly remoteAddress: string;
  /** Port of the client; "" for the server's own requests. */
  readonly remotePort: string;
  /** Address that the client connected to; undefined for the server's own requests. */
  readonly localAddress: string | undefined;
  /** Name of this server. */
  readonly product: string;
  /** `Content-Type` of the request; "" without the field. */
  readonly contentType: string;
  /** Path and query as received, before any rewrite. */
  readonly uri: string;
  /** Value of a placeholder; undefined for an unknown name. */
  placeholder(name: string): string | undefined;
}

/** Reads the facts about the client from an exchange. */
export function clientOfExchange(exchange: Exchange): CgiClient {
  return {
    hostport: exchange.hostport,
    scheme: exchange.scheme,
    protocol: exchange.protocol,
    remoteAddress: exchange.remoteAddress,
    remotePort: String(exchange.socket.remotePort ?? ""),
    localAddress: exchange.socket.localAddress,
    product: exchange.server.product,
    contentType: exchange.header("content-type"),
    uri: exchange.original.target.text,
    placeholder: (name) => readPlaceholder(exchange, name),
  };
}

/** The client's facts for a health check, which the server itself sends. Only machine placeholders have values. */
export function clientOfServer({ headers, target }: UpstreamRequest): CgiClient {
  return {
    hostport: getHeader(headers, "host") ?? "",
    scheme: "http",
    protocol: "HTTP/1.1",
    remoteAddress: "",
    remotePort: "",
    localAddress: undefined,
    product: serverProduct,
    contentType: getHeader(headers, "content-type") ?? "",
    uri: target,
    placeholder: (name) => machineReader(name)?.(),
  };
}
