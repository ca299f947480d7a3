import { Counter, type Registry } from "@prometheus-io/client";

/** Methods with their own label; clients may send any text. */
const methods = new Set(["GET", "HEAD", "PUT", "POST", "DELETE", "PATCH", "OPTIONS"]);

/** Counts requests of the admin endpoint, with Caddy's names and labels. */
export class AdminMetrics {
  readonly #requests: Counter<"handler" | "path" | "code" | "method">;
  readonly #errors: Counter<"handler" | "path" | "method">;

  constructor(registry: Registry) {
    const registers = [registry];
    this.#requests = new Counter({
      name: "server_admin_http_requests_total",
      help: "Requests to the admin endpoint.",
      labelNames: ["handler", "path", "code", "method"],
      registers,
    });
    this.#errors = new Counter({
      name: "server_admin_http_request_errors_total",
      help: "Requests to the admin endpoint that were answered with an error.",
      labelNames: ["handler", "path", "method"],
      registers,
    });
  }

  /** Counts one response; a status of 400 or more also counts as an error. */
  count(path: string, method: string, status: number): void {
    const labels = { handler: "admin", path, method: methods.has(method) ? method : "OTHER" };
    this.#requests.inc({ ...labels, code: String(status) });
    if (status >= 400) {
      this.#errors.inc(labels);
    }
  }
}
