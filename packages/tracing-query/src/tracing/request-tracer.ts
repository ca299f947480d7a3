import { type Logger, StartError, version } from "lifecycle";
import { request } from "undici";
import type { Attribute, Resource, Span } from "wire/model";
import { encodeTraces } from "wire/otlp";
import { formatTraceContext, newContext, parseTraceparent } from "./trace-context.ts";

/** Spans that wait to be sent; more are dropped and counted. */
const maxWaiting = 2_048;
const maxBatch = 512;
const batchDelayMs = 1_000;
const sendTimeoutMs = 10_000;

type Environment = Readonly<Record<string, string | undefined>>;

/** The span of a request that is under way. */
export interface RequestSpan {
  /** For the header `traceresponse`. */
  readonly response: string;
  /** @param status of HTTP */
  end(status: number): void;
}

function text(key: string, value: string): Attribute {
  return { key, value: { type: "string", value } };
}

/** `key=value,key=value`, percent-encoded, as OTEL_EXPORTER_OTLP_HEADERS has it. */
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

/**
 * Spans of this process's own requests, sent over OTLP/HTTP as the standard `OTEL_*` variables say: endpoint
 * (http://localhost:4318), headers, service name. Requests never wait for it.
 */
export class RequestTracer {
  readonly #url: URL;
  readonly #headers: Record<string, string>;
  readonly #resource: Resource;
  readonly #log: Logger;
  #waiting: Span[] = [];
  #dropped = 0;
  #isAway = false;
  #timer: NodeJS.Timeout | undefined;
  #sending: Promise<void> = Promise.resolve();

  /** @throws StartError for an endpoint that is no URL */
  constructor(environment: Environment, log: Logger) {
    const base = environment.OTEL_EXPORTER_OTLP_ENDPOINT || "http://localhost:4318";
    const address = environment.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT || `${base.replace(/\/$/, "")}/v1/traces`;
    if (!URL.canParse(address) || !/^https?:$/.test(new URL(address).protocol)) {
      throw new StartError(`OTEL_EXPORTER_OTLP_ENDPOINT: "${address}" is not an http or https URL`);
    }
    this.#url = new URL(address);
    this.#headers = headersOf(
      environment.OTEL_EXPORTER_OTLP_TRACES_HEADERS || environment.OTEL_EXPORTER_OTLP_HEADERS || "",
    );
    const serviceName = environment.OTEL_SERVICE_NAME || "tracing-query";
    this.#resource = {
      serviceName,
      attributes: [text("service.name", serviceName), text("service.version", version.gitVersion)],
      droppedAttributesCount: 0,
      schemaUrl: "",
    };
    this.#log = log;
  }

  /** @param route such as `/api/traces/{traceId}` @param traceparent the request's header */
  start(method: string, route: string, traceparent: string | undefined): RequestSpan {
    const parent = parseTraceparent(traceparent);
    const context = newContext(parent);
    const startTimeUnixNano = BigInt(Date.now()) * 1_000_000n;
    const startMs = performance.now();
    let isOver = false;
    return {
      response: formatTraceContext(context),
      end: (status) => {
        if (isOver || !context.isSampled) {
          return;
        }
        isOver = true;
        this.#add({
          traceId: context.traceId,
          spanId: context.spanId,
          parentSpanId: parent?.spanId ?? "",
          traceState: "",
          flags: 1,
          name: `${method} ${route}`,
          kind: "server",
          startTimeUnixNano,
          durationNano: BigInt(Math.round((performance.now() - startMs) * 1e6)),
          attributes: [
            text("http.request.method", method),
            text("http.route", route),
            { key: "http.response.status_code", value: { type: "int", value: BigInt(status) } },
          ],
          droppedAttributesCount: 0,
          events: [],
          droppedEventsCount: 0,
          links: [],
          droppedLinksCount: 0,
          status: { code: status >= 500 ? "error" : "unset", message: "" },
          resource: this.#resource,
          scope: {
            name: "tracing-query",
            version: "",
            attributes: [],
            droppedAttributesCount: 0,
            schemaUrl: "",
          },
          format: "otlp",
          warnings: [],
        });
      },
    };
  }

  /** Sends what waits, as far as that goes quickly. */
  async close(): Promise<void> {
    clearTimeout(this.#timer);
    this.#flush();
    await this.#sending;
  }

  #add(span: Span): void {
    if (this.#waiting.length >= maxWaiting) {
      this.#dropped++;
      return;
    }
    this.#waiting.push(span);
    if (this.#waiting.length === maxBatch) {
      this.#flush();
    } else {
      this.#timer ??= setTimeout(() => this.#flush(), batchDelayMs).unref();
    }
  }

  #flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#sending = this.#sending.then(async () => {
      while (this.#waiting.length > 0) {
        await this.#send(this.#waiting.splice(0, maxBatch));
      }
    });
  }

  async #send(spans: readonly Span[]): Promise<void> {
    try {
      const { statusCode, body } = await request(this.#url, {
        method: "POST",
        headers: { "content-type": "application/x-protobuf", ...this.#headers },
        body: encodeTraces(spans),
        signal: AbortSignal.timeout(sendTimeoutMs),
      });
      await body.dump();
      if (statusCode >= 300) {
        throw new Error(`status ${statusCode}`);
      }
      if (this.#isAway) {
        this.#isAway = false;
        this.#log.info({ dropped: this.#dropped }, "spans of own requests arrive again");
        this.#dropped = 0;
      }
    } catch (error) {
      this.#dropped += spans.length;
      if (!this.#isAway) {
        this.#isAway = true;
        this.#log.warn(
          { url: `${this.#url.origin}${this.#url.pathname}`, reason: (error as Error).message },
          "spans of own requests are not taken: dropping them until they are",
        );
      }
    }
  }
}
