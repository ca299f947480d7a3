import { type AdminReply, type AdminRequest, notFoundReply } from "server-core/admin/admin-message";
import type { AdminRoute } from "server-core/admin/admin-route";
import { ServerError } from "server-core/errors";
import type { AdminMetrics } from "./admin-metrics.ts";
import { adminStatus } from "./admin-status.ts";

const noHeaders = {};

/** Finds the route of an allowed request and returns its response. */
export class AdminHandler {
  /** Routes by path; paths of subtrees end with a slash. */
  readonly #exact = new Map<string, AdminRoute>();
  /** Subtree routes, the longest path first. */
  readonly #subtrees: readonly AdminRoute[];
  readonly #metrics: AdminMetrics | undefined;

  /** @throws ServerError MODULE_DUPLICATE when two routes have the same path */
  constructor(routes: readonly AdminRoute[], metrics?: AdminMetrics) {
    this.#metrics = metrics;
    for (const route of routes) {
      if (this.#exact.has(route.path)) {
        throw new ServerError("MODULE_DUPLICATE", `two modules answer ${route.path} at the admin endpoint`);
      }
      this.#exact.set(route.path, route);
    }
    this.#subtrees = routes
      .filter((route) => route.path.endsWith("/"))
      .sort((a, b) => b.path.length - a.path.length);
  }

  /** True when the path is a subtree without its final slash; the client is then redirected. */
  lacksSlash(path: string): boolean {
    return !this.#exact.has(path) && this.#exact.has(`${path}/`);
  }

  /** Headers of every response for the path. */
  headersOf(path: string): Readonly<Record<string, string>> {
    return this.#routeOf(this.lacksSlash(path) ? `${path}/` : path)?.headers ?? noHeaders;
  }

  /**
   * Answers a request with the longest matching route; the answer is 404 when no route matches. Each response is
   * counted.
   * @throws ServerError, which the listener converts to a status
   */
  async handle(request: AdminRequest): Promise<AdminReply> {
    const route = this.#routeOf(request.path);
    const path = route?.path ?? "/";
    try {
      const reply = (await route?.handle(request)) ?? notFoundReply;
      this.#metrics?.count(path, request.method, reply.status);
      return reply;
    } catch (error) {
      this.#metrics?.count(path, request.method, adminStatus(error));
      throw error;
    }
  }

  /** The route of a path; undefined when no route has it. */
  #routeOf(path: string): AdminRoute | undefined {
    return this.#exact.get(path) ?? this.#subtrees.find((route) => path.startsWith(route.path));
  }
}
