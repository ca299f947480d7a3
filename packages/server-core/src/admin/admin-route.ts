import type { ModuleInstance, ModuleNamespace } from "../modules/module.ts";
import type { AdminReply, AdminRequest } from "./admin-message.ts";

/** A module that adds paths to the admin endpoint. */
export interface AdminRoute extends ModuleInstance {
  /**
   * The whole path it answers, `/reverse_proxy/upstreams`; or, with a final slash, all that begins with it, `/pki/`.
   * Of several that fit the longest counts.
   */
  readonly path: string;
  /** @throws ServerError */
  handle(request: AdminRequest): AdminReply | Promise<AdminReply>;
}

export const adminRoutes: ModuleNamespace<AdminRoute> = { prefix: "admin.api" };
