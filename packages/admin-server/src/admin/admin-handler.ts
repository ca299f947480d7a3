import type { ConfigEngine } from "../core/engine/config-engine.ts";
import { type AdminReply, type AdminRequest, notFoundReply, requireMethod } from "./admin-message.ts";
import type { AdminRoute } from "./admin-route.ts";
import { handleConfig, handleId } from "./config-routes.ts";
import { handleAdapt, handleLoad } from "./load-routes.ts";

/** Finds the answer to an admitted request. */
export class AdminHandler {
  readonly #engine: ConfigEngine;
  readonly #routes: ReadonlyMap<string, AdminRoute>;
  readonly #stop: () => void;

  /** @param stop begins the end of the process; called when the answer to `/stop` was sent */
  constructor(engine: ConfigEngine, routes: readonly AdminRoute[], stop: () => void) {
    this.#engine = engine;
    this.#routes = new Map(routes.map((route) => [route.path, route]));
    this.#stop = stop;
  }

  /** @throws ServerError */
  async handle(request: AdminRequest): Promise<AdminReply> {
    const { path } = request;
    if (path.startsWith("/config/")) {
      return handleConfig(this.#engine, request, path);
    }
    if (path.startsWith("/id/")) {
      return handleId(this.#engine, request);
    }
    switch (path) {
      case "/load":
        return handleLoad(this.#engine, request);
      case "/adapt":
        return handleAdapt(request);
      case "/stop":
        requireMethod(request, "POST");
        return { status: 200, afterwards: this.#stop };
      default:
        return (await this.#routes.get(path)?.handle(request)) ?? notFoundReply;
    }
  }
}
