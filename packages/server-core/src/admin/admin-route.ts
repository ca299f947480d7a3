import type { ModuleInstance, ModuleNamespace } from "../modules/module.ts";
import type { AdminReply, AdminRequest } from "./admin-message.ts";

/** A module that adds paths to the admin endpoint. */
export interface AdminRoute extends ModuleInstance {
  /**
   * The complete path, `/reverse_proxy/upstreams`. A path with a final slash, such as `/pki/`, includes every path
   * below it. The longest matching path wins.
   */
  readonly path: string;
  /** Headers of every answer at this path and the paths below it, including errors and redirects. */
  readonly headers?: Readonly<Record<string, string>>;
  /** @throws ServerError */
  handle(request: AdminRequest): AdminReply | Promise<AdminReply>;
}

export const adminRoutes: ModuleNamespace<AdminRoute> = { prefix: "admin.api" };
