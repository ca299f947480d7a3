import { requireMethod } from "server-core/admin/admin-message";
import type { AdminRoute } from "server-core/admin/admin-route";
import { openapiDocument } from "./openapi-document.ts";

/**
 * `GET /openapi.json`: the admin API, for clients and generators. The document is built for each request, because
 * requests are rare, and the document contains the version of the process.
 */
export function openapiRoute(): AdminRoute {
  return {
    path: "/openapi.json",
    handle(request) {
      requireMethod(request, "GET");
      const body = `${JSON.stringify(openapiDocument(), undefined, 1)}\n`;
      return { status: 200, headers: { "Content-Type": "application/json" }, body };
    },
  };
}
