import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Registry } from "@prometheus-io/client";
import { listenError } from "./errors.ts";
import type { ProcessHealth } from "./health.ts";
import { httpServerFor } from "./http-server.ts";
import type { HostPort } from "./options/fields.ts";
import { withPublicMetricNames } from "./public-metric-names.ts";
import type { ServerTls } from "./tls/server-tls.ts";
import { version } from "./version.ts";

/** The open port for health, metrics and version. */
export interface AdminPort {
  /** The port on which the process listens; if the option is port 0, the port that the system chose. */
  readonly port: number;
  /** Cuts open connections, and resolves when the port is free. */
  close(): Promise<void>;
}

/** Address and content of the admin port. */
export interface AdminPortSettings {
  readonly address: HostPort;
  /** TLS of the port: certificate and key. Undefined: plain HTTP. */
  readonly tls: ServerTls | undefined;
  /** Served at `/`: 200 while the process is available, else 503. */
  readonly health: ProcessHealth;
  /** All metrics of the process. */
  readonly metrics: Registry;
  /** Path of the metrics: "/metrics". Undefined: the port serves no metrics. */
  readonly metricsRoute: string | undefined;
}

function healthBody(health: ProcessHealth): string {
  if (health.status !== "available" || health.upSince === undefined) {
    return '{"status":"Server not available"}';
  }
  const uptimeS = (Date.now() - health.upSince.getTime()) / 1000;
  return JSON.stringify({
    status: "Server available",
    upSince: health.upSince.toISOString(),
    uptime: `${uptimeS.toFixed(3)}s`,
    ...(health.degraded.length === 0 ? {} : { degraded: health.degraded }),
  });
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  { health, metrics, metricsRoute }: AdminPortSettings,
): Promise<void> {
  const path = (request.url ?? "/").split("?", 1)[0];
  if (request.method !== "GET" && request.method !== "HEAD") {
    response.writeHead(405, { Allow: "GET, HEAD" }).end();
  } else if (path === metricsRoute) {
    const text = withPublicMetricNames(await metrics.metrics());
    response.writeHead(200, { "Content-Type": metrics.contentType }).end(text);
  } else if (path === "/version") {
    response.writeHead(200, { "Content-Type": "application/json" }).end(JSON.stringify(version));
  } else {
    const status = health.status === "available" ? 200 : 503;
    response.writeHead(status, { "Content-Type": "application/json" }).end(healthBody(health));
  }
}

/**
 * Opens the admin port, with metrics (Prometheus text, see {@link withPublicMetricNames}) and `/version`. All other
 * paths return the health as in Jaeger: 200 `Server available` or 503 `Server not available`. The field
 * `degraded` lists the faults of a process that still works.
 * @throws StartError when the process cannot listen on the address
 */
export async function openAdminPort(settings: AdminPortSettings): Promise<AdminPort> {
  const { address } = settings;
  const server = httpServerFor(
    settings.tls,
    { headersTimeout: 5_000, requestTimeout: 10_000 },
    (request, response) => {
      answer(request, response, settings).catch((error: unknown) => {
        if (!response.headersSent) {
          response.writeHead(500);
        }
        response.end(String(error));
      });
    },
  );
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error) => {
      reject(listenError(error, "admin port", address.text, "admin.http.host-port"));
    });
    server.listen({ port: address.port, ...(address.host === "" ? {} : { host: address.host }) }, resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
