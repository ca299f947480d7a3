import type { Registry } from "@prometheus-io/client";
import { StartError } from "../errors.ts";
import type { Logger } from "../logger.ts";
import { OwnSpan } from "../own-span.ts";
import type { ClientTls } from "../tls/client-tls.ts";
import { newContext, parseTraceparent } from "../trace-context.ts";
import { version } from "../version.ts";
import { OwnSampler } from "./sampler.ts";
import { ownSpansHeader, SpanSender } from "./span-sender.ts";

/** Header fields by name in lower case. */
export type RequestHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

type Environment = Readonly<Record<string, string | undefined>>;

export interface TracerSettings {
  /** Name of the process, which is also the service name unless `OTEL_SERVICE_NAME` is set. */
  readonly name: string;
  /** Base address of a collector, such as `http://localhost:4318`; undefined or "": the address in the environment. */
  readonly endpoint?: string | undefined;
  /** TLS files for an https address; the tracer closes them. */
  readonly tls?: ClientTls | undefined;
  /** Environment variables; `OTEL_…` set endpoint, headers, service and sampler. */
  readonly environment: Environment;
  readonly log: Logger;
  /** Registry of counters of sent and dropped spans; absent: nothing is counted. */
  readonly metrics?: Registry | undefined;
}

/** Parses `key=value,key=value`, percent-encoded: the form of OTEL_EXPORTER_OTLP_HEADERS. */
function headersOf(list: string): Record<string, string> {
  return Object.fromEntries(
    list
      .split(",")
      .filter((part) => part.includes("="))
      .map((part) => {
        const at = part.indexOf("=");
        return [part.slice(0, at).trim(), decodeURIComponent(part.slice(at + 1).trim())];
      }),
  );
}

function urlOf(endpoint: string | undefined, environment: Environment): URL {
  const base = endpoint || environment.OTEL_EXPORTER_OTLP_ENDPOINT || "http://localhost:4318";
  const ofTraces = endpoint ? "" : environment.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT;
  const address = ofTraces || `${base.replace(/\/$/, "")}/v1/traces`;
  if (!URL.canParse(address) || !/^https?:$/.test(new URL(address).protocol)) {
    const name = endpoint ? "--tracing.otlp.endpoint" : "OTEL_EXPORTER_OTLP_ENDPOINT";
    throw new StartError(`${name}: "${address.replace(/\/\/[^/]*@/, "//***@")}" is not an http or https URL`);
  }
  return new URL(address);
}

/**
 * Moves user and password from an address to a header. In the address, they would be visible in errors.
 */
function withoutCredentials(address: URL): { url: URL; headers: Record<string, string> } {
  const { username, password } = address;
  const url = new URL(address);
  url.username = "";
  url.password = "";
  if (username === "" && password === "") {
    return { url, headers: {} };
  }
  const text = `${plainText(username)}:${plainText(password)}`;
  return { url, headers: { authorization: `Basic ${Buffer.from(text).toString("base64")}` } };
}

/** Decodes percent-encoding. A text with an invalid % is used unchanged. */
function plainText(encoded: string): string {
  try {
    return decodeURIComponent(encoded);
  } catch {
    return encoded;
  }
}

/**
 * Makes spans for this process's own work, and sends them over OTLP/HTTP. The standard `OTEL_*` variables set headers,
 * service name and sampler. Requests never wait for the sending.
 */
export class Tracer {
  readonly #sender: SpanSender;
  readonly #sampler: OwnSampler;

  /**
   * @throws StartError for an endpoint that is no URL, an endpoint without https although TLS is configured, and an
   * unknown sampler
   */
  constructor({ name, endpoint, tls, environment, log, metrics }: TracerSettings) {
    this.#sampler = new OwnSampler(environment);
    const { url, headers } = withoutCredentials(urlOf(endpoint, environment));
    if (tls !== undefined && url.protocol !== "https:") {
      throw new StartError(`--tracing.otlp.tls.enabled needs an https address, not ${url.origin}`);
    }
    const given =
      environment.OTEL_EXPORTER_OTLP_TRACES_HEADERS || environment.OTEL_EXPORTER_OTLP_HEADERS || "";
    this.#sender = new SpanSender({
      url,
      headers: { ...headers, ...headersOf(given) },
      tls,
      resource: {
        "service.name": environment.OTEL_SERVICE_NAME || name,
        "service.version": version.gitVersion,
      },
      scope: name,
      log,
      metrics,
    });
  }

  /** The span of an incoming request; it is sent only when the handler describes the request. */
  startRequest(headers: RequestHeaders): OwnSpan {
    const parent = parseTraceparent(headers.traceparent as string | undefined);
    const context = newContext(parent);
    const isSampled =
      headers[ownSpansHeader] === undefined && this.#sampler.isSampled(context.traceId, parent);
    return new OwnSpan(
      this.#sender,
      "server",
      { ...context, isSampled },
      {
        parentSpanId: parent?.spanId ?? "",
      },
    );
  }

  /** Sends the remaining spans, within two seconds. */
  close(): Promise<void> {
    return this.#sender.close();
  }
}
