import {
  type Attributes,
  type Context,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from "@opentelemetry/api";
import { W3CTraceContextPropagator } from "@opentelemetry/core";
import {
  ATTR_CLIENT_ADDRESS,
  ATTR_ERROR_TYPE,
  ATTR_HTTP_REQUEST_METHOD,
  ATTR_HTTP_RESPONSE_STATUS_CODE,
  ATTR_NETWORK_PEER_ADDRESS,
  ATTR_NETWORK_PEER_PORT,
  ATTR_NETWORK_PROTOCOL_VERSION,
  ATTR_SERVER_ADDRESS,
  ATTR_SERVER_PORT,
  ATTR_URL_FULL,
  ATTR_URL_PATH,
  ATTR_URL_QUERY,
  ATTR_URL_SCHEME,
  ATTR_USER_AGENT_ORIGINAL,
} from "@opentelemetry/semantic-conventions";
import type { Exchange } from "http-engine/exchange";
import { type HeaderList, headerText, removeHeaders, setHeader } from "http-engine/header-list";
import { remoteAddress } from "http-engine/remote-address";
import type { RequestTrace, UpstreamTrace } from "http-engine/request-trace";

/** Reads and writes `traceparent` and `tracestate`. Source: W3C Trace Context */
const propagator = new W3CTraceContextPropagator();
/** Fields that are replaced in requests to upstreams. */
const contextHeaders = new Set(["traceparent", "tracestate"]);

/** The trace context of the client's request; the root context when the request has no valid context. */
export function clientContext(exchange: Exchange): Context {
  return propagator.extract(ROOT_CONTEXT, exchange, {
    keys: () => [...contextHeaders],
    get: (carrier, key) => carrier.header(key) || undefined,
  });
}

/** Splits `example.com:8080`; an IPv6 address loses its brackets. */
function hostAndPort(hostport: string): { readonly host: string; readonly port: number | undefined } {
  const match = /^\[?(.*?)\]?(?::(\d+))?$/.exec(hostport);
  return { host: match?.[1] ?? hostport, port: match?.[2] === undefined ? undefined : Number(match[2]) };
}

/** Attributes that have a value. */
function definedOnly(attributes: Readonly<Record<string, string | number | undefined>>): Attributes {
  return Object.fromEntries(
    Object.entries(attributes).filter(([, value]) => value !== undefined && value !== ""),
  ) as Attributes;
}

/** Attributes of a request, following the HTTP semantic conventions. */
export function requestAttributes(exchange: Exchange): Attributes {
  const { host, port } = hostAndPort(exchange.hostport);
  return definedOnly({
    [ATTR_HTTP_REQUEST_METHOD]: exchange.method,
    [ATTR_URL_SCHEME]: exchange.scheme,
    [ATTR_URL_PATH]: exchange.rawPath,
    [ATTR_URL_QUERY]: exchange.query.slice(1),
    [ATTR_SERVER_ADDRESS]: host,
    [ATTR_SERVER_PORT]: port,
    [ATTR_CLIENT_ADDRESS]: remoteAddress(exchange.socket),
    [ATTR_NETWORK_PEER_ADDRESS]: remoteAddress(exchange.socket),
    [ATTR_NETWORK_PEER_PORT]: exchange.socket.remotePort,
    [ATTR_NETWORK_PROTOCOL_VERSION]: exchange.stream.version,
    [ATTR_USER_AGENT_ORIGINAL]: headerText(exchange.header("user-agent")).toWellFormed(),
  });
}

/** Span of a call to an upstream: a CLIENT span, whose context is sent to the upstream. */
class UpstreamSpan implements UpstreamTrace {
  readonly #span: Span;
  readonly #context: Context;

  constructor(tracer: Tracer, parent: Context, exchange: Exchange, address: string) {
    const { host, port } = hostAndPort(address);
    this.#span = tracer.startSpan(
      exchange.method,
      {
        kind: SpanKind.CLIENT,
        attributes: definedOnly({
          [ATTR_HTTP_REQUEST_METHOD]: exchange.method,
          [ATTR_URL_FULL]: `http://${address}${exchange.rawPath}${exchange.query}`,
          [ATTR_SERVER_ADDRESS]: host,
          [ATTR_SERVER_PORT]: port,
        }),
      },
      parent,
    );
    this.#context = trace.setSpan(parent, this.#span);
  }

  inject(headers: HeaderList): void {
    removeHeaders(headers, (name) => contextHeaders.has(name));
    propagator.inject(this.#context, headers, { set: setHeader });
  }

  end(outcome: number | Error): void {
    if (typeof outcome === "number") {
      this.#span.setAttribute(ATTR_HTTP_RESPONSE_STATUS_CODE, outcome);
      if (outcome >= 400) {
        this.#span.setAttribute(ATTR_ERROR_TYPE, String(outcome));
        this.#span.setStatus({ code: SpanStatusCode.ERROR });
      }
    } else {
      this.#span.setAttribute(ATTR_ERROR_TYPE, "code" in outcome ? String(outcome.code) : outcome.name);
      this.#span.setStatus({ code: SpanStatusCode.ERROR, message: outcome.message });
    }
    this.#span.end();
  }
}

/** The parent of upstream calls. @param context contains the request's SERVER span */
export function requestTrace(tracer: Tracer, context: Context, exchange: Exchange): RequestTrace {
  return { startUpstream: (address) => new UpstreamSpan(tracer, context, exchange, address) };
}

/**
 * Ends the SERVER span with the sent status. A status of 500 or more is an error, 400 to 499 is not. A response that
 * was cut off counts as an error too.
 */
export function endServerSpan(span: Span, exchange: Exchange): void {
  const { status } = exchange;
  if (exchange.headSent) {
    span.setAttribute(ATTR_HTTP_RESPONSE_STATUS_CODE, status);
  }
  if (status >= 500) {
    span.setAttribute(ATTR_ERROR_TYPE, String(status));
    span.setStatus({ code: SpanStatusCode.ERROR });
  } else if (!exchange.complete && !exchange.detached) {
    span.setAttribute(ATTR_ERROR_TYPE, "response_cut_short");
    span.setStatus({
      code: SpanStatusCode.ERROR,
      message: "the connection closed before the response was complete",
    });
  }
  span.end();
}
