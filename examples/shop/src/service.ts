import { once } from "node:events";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import {
  type Attributes,
  type Context,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
} from "@opentelemetry/api";
import { Chance } from "./chance.ts";
import { contextOf, createTelemetry, traceHeaders } from "./telemetry.ts";

/** Goes to the caller as this status; the span of the request tells the reason. */
export class ShopError extends Error {
  override readonly name: string = "ShopError";
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** The parts of a request that a route sees. */
export interface Work {
  readonly span: Span;
  readonly chance: Chance;
  /** Parts of the path after the route's own, e.g. the id in /cart/42. */
  readonly rest: string;
  /** Does something inside a child span; it takes `ms` milliseconds, and more now and then. */
  step(
    name: string,
    kind: SpanKind,
    attributes: Attributes,
    ms: number,
    fault?: () => Error | undefined,
  ): Promise<void>;
  /** Calls another service of the shop, inside a client span. @throws ShopError when it answers 4xx or 5xx */
  call(service: string, path: string): Promise<unknown>;
}

export type Route = (work: Work) => Promise<unknown>;

export interface ServiceDefinition {
  readonly name: string;
  readonly version: string;
  /** First part of the path → what it does: "/cart" also serves "/cart/42". */
  readonly routes: Readonly<Record<string, Route>>;
}

export interface RunningService {
  readonly url: string;
  close(): Promise<void>;
}

function fail(span: Span, error: unknown): void {
  const exception = error instanceof Error ? error : new Error(String(error));
  span.recordException(exception);
  span.setStatus({ code: SpanStatusCode.ERROR, message: exception.message });
}

/** @param addresses service name → URL; filled by whoever starts the services */
export async function startService(
  definition: ServiceDefinition,
  addresses: ReadonlyMap<string, string>,
  seed: number,
): Promise<RunningService> {
  const { tracer, shutdown } = createTelemetry(definition.name, definition.version);
  const chance = new Chance(seed);

  async function step(
    context: Context,
    ...[name, kind, attributes, ms, fault]: Parameters<Work["step"]>
  ): Promise<void> {
    const span = tracer.startSpan(name, { kind, attributes }, context);
    try {
      await sleep(chance.latency(ms));
      const error = fault?.();
      if (error !== undefined) {
        throw error;
      }
    } catch (error) {
      fail(span, error);
      throw error;
    } finally {
      span.end();
    }
  }

  async function call(context: Context, service: string, path: string): Promise<unknown> {
    const url = new URL(path, addresses.get(service) ?? "http://127.0.0.1:1");
    const span = tracer.startSpan(
      "GET",
      {
        kind: SpanKind.CLIENT,
        attributes: {
          "http.request.method": "GET",
          "url.full": url.href,
          "server.address": service,
          "server.port": Number(url.port),
        },
      },
      context,
    );
    try {
      const response = await fetch(url, {
        headers: traceHeaders(trace.setSpan(context, span)),
        signal: AbortSignal.timeout(10_000),
      });
      span.setAttribute("http.response.status_code", response.status);
      const body: unknown = await response.json();
      if (!response.ok) {
        throw new ShopError(response.status === 404 ? 404 : 502, `${service} answered ${response.status}`);
      }
      return body;
    } catch (error) {
      fail(span, error);
      throw error;
    } finally {
      span.end();
    }
  }

  async function handle(
    path: string,
    headers: IncomingHttpHeaders,
  ): Promise<{ status: number; body: unknown }> {
    const name = `/${path.split("/")[1] ?? ""}`;
    const route = definition.routes[name];
    if (route === undefined) {
      return { status: 404, body: { error: "no such path" } };
    }
    const parent = contextOf(headers);
    const span = tracer.startSpan(
      `GET ${name}`,
      {
        kind: SpanKind.SERVER,
        attributes: {
          "http.request.method": "GET",
          "http.route": name,
          "url.path": path,
          "network.protocol.version": "1.1",
        },
      },
      parent,
    );
    const context = trace.setSpan(parent, span);
    let status = 200;
    let body: unknown;
    try {
      body = await route({
        span,
        chance,
        rest: path.slice(name.length + 1),
        step: (...args) => step(context, ...args),
        call: (service, target) => call(context, service, target),
      });
    } catch (error) {
      status = error instanceof ShopError ? error.status : 500;
      body = { error: error instanceof Error ? error.message : String(error) };
      if (status >= 500) {
        fail(span, error);
      }
    }
    span.setAttribute("http.response.status_code", status);
    span.end();
    return { status, body };
  }

  const server = createServer((request, response) => {
    void handle(request.url ?? "/", request.headers).then(({ status, body }) => {
      response.writeHead(status, { "Content-Type": "application/json" }).end(JSON.stringify(body));
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.close();
      server.closeAllConnections();
      await shutdown().catch(() => undefined);
    },
  };
}
